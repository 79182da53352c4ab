import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import type { Files } from './repository'

const policies = ['controller-scope@1.7.0', 'ingress-tls@1.7.0'].flatMap((policy) => ['--policy', policy])

/** Each introduced finding, with its place and its text. */
async function judge(base: Files, head: Files): Promise<string[]> {
  const { findings } = await checkOpened(opened(base, head, url), ...policies)
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ rule, level, text, location: { path, region } }) => `${level} ${path}:${region.startLine} ${rule}: ${text}`)
}

const application = (name: string, folder: string, namespace: string) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `spec:\n  destination: {server: https://kubernetes.default.svc, namespace: ${namespace}}\n  source: {repoURL: ${url}, path: ${folder}}\n`,
  )

const service = object('v1', 'Service', 'web', '', 'spec:\n  selector: {app: web}\n  ports: [{port: 9090}]\n')

/** The port that it names is in line 10. */
const ingress = (port: number, more = '') =>
  object(
    'networking.k8s.io/v1',
    'Ingress',
    'edge',
    '',
    `${more}spec:
  rules:
    - host: web.example.com
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: web, port: {number: ${port}}}}}
`,
  )

const apps = (own: string, other: string): Files => ({
  'argo/edge.yaml': application('edge', 'apps/edge', own),
  'argo/web.yaml': application('web', 'apps/web', other),
  'apps/web/service.yaml': service,
  'apps/edge/ingress.yaml': ingress(9090),
})

const broken =
  'warning apps/edge/ingress.yaml:10 controller-scope/backend-resolves: Ingress shop/edge sends requests to the port 80 of Service shop/web, which has only 9090, so they fail. Name a port that the Service has, or add this one to it.'

describe('an object of a plain file that names no namespace is in that of its Application', () => {
  test.each<[what: string, base: Files, expected: string[]]>([
    ['so a Service of another Application is found', apps('shop', 'shop'), [broken]],
    ['so a Service of another namespace is none of it', apps('shop', 'store'), []],
    [
      'unless another Application takes the file into another namespace',
      { ...apps('shop', 'shop'), 'argo/more.yaml': application('more', 'apps/edge', 'store') },
      [],
    ],
  ])('%s', async (_, base, expected) => {
    expect(await judge(base, { 'apps/edge/ingress.yaml': ingress(80) })).toEqual(expected)
  })

  test('and remains the same object when it names that namespace', async () => {
    const named = ingress(9090).replace('name: edge', 'name: edge\n  namespace: shop')
    expect(await judge(apps('shop', 'shop'), { 'apps/edge/ingress.yaml': named })).toEqual([])
  })
})

describe('an object that is removed from a plain file of an Application', () => {
  const role = (kind: string, name: string) => object('rbac.authorization.k8s.io/v1', kind, name, '', 'rules: []\n')

  test.each([
    ['Role', 'system::leader-locking-kube-scheduler', 'kube-system'],
    ['ClusterRole', 'system:kube-controller-manager', ''],
  ])('%s is put back as it was written', async (kind, name, namespace) => {
    const kept = object('v1', 'ConfigMap', 'kept', '', 'data: {a: b}\n')
    const base = {
      'argo/system.yaml': application('system', 'system', 'kube-system'),
      'system/all.yaml': `${kept}---\n${role(kind, name)}`,
    }
    const { findings } = await checkOpened(
      opened(base, { 'system/all.yaml': kept }, url),
      '--policy',
      'protected-rbac@1.0.0',
    )
    expect(findings.map(({ rule, object: of, fix }) => [rule, of?.namespace, fix?.edits[0]?.newText])).toEqual([
      ['protected-rbac/object-kept', namespace, `---\n${role(kind, name)}`],
    ])
  })
})

describe('an object is not removed when its Application is new or goes', () => {
  const secret = (interval: string) =>
    object(
      'external-secrets.io/v1',
      'ExternalSecret',
      'tls',
      '',
      `spec: {refreshInterval: ${interval}, data: [{secretKey: tls.crt}, {secretKey: tls.key}]}\n`,
    )
  const user = object(
    'networking.k8s.io/v1',
    'Ingress',
    'user',
    'shop',
    'spec:\n  tls:\n    - {hosts: [web.example.com], secretName: tls}\n  rules:\n    - host: web.example.com\n',
  )
  const files = { 'apps/edge/secret.yaml': secret('1h'), 'apps/edge/user.yaml': user }
  const app = { 'argo/edge.yaml': application('edge', 'apps/edge', 'shop') }

  test.each<[what: string, base: Files, head: Files]>([
    ['a new Application', files, { ...app, 'apps/edge/secret.yaml': secret('2h') }],
    [
      'an Application that goes',
      { ...files, ...app },
      { 'argo/edge.yaml': null, 'apps/edge/secret.yaml': secret('2h') },
    ],
    [
      'a file that moves into the folder of an Application',
      { ...app, 'old/secret.yaml': secret('1h'), 'apps/edge/user.yaml': user },
      { 'old/secret.yaml': null, 'apps/edge/secret.yaml': secret('2h') },
    ],
  ])('%s', async (_, base, head) => {
    expect(await judge(base, head)).toEqual([])
  })

  test('but it is when its file goes, or leaves the folder of the Application', async () => {
    const base = { ...files, ...app }
    const removed =
      'error apps/edge/secret.yaml:1 ingress-tls/secret-kept: This change removes ExternalSecret shop/tls, and nothing else provides the Secret shop/tls, which Ingress shop/user uses for TLS. Keep it, or change Ingress shop/user to another Secret first.'
    expect(await judge(base, { 'apps/edge/secret.yaml': null })).toEqual([removed])
    expect(await judge(base, { 'apps/edge/secret.yaml': null, 'other/secret.yaml': secret('2h') })).toEqual([
      `${removed} It remains only in other/secret.yaml, which nothing deploys.`,
    ])
  })
})
