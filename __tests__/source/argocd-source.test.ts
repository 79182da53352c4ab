import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { kustomization } from './kustomize-objects'
import { object, url } from './probe'
import type { Files } from './repository'

const change = (base: Files, head: Files) => checkOpened(opened(base, head, url))

const application = (source: string, { name = 'edge', namespace = 'argocd', spec = '' } = {}) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    namespace,
    `spec:\n  destination: {name: in-cluster, namespace: shop}\n${spec}  source:\n    repoURL: ${url}\n    path: edge\n${source}  project: default\n`,
  )

const role = (verbs = 'list, watch') => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:kube-scheduler
rules:
  - apiGroups: [""]
    resources: [pods]
    verbs: [${verbs}]
`

const map = object('v1', 'ConfigMap', 'notes', 'shop', 'data: {a: b}\n')
const folder: Files = { 'argo/app.yaml': application(''), 'edge/role.yaml': role(), 'edge/notes.yaml': map }
const built: Files = { ...folder, 'edge/kustomization.yaml': kustomization('resources: [role.yaml, notes.yaml]') }
const chart: Files = {
  'argo/app.yaml': application(''),
  'edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
  'edge/values.yaml': 'verbs: list, watch\n',
  'edge/templates/role.yaml': role('{{ .Values.verbs }}'),
  'edge/slim.yaml': 'verbs: list\n',
}
const recursing = '    directory:\n      recurse: true\n'
const kept = (place: string) => `introduced error ${place} protected-rbac/object-kept`
const lost = (place: string) => `introduced error ${place} protected-rbac/permissions-kept`
const unrendered = (place: string) => `introduced error ${place} source/unrendered`

describe('a file that changes the source of an Application is laid over it', () => {
  const withPatch = `kustomize:
  patches:
    - target: {kind: ClusterRole}
      patch: '[{"op": "remove", "path": "/rules/0"}]'
