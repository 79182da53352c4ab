import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const issuer = (name: string) => `apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: ${name}
spec:
  acme:
    server: https://acme-v02.api.letsencrypt.org/directory
    privateKeySecretRef: {name: account}
    solvers: [{http01: {ingress: {class: nginx}}}]
`
const certManager = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: cert-manager, namespace: cert-manager}
spec:
  interval: 1h
  chart: {spec: {chart: cert-manager, version: 1.20.0, sourceRef: {kind: HelmRepository, name: jetstack}}}
  values:
    ingressShim:
      defaultIssuerKind: ClusterIssuer
      defaultIssuerName: letsencrypt-prod
`
const home: Files = { 'apps/issuer.yaml': issuer('letsencrypt-prod'), 'apps/cert-manager.yaml': certManager }

/** The places of names that a change leaves behind. */
async function left(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/name-left')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

test('an issuer that is renamed while values still have its old name is a warning', async () => {
  expect(await left(home, { 'apps/issuer.yaml': issuer('letsencrypt-production') })).toEqual([
    'warning apps/issuer.yaml:4 This change removes or renames ClusterIssuer letsencrypt-prod, and apps/cert-manager.yaml:10 still names it in spec.values.ingressShim.defaultIssuerName, while no file here has an object of that name. Whatever reads it there finds no such object. Write letsencrypt-production there, if that takes its place, or keep the object.',
  ])
})

test('and a middleware that a template of another tool still names', async () => {
  const middleware = (name: string) =>
    `apiVersion: traefik.io/v1alpha1
kind: Middleware
metadata: {namespace: web}
spec: {compress: {}}
`.replace('{namespace: web}', `\n  name: ${name}\n  namespace: web`)
  const route = `apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata:
  name: {{ .session }}
spec:
  routes:
    - match: Host(\`web.example.com\`)
      middlewares:
        - name: enable-compression
`
  const base = { 'web/middleware.yaml': middleware('enable-compression'), 'web/session.yaml': route }
  expect(await left(base, { 'web/middleware.yaml': middleware('web-enable-compression') })).toEqual([
    'warning web/middleware.yaml:4 This change removes or renames Middleware enable-compression, and web/session.yaml:9 still names it in spec.routes.middlewares.name, while no file here has an object of that name. Whatever reads it there finds no such object. Write web-enable-compression there, if that takes its place, or keep the object.',
  ])
})

test('nothing is said where the name is written anew, moved, removed with its file, made by a template, or that of an object', async () => {
  const renamed = { 'apps/issuer.yaml': issuer('letsencrypt-production') }
  const both = certManager.replace('letsencrypt-prod', 'letsencrypt-production')
  expect(await left(home, { ...renamed, 'apps/cert-manager.yaml': both })).toEqual([])
  expect(await left(home, { ...renamed, 'apps/issuers.yaml': issuer('letsencrypt-prod') })).toEqual([])
  const made = issuer('letsencrypt-{{ .name }}')
  const values = certManager.replace('    ingressShim:', '    issuers:\n      - name: prod\n    ingressShim:')
  expect(await left(home, { 'apps/issuer.yaml': made, 'apps/cert-manager.yaml': values })).toEqual([])
  const named = { 'apps/issuer.yaml': made, 'apps/issuers.yaml': 'issuers:\n  - name: prod\n' }
  expect(await left(home, named)).toEqual([])
  expect(await left(home, { ...named, 'apps/issuers.yaml': 'issuers:\n  - name: test\n' })).toHaveLength(1)
  expect(await left(home, { 'apps/issuer.yaml': null })).toEqual([])
  const metadata = certManager.replace('      defaultIssuerName: letsencrypt-prod\n', '    name: letsencrypt-prod\n')
  expect(await left({ ...home, 'apps/cert-manager.yaml': metadata }, renamed)).toEqual([])
  const word = {
    ...home,
    'apps/issuer.yaml': issuer('prod'),
    'apps/cert-manager.yaml': certManager.replace('letsencrypt-prod', 'prod'),
  }
  expect(await left(word, { 'apps/issuer.yaml': issuer('production') })).toEqual([])
})
