import { describe, expect, test } from '@jest/globals'
import { ingress, kept, kustomization, name, shared } from './kustomize-objects'
import { role } from './objects'
import { judgeChange, places } from './rendered'

describe('a Kustomization that cannot be built', () => {
  test('is an error at the entry that is to blame', async () => {
    const report = await judgeChange(shared, {
      'base/kustomization.yaml': kustomization('resources:', '  - role.yaml', '  - gone.yaml', '  - ingress.yaml'),
    })
    expect(places(report)).toEqual(['head/base/kustomization.yaml:5 exact source/unrendered'])
    expect(report.findings[0]?.text).toContain('gone.yaml')
    expect(report.findings[0]?.text).toContain(`It is unknown whether this change keeps ClusterRole ${name}`)
  })

  test('says that two files have one object, and not that a file is no folder', async () => {
    const report = await judgeChange(shared, {
      'base/copy.yaml': role(name),
      'base/kustomization.yaml': kustomization('resources:', '  - role.yaml', '  - copy.yaml', '  - ingress.yaml'),
    })
    expect(places(report)).toEqual(['head/base/kustomization.yaml:5 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(
      /^Kustomize cannot build it: merging resources from 'copy\.yaml': may not add resource with an already registered id: [^']*\. It is unknown whether this change keeps /,
    )
  })

  test('is said without the addresses of memory that Go prints, which differ in every run', async () => {
    const generators = ['configMapGenerator:', '  - {name: c, literals: [a=b]}', '  - {name: c, literals: [a=c]}']
    const report = await judgeChange(shared, { 'base/kustomization.yaml': kustomization(...generators) })
    expect(report.findings[0]?.text).toContain('merging from generator &{… <nil>}: id resid.ResId{')
  })

  const elsewhere = (ref: string, ...more: string[]) =>
    kustomization('resources:', '  - ../../base', `  - https://github.com/example/base//deploy?ref=${ref}`, ...more)

  test('a base elsewhere is refused where it is named', async () => {
    const report = await judgeChange(shared, { 'overlays/prod/kustomization.yaml': elsewhere('v1') })
    expect(places(report)).toEqual(['head/overlays/prod/kustomization.yaml:5 exact source/unrendered'])
    expect(report.findings[0]?.text).toBe(
      'It uses https://github.com/example/base//deploy?ref=v1, which is not in this repository; copy it into this repository and name the copy.',
    )
  })

  test('a base elsewhere that the base takes in already is listed, and the rest is judged', async () => {
    const base = { ...shared, 'overlays/prod/kustomization.yaml': elsewhere('v1') }
    const report = await judgeChange(base, { 'overlays/prod/kustomization.yaml': elsewhere('v2') })
    expect(places(report)).toEqual(['notice head/overlays/prod/kustomization.yaml:5 exact source/not-judged'])
    expect(report.inspected.skipped).toEqual([
      {
        path: 'overlays/prod/kustomization.yaml',
        reason: 'it uses https://github.com/example/base//deploy?ref=v2, which is not in this repository',
      },
    ])
    const dropped = elsewhere('v2', 'patches:', '  - path: gone.yaml')
    const removal = {
      'overlays/prod/kustomization.yaml': dropped,
      'overlays/prod/gone.yaml': `${role(name)}$patch: delete\n`,
    }
    expect(places(await judgeChange(base, removal))).toEqual([
      `head/overlays/prod/gone.yaml:5 exact ${kept}`,
      'notice head/overlays/prod/kustomization.yaml:5 exact source/not-judged',
    ])
  })
})

describe('a change that changes no deployed object raises nothing', () => {
  test('a file beside it that no Kustomization names, except that it was forgotten there', async () => {
    expect(places(await judgeChange(shared, { 'base/notes.yaml': role('system:other') }))).toEqual([
      'warning head/base/notes.yaml:1 exact source/not-listed',
    ])
  })

  test('a role that moves into the base of its overlays', async () => {
    const { 'base/role.yaml': own, ...others } = shared
    const before = {
      ...others,
      'base/kustomization.yaml': kustomization('resources:', '  - binding.yaml', '  - ingress.yaml'),
      'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base', '  - role.yaml'),
      'overlays/prod/role.yaml': own,
    }
    const report = await judgeChange(before, { ...shared, 'overlays/prod/role.yaml': null })
    expect(places(report)).toEqual([])
  })

  test('plain files that a new Kustomization takes in', async () => {
    const report = await judgeChange(
      { 'app/role.yaml': role(name), 'app/web.yaml': ingress('a.example.com') },
      { 'app/kustomization.yaml': kustomization('resources: [role.yaml, web.yaml]') },
    )
    expect(places(report)).toEqual([])
  })
})

test.each([
  ['helmCharts', { 'app/kustomization.yaml': kustomization('helmCharts:', '  - {name: web, releaseName: web}') }],
  [
    'a generator',
    {
      'app/kustomization.yaml': kustomization('generators: [web.yaml]'),
      'app/web.yaml':
        'apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: web}\nname: web\nreleaseName: web\n',
    },
  ],
])('a vendored chart that %s inflates', async (_, files) => {
  const base = {
    ...files,
    'app/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'app/charts/web/values.yaml': 'rbac: true\n',
    'app/charts/web/templates/role.yaml': `{{- if .Values.rbac }}\n${role(name)}{{- end }}\n`,
    'app/charts/web/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n',
  }
  const report = await judgeChange(base, { 'app/charts/web/values.yaml': 'rbac: false\n' })
  expect(places(report)).toEqual([`head/app/charts/web/values.yaml:1 values ${kept}`])
})

test('a chart beside its Kustomization is found there, though YAML might take the dot for a number', async () => {
  const base = {
    'app/kustomization.yaml': kustomization(
      'helmGlobals: {chartHome: .}',
      'helmCharts: [{name: web, releaseName: web}]',
    ),
    'app/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'app/web/values.yaml': 'rbac: true\n',
    'app/web/templates/role.yaml': `{{- if .Values.rbac }}\n${role(name)}{{- end }}\n`,
  }
  const report = await judgeChange(base, { 'app/web/values.yaml': 'rbac: false\n' })
  expect(places(report)).toEqual([`head/app/web/values.yaml:1 values ${kept}`])
})

test('data of a ConfigMap from elsewhere are left out and listed, and the rest is judged', async () => {
  const url = 'https://example.com/dashboards/web.json'
  const app = (...resources: string[]) =>
    kustomization(
      `resources: [${resources}]`,
      'configMapGenerator:',
      '  - name: dashboard',
      `    files: [web.json=${url}, own.txt]`,
    )
  const base = { 'app/kustomization.yaml': app('role.yaml'), 'app/role.yaml': role(name), 'app/own.txt': 'own' }
  const report = await judgeChange(base, {
    'app/kustomization.yaml': app('web.yaml'),
    'app/web.yaml': ingress('a.example.com'),
  })
  expect(places(report)).toEqual([`head/app/kustomization.yaml:3 exact ${kept}`])
  expect(report.inspected.skipped).toContainEqual({
    path: 'app/kustomization.yaml',
    reason: `it uses web.json=${url}, which is not in this repository`,
  })
})

test('a text that is no YAML is reported in the words of kustomize', async () => {
  const base = { 'app/kustomization.yaml': kustomization('resources: [role.yaml]'), 'app/role.yaml': role('web') }
  const broken = kustomization(
    'configMapGenerator: [{name: a, files: [a=https://example.com/a]}',
    'resources: [role.yaml]',
  )
  const report = await judgeChange(base, { 'app/kustomization.yaml': broken })
  expect(report.findings.map(({ rule, level }) => [rule, level])).toEqual([['source/unrendered', 'error']])
  expect(report.findings[0]?.location.path).toBe('app/kustomization.yaml')
})

test('an entry that fails is named, among others of the same text', async () => {
  const folder = (place: string) => ({
    [`app/${place}/kustomization.yaml`]: kustomization('resources:', '  - map.yaml', '  - secret.yaml'),
    [`app/${place}/map.yaml`]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${place}}\n`,
    [`app/${place}/secret.yaml`]: `apiVersion: v1\nkind: Secret\nmetadata: {name: ${place}}\n`,
  })
  const base = { 'app/kustomization.yaml': kustomization('resources: [a, b]'), ...folder('a'), ...folder('b') }
  const report = await judgeChange(base, { 'app/b/secret.yaml': null })
  expect(places(report)).toEqual(['head/app/b/kustomization.yaml:5 exact source/unrendered'])
})

test('a chart from elsewhere that a generator inflates is left out, and listed', async () => {
  const generator = (version: string) =>
    `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: web}\nname: web\nreleaseName: web\nrepo: oci://registry.example.com/charts\nversion: ${version}\n`
  const base = { 'app/kustomization.yaml': kustomization('generators: [web.yaml]'), 'app/web.yaml': generator('1.0.0') }
  const report = await judgeChange(base, { 'app/web.yaml': generator('1.1.0') })
  expect(places(report)).toEqual(['notice head/app/web.yaml:7 exact source/not-judged'])
  expect(report.inspected.skipped).toEqual([
    { path: 'app/web.yaml', reason: 'the chart web of oci://registry.example.com/charts is not in this repository' },
  ])
})

describe('a file of settings that a generator puts into a ConfigMap', () => {
  const controller = (team: string) =>
    [
      'apiVersion: apps/v1',
      'kind: Deployment',
      'metadata: { name: traefik }',
      'spec:',
      '  template:',
      '    spec:',
      '      containers:',
      '        - name: traefik',
      '          image: docker.io/traefik:v3.7.9',
      '          volumeMounts: [{ name: config, mountPath: /etc/traefik }]',
      `      volumes: [{ name: config, configMap: { name: edge-${team} } }]`,
      '',
    ].join('\n')
  const settings = (port: number, ...namespaces: string[]) =>
    [
      'entryPoints:',
      `  web: { address: ":${port}" }`,
      'providers:',
      '  kubernetesIngress:',
      '    namespaces:',
      ...namespaces.map((name) => `      - ${name}`),
      '',
    ].join('\n')
  const team = (name: string, text: string) => ({
    [`clusters/prod/${name}/kustomization.yaml`]: kustomization(
      `namespace: ${name}`,
      'resources: [controller.yaml]',
      `configMapGenerator: [{ name: edge-${name}, files: [traefik.yml] }]`,
    ),
    [`clusters/prod/${name}/controller.yaml`]: controller(name),
    [`clusters/prod/${name}/traefik.yml`]: text,
  })
  const newest = ['controller-scope@1.1.0']

  test('is read, and is the place of the finding', async () => {
    const base = { ...team('a', settings(80, 'a')), ...team('b', settings(80, 'b')) }
    const head = { 'clusters/prod/b/traefik.yml': settings(80, 'a', 'b') }
    const report = await judgeChange(base, head, 'helm', newest)
    expect(places(report)).toEqual(['head/clusters/prod/b/traefik.yml:6 exact controller-scope/namespace-isolated'])
  })

  test('gives it another name, and an older finding stays existing', async () => {
    const base = { ...team('a', settings(80, 'a')), ...team('b', settings(80, 'a', 'b')) }
    const head = { 'clusters/prod/b/traefik.yml': settings(8080, 'a', 'b') }
    const { findings } = await judgeChange(base, head, 'helm', newest)
    expect(findings.map(({ status, rule }) => `${status} ${rule}`)).toEqual([
      'existing controller-scope/namespace-isolated',
    ])
  })
})