`
  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    ['a patch', built, { 'edge/.argocd-source.yaml': withPatch }, [lost('head/edge/.argocd-source.yaml:3')]],
    [
      'a patch for the Application by its name',
      built,
      { 'edge/.argocd-source-edge.yaml': withPatch },
      [lost('head/edge/.argocd-source-edge.yaml:3')],
    ],
    [
      'a patch for an Application of another namespace',
      { ...built, 'argo/app.yaml': application('', { namespace: 'team-a' }) },
      { 'edge/.argocd-source-team-a_edge.yaml': withPatch },
      [lost('head/edge/.argocd-source-team-a_edge.yaml:3')],
    ],
    ['a patch for another Application', built, { 'edge/.argocd-source-web.yaml': withPatch }, []],
    ['a patch in another folder', built, { '.argocd-source.yaml': withPatch }, []],
    [
      'parameters of a chart',
      chart,
      { 'edge/.argocd-source.yaml': 'helm:\n  parameters:\n    - {name: verbs, value: list}\n' },
      [lost('head/edge/.argocd-source.yaml:3')],
    ],
    [
      'values files of a chart',
      chart,
      { 'edge/.argocd-source-edge.yaml': 'helm:\n  valueFiles: [slim.yaml]\n' },
      [lost('head/edge/.argocd-source-edge.yaml:2')],
    ],
    [
      'values files in place of those of the Application',
      {
        ...chart,
        'argo/app.yaml': application('    helm: {valueFiles: [whole.yaml]}\n'),
        'edge/whole.yaml': 'verbs: list, watch\n',
        'edge/values.yaml': 'verbs: list\n',
      },
      { 'edge/.argocd-source.yaml': 'helm:\n  valueFiles: [slim.yaml]\n' },
      [lost('head/edge/.argocd-source.yaml:2')],
    ],
    [
      'files that a folder leaves out',
      folder,
      { 'edge/.argocd-source.yaml': "directory:\n  exclude: 'role*'\n" },
      [kept('head/edge/.argocd-source.yaml:2')],
    ],
    [
      'null, which takes nothing away',
      { ...chart, 'argo/app.yaml': application('    helm: {parameters: [{name: verbs, value: get}]}\n') },
      { 'edge/.argocd-source.yaml': 'helm:\n  parameters: null\n', 'edge/values.yaml': 'verbs: list\n' },
      [],
    ],
    [
      'a plugin',
      built,
      { 'edge/.argocd-source.yaml': 'plugin:\n  name: render\n' },
      [unrendered('head/edge/.argocd-source.yaml:1')],
    ],
    [
      'a second type',
      { ...built, 'argo/app.yaml': application('    kustomize: {commonLabels: {a: b}}\n') },
      { 'edge/.argocd-source.yaml': 'directory: {}\n' },
      [unrendered('head/edge/.argocd-source.yaml:1')],
    ],
    [
      'text that is no YAML',
      folder,
      { 'edge/.argocd-source.yaml': 'directory: {recurse: true\n' },
      [kept('head/edge/.argocd-source.yaml:1'), unrendered('head/edge/.argocd-source.yaml:2')],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(lines(await change(base, head)).sort()).toEqual(expected)
  })
})

describe('Argo CD takes a folder', () => {
  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    [
      'without a file that says so, in a comment of its second document',
      folder,
      { 'edge/role.yaml': `${map.replace('notes', 'more')}---\n# +argocd:skip-file-rendering\n${role()}` },
      [kept('head/edge/role.yaml:8')],
    ],
    [
      'without a file that says so in a value',
      folder,
      { 'edge/role.yaml': role().replace('rules:', '  labels: {a: "x+argocd:skip-file-rendering"}\nrules:') },
      [kept('head/edge/role.yaml:5')],
    ],
    [
      'with a file that says so and is taken in by a Kustomization',
      built,
      { 'edge/role.yaml': `# +argocd:skip-file-rendering\n${role()}` },
      [],
    ],
    [
      'without folders in it',
      folder,
      { 'edge/role.yaml': null, 'edge/sub/role.yaml': role() },
      [kept('base/edge/role.yaml:1')],
    ],
    [
      'with folders in it where it recurses',
      { ...folder, 'argo/app.yaml': application(recursing) },
      { 'edge/role.yaml': null, 'edge/sub/role.yaml': role() },
      [],
    ],
    [
      'without folders in it any more',
      {
        'argo/app.yaml': application('    directory:\n      recurse: true\n'),
        'edge/sub/role.yaml': role(),
        'edge/notes.yaml': map,
      },
      { 'argo/app.yaml': application('    directory:\n      recurse: false\n') },
      [kept('head/argo/app.yaml:12')],
    ],
    [
      'without a file that a glob leaves out, across folders',
      {
        ...folder,
        'argo/app.yaml': application(recursing),
        'edge/role.yaml': map.replace('notes', 'x'),
        'edge/a/b/role.yaml': role(),
      },
      { 'argo/app.yaml': application("    directory:\n      recurse: true\n      exclude: 'a*role.y?ml'\n") },
      [kept('head/argo/app.yaml:13')],
    ],
    [
      'with nothing where the glob of what it includes is broken',
      folder,
      { 'argo/app.yaml': application("    directory: {include: 'rol[e.yaml'}\n") },
      [kept('head/argo/app.yaml:11')],
    ],
    [
      'with all where the glob of what it leaves out is broken',
      folder,
      { 'argo/app.yaml': application("    directory: {exclude: 'rol[e.yaml'}\n") },
      [],
    ],
    [
      'as it is written where it says directory, although there is a Kustomization',
      built,
      { 'argo/app.yaml': application("    directory: {exclude: '{role,kustomization}.yaml'}\n") },
      [kept('head/argo/app.yaml:11')],
    ],
    [
      'and all of it, where it says so',
      built,
      { 'argo/app.yaml': application('    directory: {include: "*"}\n'), 'edge/role.yaml': role('list') },
      [lost('head/edge/role.yaml:8')],
    ],
    [
      'as a Kustomization, although there is a chart',
      chart,
      {
        'edge/kustomization.yaml': kustomization('resources: [plain.yaml]'),
        'edge/plain.yaml': role('list'),
      },
      [lost('head/edge/plain.yaml:8')],
    ],
    [
      'as a chart where it says helm, although there is a Kustomization',
      { ...chart, 'argo/app.yaml': application('    helm: {releaseName: edge}\n') },
      { 'edge/kustomization.yaml': kustomization('resources: [plain.yaml]'), 'edge/plain.yaml': map },
      [],
    ],
    [
      'not at all where it says helm and there is no chart',
      built,
      { 'argo/app.yaml': application('    helm:\n      releaseName: edge\n') },
      [unrendered('head/argo/app.yaml:11')],
    ],
    [
      'by its files where a block is empty',
      built,
      { 'argo/app.yaml': application('    helm: {}\n    directory: {recurse: false}\n') },
      [],
    ],
    [
      'not at all where it says two types',
      folder,
      { 'argo/app.yaml': application('    directory: {recurse: true}\n    kustomize: {namePrefix: a-}\n') },
      [unrendered('head/argo/app.yaml:11'), kept('head/argo/app.yaml:12')],
    ],
    [
      'not at all where a file has a name that ends like that of a chart',
      folder,
      { 'edge/HelmChart.yaml': map.replace('notes', 'chart') },
      [kept('base/edge/role.yaml:1'), unrendered('head/argo/app.yaml:1')],
    ],
    [
      'of sources, and not of the source beside them',
      built,
      {
        'argo/app.yaml': application('', { spec: `  sources:\n    - {repoURL: ${url}, path: other}\n` }),
        'other/notes.yaml': map,
      },
      [kept('head/argo/app.yaml:9')],
    ],
    [
      'of the source where sources is empty',
      built,
      { 'argo/app.yaml': application('', { spec: '  sources: []\n' }) },
      [],
    ],
    [
      'of the hydrator, and not of the source beside it',
      built,
      {
        'argo/app.yaml': application('', {
          spec: `  sourceHydrator:\n    drySource: {repoURL: ${url}, path: other, targetRevision: HEAD}\n    syncSource: {targetBranch: env, path: edge}\n`,
        }),
        'other/notes.yaml': map,
      },
      [kept('head/argo/app.yaml:9'), 'introduced warning head/argo/app.yaml:10 source/unrendered'],
    ],
    [
      'that it no longer names, when the file moves out of it',
      folder,
      { 'edge/role.yaml': null, 'archive/role.yaml': role() },
      [kept('base/edge/role.yaml:1')],
    ],
    [
      'that another Application names, when the file moves there',
      {
        ...folder,
        'argo/more.yaml': application('', { name: 'more' }).replace('path: edge', 'path: more'),
        'more/notes.yaml': map.replace('notes', 'x'),
      },
      { 'edge/role.yaml': null, 'more/role.yaml': role() },
      [],
    ],
    [
      'of another repository now',
      folder,
      { 'argo/app.yaml': application('').replace(url, 'https://github.com/acme/other') },
      [kept('head/argo/app.yaml:9'), unrendered('head/argo/app.yaml:9')],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(lines(await change(base, head)).sort()).toEqual(expected)
  })
})

