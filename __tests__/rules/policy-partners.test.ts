import { describe, expect, test } from '@jest/globals'
import { judge, type Texts } from '../harness'

const admits = 'controller-scope/backend-admits'
const ports = 'controller-scope/pod-ports-admitted'

function workload(port: number): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: shop}\nspec:\n  selector: {matchLabels: {app: shop}}\n  template:\n    metadata: {labels: {app: shop}}\n    spec: {containers: [{name: shop, image: "example.com/shop:1", ports: [{containerPort: ${port}}]}]}\n`
}

function service(port: number): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: shop, namespace: shop}\nspec: {selector: {app: shop}, ports: [{port: 80, targetPort: ${port}}]}\n`
}

function ingress(name: string, host: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  ingressClassName: nginx\n  rules: [{host: ${host}, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}]}}]\n`
}

function policy(name: string, spec: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`
}

const closed = policy('default-deny', '{podSelector: {}, policyTypes: [Ingress]}')
const opened = policy('shop', '{podSelector: {matchLabels: {app: shop}}, ingress: [{ports: [{port: 8080}]}]}')

const shop: Texts = {
  'shop/deployment.yaml': workload(8080),
  'shop/service.yaml': service(8080),
  'shop/ingress.yaml': ingress('shop', 'shop.example.com'),
  'edge/class.yaml':
    'apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: nginx}\nspec: {controller: k8s.io/ingress-nginx}\n',
  'edge/controller.yaml':
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: edge, namespace: edge}\nspec:\n  selector: {matchLabels: {app: edge}}\n  template:\n    metadata: {labels: {app: edge}}\n    spec: {containers: [{name: edge, image: "registry.k8s.io/ingress-nginx/controller:v1.11.2", args: [/nginx-ingress-controller]}]}\n',
}

/** The findings of a rule on a change of some files, as `path:line`, and how many files were read for it. */
async function change(rule: string, base: Texts, changed: Texts) {
  const { findings, inspected } = await judge({ base, head: { ...base, ...changed } }, rule)
  const found = findings.filter((one) => one.rule === rule && one.status === 'introduced')
  return { read: inspected.head.sources, found: found.map(({ location }) => location?.path) }
}

describe('the partners of a route that policies may cut off', () => {
  test('are read for a policy that closes its namespace', async () => {
    expect((await change(admits, shop, { 'shop/policy.yaml': closed })).found).toEqual(['shop/policy.yaml'])
  })

  test('are read for a route that is new in a closed namespace', async () => {
    const { 'shop/ingress.yaml': text = '', ...others } = shop
    const base = { ...others, 'shop/policy.yaml': closed }
    expect((await change(admits, base, { 'shop/ingress.yaml': text })).found).toEqual(['shop/ingress.yaml'])
  })

  test('are read for a policy beside the route that changes', async () => {
    const { 'shop/ingress.yaml': _, ...others } = shop
    const both = (host: string) => ({ 'shop/both.yaml': `${closed}---\n${ingress('shop', host)}` })
    const base = { ...others, ...both('shop.example.com') }
    const { read } = await change(admits, base, both('new.example.com'))
    expect(read).toBe(5)
  })

  test('are not read where there is no policy', async () => {
    const files = { 'shop/ingress.yaml': ingress('shop', 'new.example.com') }
    expect(await change(admits, shop, files)).toEqual({ read: 1, found: [] })
  })

  test('are no other routes of the class', async () => {
    const others = Array.from({ length: 5 }, (_, index) => [
      `others/${index}.yaml`,
      ingress(`other-${index}`, `${index}.example.com`).replaceAll('shop', 'cafe'),
    ])
    const base = { ...shop, 'shop/policy.yaml': closed, 'shop/opened.yaml': opened, ...Object.fromEntries(others) }
    const files = { 'shop/ingress.yaml': ingress('shop', 'new.example.com') }
    expect(await change(admits, base, files)).toEqual({ read: 7, found: [] })
  })
})

describe('the policies of Pods', () => {
  const base = { ...shop, 'policies/shop.yaml': opened }

  test('are compared with another port of the Pods', async () => {
    const files = { 'shop/deployment.yaml': workload(9090), 'shop/service.yaml': service(9090) }
    expect((await change(ports, base, files)).found).toEqual(['shop/service.yaml'])
  })

  test('are all read, so that one that opens the port counts', async () => {
    const all = policy('all', '{podSelector: {}, ingress: [{ports: [{port: 9090}]}]}')
    const files = { 'shop/deployment.yaml': workload(9090), 'shop/service.yaml': service(9090) }
    expect((await change(ports, { ...base, 'policies/all.yaml': all }, files)).found).toEqual([])
  })
})
