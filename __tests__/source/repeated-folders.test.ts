import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const service =
  'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: web}\n  ports: [{name: http, port: 80}]\n'

const ingress =
  'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules: [{host: web.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]\n'

const shop = 'namespace: shop\n'

/** Kustomizations of the same objects, by their folders and further fields. */
function home(more: Readonly<Record<string, string>>): Files {
  const folders = Object.entries(more).map(([name, text]): [string, string] => [
    `web/${name}/kustomization.yaml`,
    `resources: [service.yaml, ../../bases/web]\n${text}`,
  ])
  return {
    ...Object.fromEntries(folders),
    ...Object.fromEntries(Object.keys(more).map((name) => [`web/${name}/service.yaml`, service])),
    'bases/web/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'bases/web/ingress.yaml': ingress,
    'shared/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'shared/ingress.yaml': ingress.replace('name: web}', 'name: shared, namespace: shop}'),
  }
}

async function judged(base: Files) {
  const head = { 'web/east/service.yaml': service.replace('port: 80', 'port: 81') }
  const report = await judgeChange(base, head, 'helm', ['controller-scope@1.13.0'])
  return {
    rendered: report.inspected.head.rendered,
    lines: lines(report).filter((line) => line.startsWith('introduced')),
    clusters: [...new Set(report.findings.map(({ cluster }) => cluster))],
  }
}

const resolves = 'introduced warning head/web/east/service.yaml:6 controller-scope/backend-resolves'

test('of folders that repeat each other, those that the change does not touch are not rendered', async () => {
  expect(await judged(home({ east: shop, west: shop, north: shop }))).toEqual({
    rendered: 1,
    lines: [resolves],
    clusters: ['web/east'],
  })
})

test('a folder that repeats no other is compared with what names its objects', async () => {
  expect(await judged(home({ east: shop }))).toEqual({ rendered: 2, lines: [resolves], clusters: [''] })
})

test.each<[what: string, west: string, clusters: string[]]>([
  ['a prefix', `${shop}namePrefix: west-\n`, ['']],
  ['another namespace', 'namespace: other\n', ['']],
  ['a component that gives a namespace', 'components: [../../bases/other]\n', ['']],
  [
    // Both Services are in one cluster, so the other one has the port.
    'a patch of names',
    `${shop}patches: [{target: {kind: Ingress}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "west"}]'}]\n`,
    [],
  ],
])('a folder with %s repeats no other', async (_, west, clusters) => {
  const component = {
    'bases/other/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: other\n',
  }
  expect(await judged({ ...home({ east: shop, west }), ...component })).toMatchObject({ rendered: 3, clusters })
})
