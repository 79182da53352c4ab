import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import type { Files } from './repository'

const app = ({ labels = '{}', source = 'path: edge', repo = url, name = 'edge' } = {}) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `  labels: ${labels}
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: default
  source: {repoURL: ${repo}, targetRevision: main, ${source}}
  destination: {server: https://kubernetes.default.svc, namespace: ingress-nginx}
  syncPolicy: {automated: {prune: true}}
`,
  )
const shared: Files = {
  'argo/shop.yaml': app({ name: 'shop', source: 'path: shop' }),
  'shop/web.yaml': object(
    'networking.k8s.io/v1',
    'Ingress',
    'web',
    'shop',
    'spec: {ingressClassName: nginx, rules: [{host: shop.example.com}]}\n',
  ),
  'edge/other.yaml': object('v1', 'ConfigMap', 'other', 'ingress-nginx', 'data: {}\n'),
}
const classFile = object(
  'networking.k8s.io/v1',
  'IngressClass',
  'nginx',
  '',
  'spec: {controller: k8s.io/ingress-nginx}\n',
)
const gateways: Files = {
  'argo/shop.yaml': app({ name: 'shop', source: 'path: shop' }),
  'shop/gateway.yaml': object(
    'gateway.networking.k8s.io/v1',
    'Gateway',
    'gateway',
    'shop',
    'spec: {gatewayClassName: edge, listeners: [{name: http, protocol: HTTP, port: 80}]}\n',
  ),
}
const gatewayClass = object(
  'gateway.networking.k8s.io/v1',
  'GatewayClass',
  'edge',
  '',
  'spec: {controllerName: example.com/edge}\n',
)

async function found(base: Files, head: Files): Promise<string[]> {
  const { findings } = await checkOpened(opened(base, head, url), '--policy', 'controller-scope@^1')
  return findings.filter(({ rule }) => rule.endsWith('-kept')).map(({ level, rule }) => `${level} ${rule}`)
}

describe('a class that goes as an Application is edited', () => {
  const base = { ...shared, 'edge/class.yaml': classFile, 'argo/edge.yaml': app() }

  test.each([
    ['by a label', app({ labels: '{team: ingress}' })],
    ['by another spelling of its folder, which is here', app({ source: 'path: ./edge' })],
    ['by a setting of its folder, which is here', app({ source: 'path: edge, directory: {jsonnet: {}}' })],
  ])('%s is lost', async (_, edited) => {
    expect(await found(base, { 'edge/class.yaml': null, 'argo/edge.yaml': edited })).toEqual([
      'error controller-scope/class-kept',
    ])
  })

  test('and leaves it out is lost', async () => {
    const head = { 'argo/edge.yaml': app({ source: 'path: edge, directory: {exclude: class.yaml}' }) }
    expect(await found(base, head)).toEqual(['error controller-scope/class-kept'])
  })

  test('to a folder of another repository may come back', async () => {
    const edited = app({ repo: 'https://github.com/acme/ingress-nginx.git' })
    expect(await found(base, { 'edge/class.yaml': null, 'argo/edge.yaml': edited })).toEqual([
      'warning controller-scope/class-kept',
    ])
  })
})

test('a GatewayClass that goes as an Application gets a label is lost', async () => {
  const others = { ...gateways, 'edge/other.yaml': shared['edge/other.yaml'] ?? '' }
  const base = { ...others, 'edge/class.yaml': gatewayClass, 'argo/edge.yaml': app() }
  const head = { 'edge/class.yaml': null, 'argo/edge.yaml': app({ labels: '{team: gateway}' }) }
  expect(await found(base, head)).toEqual(['error controller-scope/gateway-kept'])
})
