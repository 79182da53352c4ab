import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { places as allPlaces, tool } from './rendered'
import type { Files } from './repository'

const url = 'https://github.com/acme/platform.git'
const isolated = 'controller-scope/namespace-isolated'
const source = 'controller-scope/status-source'
const unreadable = 'source/unreadable'
const unrendered = 'source/unrendered'

async function judge(base: Files, head: Files, origin = '') {
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const policies = ['ingress-tls@1.0.0', 'controller-scope@1.1.0', 'protected-rbac@1.0.0']
  return checkOpened(opened(base, head, ...(origin ? [origin] : [])), ...tools, '--policy', ...policies)
}

/** The findings of rules: a release whose chart is not here is not judged whole, which is a warning of its own. */
function places(report: Parameters<typeof allPlaces>[0]): string[] {
  return allPlaces(report).filter((place) => !place.endsWith('source/not-judged'))
}

/** An Application of ingress-nginx, its values in files; line 14 names them. */
const application = (
  name: string,
  helm: string,
  destination = 'server: https://kubernetes.default.svc',
  more = url,
) => `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
  namespace: argocd
spec:
  destination: {${destination}, namespace: ${name}}
  sources:
    - repoURL: https://kubernetes.github.io/ingress-nginx
      chart: ingress-nginx
      targetRevision: 4.12.1
      helm:
${helm.replace(/^/gm, '        ')}
    - repoURL: ${more}
      ref: values
`

const scoped = 'controller:\n  scope:\n    enabled: true\n'
const unscoped = 'controller:\n  scope:\n    enabled: false\n'
const own = (name: string) => `valueFiles: [$values/envs/${name}.yaml]`

const two: Files = {
  'apps/one.yaml': application('one', own('one')),
  'apps/two.yaml': application('two', own('two')),
  'envs/one.yaml': scoped,
  'envs/two.yaml': scoped,
}