describe('a field that cannot be modelled is an error where a change introduces it', () => {
  const ingress = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}}\n'
  const second = {
    'argo/more.yaml': application('', { name: 'more' }).replace('path: edge', 'path: more'),
    'more/notes.yaml': map.replace('notes', 'x'),
  }

  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    [
      'Jsonnet in a folder that was judged',
      folder,
      { 'edge/made.jsonnet': ingress },
      [unrendered('head/edge/made.jsonnet:1')],
    ],
    [
      'Jsonnet of a new Application',
      folder,
      { ...second, 'more/made.jsonnet': ingress },
      [unrendered('head/more/made.jsonnet:1')],
    ],
    [
      'files of any name',
      { ...folder, 'edge/role.txt': role('list') },
      { 'argo/app.yaml': application('    directory:\n      disableExtensionFilter: true\n') },
      // No release of Argo CD has the field yet.
      [unrendered('head/argo/app.yaml:12'), 'introduced warning head/argo/app.yaml:12 ingress-tls/fields-accepted'],
    ],
    [
      'a plugin',
      folder,
      { 'argo/app.yaml': application('    plugin: {name: x}\n') },
      [unrendered('head/argo/app.yaml:11')],
    ],
  ])('%s', async (_, base, head, expected) => {
    const found = lines(await change(base, head)).filter((line) => !line.endsWith('source/not-judged'))
    expect(found.sort()).toEqual(expected)
  })

  test('and is listed where it was there before', async () => {
    const base = { ...folder, 'edge/made.jsonnet': ingress }
    const { findings, inspected } = await change(base, { ...second, 'more/made.jsonnet': ingress })
    expect(findings.filter(({ rule }) => rule === 'source/unrendered')).toEqual([])
    expect(inspected.skipped.map(({ reason }) => reason)).toContain(
      'Application argocd/more: it deploys more/made.jsonnet, and the gate does not run Jsonnet',
    )
  })

  test('with what to do', async () => {
    const [finding] = (await change(folder, { 'edge/made.jsonnet': ingress })).findings
    expect(finding?.text).toBe(
      'Application argocd/edge: it deploys edge/made.jsonnet, and the gate does not run Jsonnet. Its objects are not seen. Evaluate it (`jsonnet FILE.jsonnet > FILE.json`), and commit and deploy the result.',
    )
  })
})

test('a finding about an object without a namespace is at its line, where the Application gives it one', async () => {
  const web = 'selector: {app: web}\n  ports: [{port: 80}]\n'
  const pods = 'metadata: {labels: {app: web}}\n    spec: {containers: [{name: api}]}\n'
  const base = { 'argo/app.yaml': application(''), 'edge/notes.yaml': map }
  const head: Files = {
    ...base,
    'edge/kustomization.yaml': kustomization('resources: [deployment.yaml, service.yaml, ingress.yaml]'),
    'edge/deployment.yaml': object('apps/v1', 'Deployment', 'web', '', `spec:\n  template:\n    ${pods}`),
    'edge/service.yaml': object('v1', 'Service', 'web', '', `spec:\n  ${web}`),
    'edge/ingress.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  defaultBackend:
    service:
      name: api
      port: {number: 80}
`,
  }
  const report = await checkOpened(opened(base, head, url), '--policy', 'controller-scope@1.8.0')
  expect(lines(report)).toEqual(['introduced warning head/edge/ingress.yaml:8 controller-scope/backend-beside'])
})
