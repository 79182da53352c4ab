import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'

const rules = ['controller-scope/pods-start', 'controller-scope/middleware-kept', 'ingress-tls/secret-kept']
const newest = ['controller-scope@^1', 'ingress-tls@^1']

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: shop, namespace: argocd }
spec:
  source: { repoURL: https://github.com/acme/web, path: shop }
  destination: { server: https://kubernetes.default.svc, namespace: shop }
`
const chart = `apiVersion: v2
name: shop
version: 1.0.0
dependencies: [{ name: app, version: 1.0.0, repository: https://charts.example.com }]
`
const spec = 'spec: { target: { name: shop-keys }, secretStoreRef: { name: vault } }'
const secret = `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: { name: shop-keys }\n${spec}\n`
const middleware =
  'apiVersion: traefik.io/v1alpha1\nkind: Middleware\nmetadata: { name: sign-in }\nspec: { stripPrefix: {} }\n'
const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  namespace: shop
  annotations: { traefik.ingress.kubernetes.io/router.middlewares: shop-sign-in@kubernetescrd }
spec:
  ingressClassName: traefik
  rules: [{ host: shop.example.com }]
`
const values = 'app:\n  env: { KEY: { valueFrom: { secretKeyRef: { name: shop-keys, key: key } } } }\n'
const base = {
  'application.yaml': application,
  'ingress.yaml': ingress,
  'shop/Chart.yaml': chart,
  'shop/templates/secret.yaml': secret,
  'shop/templates/middleware.yaml': middleware,
  'shop/values.yaml': values,
}

/** What is found on the two objects, whose templates are removed, after values are added to those of the dependency. */
async function found(more: string): Promise<string[]> {
  const head = {
    'shop/templates/secret.yaml': null,
    'shop/templates/middleware.yaml': null,
    'shop/values.yaml': values + more,
  }
  const { findings } = await judgeChange(base, head, 'helm', newest)
  return findings
    .filter(({ rule, status }) => status === 'introduced' && rules.includes(rule))
    .map(({ rule, location: { path, region } }) => `${path}:${region.startLine} ${rule}`)
    .sort()
}

const both = [
  'shop/templates/middleware.yaml:1 controller-scope/middleware-kept',
  'shop/templates/secret.yaml:1 controller-scope/pods-start',
]

const ofSecret = `      apiVersion: external-secrets.io/v1\n      kind: ExternalSecret\n      ${spec}\n`
const ofMiddleware = '      apiVersion: traefik.io/v1alpha1\n      kind: Middleware\n      spec: { stripPrefix: {} }\n'
const named = (object: string, name: string) =>
  object.replace('      spec', `      metadata: { name: ${name} }\n      spec`)
const deeper = (object: string) => object.replaceAll('      ', '        ')

describe('an object that moves to the values of a chart that cannot be fetched', () => {
  test.each([
    ['below its name', `  resources:\n    shop-keys:\n${ofSecret}    sign-in:\n${ofMiddleware}`],
    [
      'in an entry with its name',
      `  resources:\n    one:\n      as: shop-keys\n      manifest:\n${deeper(ofSecret)}    two:\n      as: sign-in\n      manifest:\n${deeper(ofMiddleware)}`,
    ],
    ['in a list', `  extraObjects:\n    -\n${named(ofSecret, 'shop-keys')}    -\n${named(ofMiddleware, 'sign-in')}`],
    [
      'in a list of texts',
      `  extraObjects:\n    - |\n${named(ofSecret, 'shop-keys')}    - |\n${named(ofMiddleware, 'sign-in')}`,
    ],
  ])('is not removed: %s', async (_, more) => {
    expect(await found(more)).toEqual([])
  })

  test.each([
    ['no such object', ''],
    ['objects of other names', `  resources:\n    other:\n${named(ofMiddleware, 'other')}`],
    ['one below its name with another one', `  resources:\n    sign-in:\n${named(ofMiddleware, 'other')}`],
    ['one of another kind', `  resources:\n    sign-in:\n${ofMiddleware.replace('Middleware', 'Service')}`],
    ['one in another namespace', `  resources:\n    a:\n${named(ofMiddleware, 'sign-in, namespace: other')}`],
    ['one that is off', `  resources:\n    sign-in:\n      enabled: false\n      manifest:\n${deeper(ofMiddleware)}`],
    ['a reference alone', '  resources: { sign-in: { kind: Middleware, name: sign-in } }\n'],
  ])('but is with %s', async (_, more) => {
    expect(await found(more)).toEqual(both)
  })
})

test('the removal of an object that others rely on stays an error', async () => {
  const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: scaler, namespace: shop }\n'
  const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: scaler }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: [{ kind: ServiceAccount, name: scaler, namespace: shop }]
`
  const before = { ...base, 'binding.yaml': binding, 'shop/templates/account.yaml': account }
  const head = (more: string) => ({ 'shop/templates/account.yaml': null, 'shop/values.yaml': values + more })
  const removals = async (more: string) => {
    const { findings } = await judgeChange(before, head(more), 'helm', ['protected-rbac@^1'])
    return findings.filter(({ rule }) => rule === 'protected-rbac/binding-resolves')
  }
  const rest = '{ apiVersion: v1, kind: ServiceAccount, metadata: { name: scaler } }'
  expect(await removals(`  extraObjects: [${rest}]\n`)).toMatchObject([{ level: 'error' }])
})
