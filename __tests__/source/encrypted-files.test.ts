import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const encrypted = (bytes: readonly number[]) => Buffer.concat([Buffer.from('\0GITCRYPT\0'), Buffer.from(bytes)])
const ingress = (tls: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: web}
spec:
${tls}  rules:
    - host: web.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
`
const withTls = ingress('  tls: [{hosts: [web.example.com], secretName: web-tls}]\n')
const issuer = `apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: dns, namespace: web}
spec:
  acme:
    server: https://acme-v02.api.letsencrypt.org/directory
    privateKeySecretRef: {name: account}
    solvers: [{dns01: {cloudflare: {apiTokenSecretRef: {name: token, key: token}}}}]
`
const all = ['ingress-tls@^1.20.0', 'controller-scope@^1.21.0', 'protected-rbac@^1.11.0']

async function judged(base: Files, head: Files) {
  const { findings, inspected } = await judgeChange(base, head, 'helm', all)
  return {
    findings: findings.map(({ status, level, rule, location: { path, region } }) =>
      [status, level, rule, `${path}:${region.startLine}`].join(' '),
    ),
    skipped: inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`),
  }
}

describe('files that git-crypt encrypts', () => {
  const plain: Files = {
    'web/kustomization.yaml': kustomization('resources: [ingress.yaml]'),
    'web/ingress.yaml': withTls,
  }

  test('are left out of the generator that takes variables from them', async () => {
    const head = {
      'web/kustomization.yaml': kustomization(
        'resources: [ingress.yaml, issuer.yaml]',
        'generatorOptions: {disableNameSuffixHash: true}',
        'secretGenerator:',
        '  - {name: token, namespace: web, env: token.txt}',
      ),
      'web/issuer.yaml': issuer,
      'web/token.txt': encrypted([255, 12, 254]),
      'web/ingress.yaml': ingress(''),
    }
    const { findings, skipped } = await judged(plain, head)
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
    expect(skipped).toContain(
      'web/kustomization.yaml: the Kustomization web: it was read without the encrypted file token.txt, because kustomize cannot build it: git-crypt encrypts token.txt',
    )
  })

  test('are left out of the resources', async () => {
    const listing = kustomization('resources: [ingress.yaml, secret.yaml]')
    const base = { ...plain, 'web/kustomization.yaml': listing, 'web/secret.yaml': encrypted([1, 2, 254]) }
    const { findings } = await judged(base, { 'web/ingress.yaml': ingress('') })
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
  })

  test('are not manifests with a control character, which are an error', async () => {
    const { findings } = await judged(plain, {
      'web/kustomization.yaml': kustomization('resources: [ingress.yaml, other.yaml]'),
      'web/other.yaml': 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: "a\u0001"}\n',
    })
    expect(findings).toEqual(['introduced error source/unrendered web/kustomization.yaml:3'])
  })
})