describe('values of an Application in a file of this repository', () => {
  test('are judged when they change alone', async () => {
    expect(places(await judge(two, { 'envs/two.yaml': unscoped }))).toEqual([`head/envs/two.yaml:3 values ${isolated}`])
  })

  test('are missed where they are taken away', async () => {
    const report = await judge(two, { 'envs/two.yaml': 'controller:\n  replicaCount: 2\n' })
    expect(places(report)).toEqual([`head/envs/two.yaml:1 values ${isolated}`])
    expect(report.findings[0]?.text).toContain('Application argocd/two and Application argocd/one both serve')
  })

  test('are missed where the file becomes empty', async () => {
    expect(places(await judge(two, { 'envs/two.yaml': '# none\n' }))).toEqual([
      `head/envs/two.yaml:1 values ${isolated}`,
    ])
  })

  test('are compared with what the change does not touch', async () => {
    const { 'apps/two.yaml': app, 'envs/two.yaml': _, ...one } = two
    const found = places(await judge(one, { 'apps/two.yaml': app ?? '', 'envs/two.yaml': unscoped }))
    expect(found).toEqual([`head/envs/two.yaml:3 values ${isolated}`])
    const other = await judge({ ...two, 'envs/one.yaml': unscoped, 'apps/two.yaml': null, 'envs/two.yaml': null }, two)
    expect(places(other)).toEqual([])
    const third = await judge(
      { ...one, 'envs/one.yaml': unscoped },
      { 'apps/two.yaml': app ?? '', 'envs/two.yaml': scoped },
    )
    expect(places(third)).toEqual([`head/envs/two.yaml:3 values ${isolated}`])
  })

  test('that do not exist are reported at the entry that names them', async () => {
    const report = await judge(two, { 'envs/two.yaml': null }, url)
    expect(places(report)).toEqual([`head/apps/two.yaml:14 exact ${unrendered}`])
    expect(report.findings[0]?.text).toContain('names $values/envs/two.yaml (envs/two.yaml), but this change removes')
    const { 'envs/two.yaml': _, ...without } = two
    const later = await judge(without, { 'apps/two.yaml': `${two['apps/two.yaml']}# more\n` }, url)
    expect(later.findings.map(({ rule, status }) => [rule, status])).toEqual([[unrendered, 'existing']])
  })

  test('once fixed, they are resolved', async () => {
    const report = await judge({ ...two, 'envs/two.yaml': unscoped }, { 'envs/two.yaml': scoped })
    expect(report.findings.map(({ rule, status }) => [rule, status])).toEqual([[isolated, 'resolved']])
  })

  test('of a load balancer without a source', async () => {
    const off = 'controller:\n  scope: {enabled: true}\n  publishService:\n    enabled: false\n'
    expect(places(await judge(two, { 'envs/two.yaml': off }))).toEqual([`head/envs/two.yaml:4 values ${source}`])
  })

  const layers: [what: string, helm: string, files: Files, head: Files, expected: string[]][] = [
    [
      'a later file over an earlier one',
      'valueFiles: [$values/envs/two.yaml, $values/envs/prod.yaml]',
      { 'envs/prod.yaml': scoped },
      { 'envs/two.yaml': unscoped },
      [],
    ],
    [
      'an earlier file that loses what nothing else says',
      'valueFiles: [$values/envs/two.yaml, $values/envs/prod.yaml]',
      { 'envs/prod.yaml': 'controller:\n  replicaCount: 2\n' },
      { 'envs/two.yaml': 'controller:\n  kind: DaemonSet\n' },
      [`head/envs/two.yaml:1 values ${isolated}`],
    ],
    [
      'an earlier file that loses what the later one lacks',
      'valueFiles: [$values/envs/two.yaml, $values/envs/prod.yaml]',
      { 'envs/prod.yaml': 'controller:\n  replicaCount: 2\n' },
      { 'envs/two.yaml': unscoped },
      [`head/envs/two.yaml:3 values ${isolated}`],
    ],
    [
      'values in the object over those of files',
      'valueFiles: [$values/envs/two.yaml]\nvaluesObject: {controller: {scope: {enabled: true}}}',
      {},
      { 'envs/two.yaml': unscoped },
      [],
    ],
    [
      'a parameter over them',
      'valueFiles: [$values/envs/two.yaml]\nparameters: [{name: controller.scope.enabled, value: "true"}]',
      {},
      { 'envs/two.yaml': unscoped },
      [],
    ],
    [
      'a file of the chart over them, which is not here',
      'valueFiles: [$values/envs/two.yaml, values-prod.yaml]',
      {},
      { 'envs/two.yaml': unscoped },
      [],
    ],
    [
      'a file of the chart below them, which may set the class',
      'valueFiles: [values-prod.yaml, $values/envs/two.yaml]',
      {},
      { 'envs/two.yaml': unscoped },
      [],
    ],
    [
      'a file that may be missing, and is',
      'ignoreMissingValueFiles: true\nvalueFiles: [$values/envs/two.yaml, $values/envs/none.yaml]',
      { 'envs/keep': '' },
      { 'envs/two.yaml': unscoped },
      [`head/envs/two.yaml:3 values ${isolated}`],
    ],
    [
      'files by a pattern, in their order',
      'valueFiles: ["$values/envs/two/*.yaml"]',
      { 'envs/two/a.yaml': scoped },
      { 'envs/two/b.yaml': unscoped },
      [`head/envs/two/b.yaml:3 values ${isolated}`],
    ],
    [
      'arguments of two files, as helm merges maps',
      'valueFiles: [$values/envs/two.yaml, $values/envs/prod.yaml]',
      { 'envs/prod.yaml': 'controller: {extraArgs: {v: "3"}, scope: {enabled: false}}\n' },
      { 'envs/two.yaml': 'controller: {extraArgs: {watch-namespace: two}}\n' },
      [],
    ],
    [
      'a file behind a link',
      'valueFiles: [$values/envs/link.yaml]',
      { 'envs/link.yaml': { link: 'two.yaml' } },
      { 'envs/two.yaml': unscoped },
      [`head/envs/two.yaml:3 values ${isolated}`],
    ],
  ]
  test.each(layers)('%s', async (_, helm, files, head, expected) => {
    const base = { ...two, 'apps/two.yaml': application('two', helm), ...files }
    expect(places(await judge(base, head, url))).toEqual(expected)
  })

  test('of another repository are not known', async () => {
    const base = {
      ...two,
      'apps/two.yaml': application('two', own('two'), undefined, 'https://github.com/acme/values'),
    }
    expect(places(await judge(base, { 'envs/two.yaml': unscoped }, url))).toEqual([])
    expect(places(await judge(two, { 'envs/two.yaml': unscoped }, url))).toEqual([
      `head/envs/two.yaml:3 values ${isolated}`,
    ])
  })

  test.each([
    ['nothing there', 'nothing.yaml', {}],
    ['a folder', 'folder', { 'envs/folder/a.yaml': scoped }],
    ['a link out of the repository', 'out.yaml', { 'envs/out.yaml': { link: '/etc/passwd' } }],
  ] as [string, string, Files][])('%s is an error at what names it', async (_, file, files) => {
    const head = { 'apps/two.yaml': application('two', `valueFiles: [$values/envs/${file}]`), ...files }
    const report = await judge(two, head, url)
    expect(places(report)).toEqual([`head/apps/two.yaml:14 exact ${unrendered}`])
    expect(report.findings[0]?.text).toContain(`names $values/envs/${file} (envs/${file}), but there is no such file`)
  })

  test.each([
    ['a way out of the repository', '../../../../etc/passwd', {}],
    ['a pattern of many wildcards', `${'**/'.repeat(30)}*.yaml`, {}],
  ] as [string, string, Files][])('%s is not known, and no error', async (_, file, files) => {
    const head = { 'apps/two.yaml': application('two', `valueFiles: [$values/envs/${file}]`), ...files }
    expect(places(await judge(two, head, url))).toEqual([])
  })

  test.each([
    ['broken', 'controller:\n  scope: {enabled: false\n', 3],
    ['bytes', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]), 1],
    ['no map', '- controller\n', 1],
    ['far too much', `a: ${'x'.repeat(6 * 1024 * 1024)}\n`, 1],
  ])('%s is an error at the file', async (_, content, line) => {
    const report = await judge(two, { 'envs/two.yaml': content })
    expect(places(report)).toEqual([`head/envs/two.yaml:${line} exact ${unreadable}`])
    expect(report.status).toBe(1)
  })

  test('that could not be read before is no news', async () => {
    const base = { ...two, 'envs/two.yaml': '- controller\n' }
    expect(places(await judge(base, { 'envs/one.yaml': `${scoped}#\n` }))).toEqual([])
  })
})

