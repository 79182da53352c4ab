import { describe, expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const policies = ['ingress-tls@1.10.0', 'controller-scope@1.10.0']
const prefix = 'nginx.ingress.kubernetes.io'

const controller = `apiVersion: apps/v1
kind: Deployment
metadata: {name: ingress-nginx-controller, namespace: ingress-nginx}
spec:
  template:
    metadata: {labels: {app.kubernetes.io/name: ingress-nginx, app.kubernetes.io/component: controller}}
    spec:
      containers:
        - name: controller
          image: registry.k8s.io/ingress-nginx/controller:v1.12.1
          args: [/nginx-ingress-controller, --controller-class=k8s.io/ingress-nginx, --ingress-class=nginx]
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: k8s.io/ingress-nginx}
`

/** The Secret is named in line 6. */
const ingress = (secret: string, annotation = 'auth-secret') => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  annotations:
    ${prefix}/${annotation}: ${secret}
    ${prefix}/auth-type: basic
spec:
  ingressClassName: nginx
  rules: [{host: www.example.com}]
`

const rules = (report: Awaited<ReturnType<typeof judgeChange>>) =>
  places(report).filter((place) => /annotation-secret|secret-kept/.test(place))

async function found(base: Files, head: Files): Promise<string[]> {
  return rules(await judgeChange({ 'nginx.yaml': controller, ...base }, head, 'helm', policies))
}

describe('the Secret of an annotation, where kustomize builds the Ingress', () => {
  const built = (more = ''): Files => ({ 'web/kustomization.yaml': `namespace: shop\nresources: [web.yaml]\n${more}` })
  const generator = 'secretGenerator: [{name: web-auth, literals: [auth=users]}]\n'

  test('of another namespace than the one that kustomize sets', async () => {
    const base = { ...built(), 'web/web.yaml': ingress('shop/basic-auth') }
    expect(await found(base, { 'web/web.yaml': ingress('ops/basic-auth') })).toEqual([
      'head/web/web.yaml:6 exact controller-scope/annotation-secret-read',
    ])
    expect(await found(base, { 'web/web.yaml': ingress('basic-auth') })).toEqual([])
  })

  test('is the one of a generator, under the name that kustomize gives it', async () => {
    const base = { ...built(generator), 'web/web.yaml': ingress('') }
    expect(await found(base, { 'web/web.yaml': ingress('web-auth') })).toEqual([])
  })

  test('is the one of a generator, with a namespace, so that kustomize does not put its name there', async () => {
    const base = { ...built(generator), 'web/web.yaml': ingress('') }
    const hashed = ['head/web/web.yaml:6 exact controller-scope/annotation-secret-provided']
    expect(await found(base, { 'web/web.yaml': ingress('shop/web-auth') })).toEqual(hashed)
    expect(await found(base, { 'web/web.yaml': ingress('shop/web-auth', 'proxy-ssl-secret') })).toEqual([])
  })

  test('has nearly the name of the one of a generator', async () => {
    const more = `${generator}generatorOptions: {disableNameSuffixHash: true}\n`
    const base = { ...built(more), 'web/web.yaml': ingress('') }
    expect(await found(base, { 'web/web.yaml': ingress('webauth') })).toEqual([
      'head/web/web.yaml:6 exact controller-scope/annotation-secret-provided',
    ])
  })

  test('is no longer generated', async () => {
    const more = `${generator}generatorOptions: {disableNameSuffixHash: true}\n`
    const base = { ...built(more), 'web/web.yaml': ingress('web-auth') }
    expect(await found(base, built())).toEqual(['base/web/kustomization.yaml:3 exact ingress-tls/secret-kept'])
  })
})

describe('the Secret of an annotation, where a chart makes the Ingress', () => {
  const chart: Files = {
    'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'web/templates/ingress.yaml': ingress('{{ .Values.users }}').replace(
      'metadata:\n',
      'metadata:\n  namespace: {{ .Release.Namespace }}\n',
    ),
    'app.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  source: {path: web, repoURL: https://example.com/repo.git}
`,
  }

  test('is in the line of the values', async () => {
    const base = { ...chart, 'web/values.yaml': 'users: basic-auth\n' }
    expect(await found(base, { 'web/values.yaml': 'users: ops/basic-auth\n' })).toEqual([
      'head/web/values.yaml:1 values controller-scope/annotation-secret-read',
    ])
  })
})