describe('Applications that are rendered', () => {
  const kustomization = 'kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n'

  test('by a Kustomization', async () => {
    const base = { ...two, 'apps/kustomization.yaml': `${kustomization}resources: [one.yaml, two.yaml]\n` }
    expect(places(await judge(base, { 'envs/two.yaml': unscoped }))).toEqual([
      `head/envs/two.yaml:3 values ${isolated}`,
    ])
  })

  test('by a chart of applications', async () => {
    const [template] = [application('{{ $name }}', 'valueFiles: [$values/envs/{{ $name }}.yaml]')]
    const base = {
      'envs/one.yaml': scoped,
      'envs/two.yaml': scoped,
      'root/Chart.yaml': 'apiVersion: v2\nname: root\nversion: 1.0.0\n',
      'root/values.yaml': 'apps: [one, two]\n',
      'root/templates/apps.yaml': `{{- range $name := .Values.apps }}\n---${template}{{- end }}\n`,
    }
    expect(places(await judge(base, { 'envs/two.yaml': unscoped }))).toEqual([
      `head/envs/two.yaml:3 values ${isolated}`,
    ])
  })
})

const applicationSet = (
  generator: string,
  destination: string,
  name: string,
  files: string,
) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: edge, namespace: argocd}
spec:
  generators:
${generator.replace(/^/gm, '    ')}
  template:
    metadata:
      name: edge-${name}
    spec:
      destination: {${destination}, namespace: "${name}"}
      sources:
        - repoURL: https://kubernetes.github.io/ingress-nginx
          chart: ingress-nginx
          targetRevision: 4.12.1
          helm:
            valueFiles: ['${files}']
        - repoURL: ${url}
          ref: values
`

describe('an ApplicationSet is what it makes', () => {
  const directories = `- git:\n    repoURL: ${url}\n    revision: HEAD\n    directories: [{path: envs/*}]`
  const byFolder = applicationSet(
    directories,
    'server: https://kubernetes.default.svc',
    '{{path.basename}}',
    '$values/{{path}}/values.yaml',
  )
  const set: Files = { 'set.yaml': byFolder, 'envs/one/values.yaml': scoped, 'envs/two/values.yaml': scoped }

  test('of folders, whose values change', async () => {
    const report = await judge(set, { 'envs/two/values.yaml': unscoped })
    expect(places(report)).toEqual([`head/envs/two/values.yaml:3 values ${isolated}`])
    expect(report.findings[0]?.text).toContain('Application argocd/edge-two and Application argocd/edge-one both serve')
  })

  test('of folders, one of them new', async () => {
    expect(places(await judge(set, { 'envs/three/values.yaml': unscoped }))).toEqual([
      `head/envs/three/values.yaml:3 values ${isolated}`,
    ])
    expect(places(await judge(set, { 'envs/three/values.yaml': scoped }))).toEqual([])
  })

  test('of folders, one of them deleted', async () => {
    const report = await judge({ ...set, 'envs/two/values.yaml': unscoped }, { 'envs/two/values.yaml': null })
    expect(report.findings.map(({ rule, status }) => [rule, status])).toEqual([[isolated, 'resolved']])
  })

  const list = (...clusters: string[]) =>
    `- list:\n    elements:\n${clusters.map((one, index) => `      - {cluster: ${one}, team: team-${index}}`).join('\n')}`
  const byList = (...clusters: string[]) =>
    applicationSet(list(...clusters), 'name: "{{cluster}}"', '{{team}}', '$values/envs/{{team}}.yaml')
  const teams = { 'envs/team-0.yaml': scoped, 'envs/team-1.yaml': scoped }

  test('of a list: in one cluster they meet, in two they do not', async () => {
    const head = { 'envs/team-1.yaml': unscoped }
    const [one, apart] = [byList('prod', 'prod'), byList('prod', 'test')]
    expect(places(await judge({ ...teams, 'set.yaml': one }, head))).toEqual([
      `head/envs/team-1.yaml:3 values ${isolated}`,
    ])
    expect(places(await judge({ ...teams, 'set.yaml': apart }, head))).toEqual([])
    expect(places(await judge({ ...teams, ...head, 'set.yaml': apart }, { 'set.yaml': one }))).toEqual([
      `head/envs/team-1.yaml:3 values ${isolated}`,
    ])
  })

  test('a template that cannot be filled in is one Application, as written', async () => {
    const plugin = applicationSet(
      '- plugin: {configMapRef: {name: teams}}',
      'name: "{{name}}"',
      '{{name}}',
      '$values/envs/team-1.yaml',
    )
    expect(allPlaces(await judge({ ...teams, 'set.yaml': plugin }, { 'envs/team-1.yaml': unscoped }))).toEqual([
      'warning head/envs/team-1.yaml:3 exact source/not-judged',
    ])
  })
})
