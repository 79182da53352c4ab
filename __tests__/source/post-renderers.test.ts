import { describe, expect, test } from '@jest/globals'
import { change, chart, object, url, whole } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

const source = object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'platform', 'shop', `spec: {url: ${url}}\n`)
const head = `spec:
  interval: 5m
  chart: {spec: {chart: ./charts/edge, sourceRef: {kind: GitRepository, name: platform}}}
`
const release = (more = '') => object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'web', 'shop', `${head}${more}`)
const covered = '  values: {host: covered.example.com}\n'
const base: Files = { ...chart, 'source.yaml': source, 'web.yaml': release(covered) }

const renderers = (...all: readonly string[]) =>
  `  postRenderers:\n${all.map((one) => `    - kustomize:\n${one.replace(/^(?=.)/gm, '        ')}`).join('')}`
const deletesRole = `patches:
  - target: {kind: ClusterRole}
    patch: |
      $patch: delete
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: "system:kube-controller-manager"}
`
const changesTls = `patches:
  - target: {kind: Ingress}
    patch: |
      - {op: replace, path: /spec/tls/0/hosts/0, value: other.example.com}
`
const withHost = (host: string) => `patches:
  - target: {kind: Ingress, name: web}
    patch: |
      - {op: add, path: /spec/rules/-, value: {host: ${host}.example.com}}
`

describe('the postRenderers of a HelmRelease', () => {
  test('take a protected role away: an error at the line that does it', async () => {
    const report = await change(base, { 'web.yaml': release(`${covered}${renderers(deletesRole)}`) })
    expect(places(report)).toEqual(['head/web.yaml:15 exact protected-rbac/object-kept'])
    expect(report.inspected.skipped).toEqual([])
  })

  test('take a host out of TLS, in the forms that older releases of Flux had, too', async () => {
    const older = `patchesJson6902:
  - target: {group: networking.k8s.io, version: v1, kind: Ingress, name: web}
    patch: [{op: replace, path: /spec/tls/0/hosts/0, value: other.example.com}]
`
    const merged = `patchesStrategicMerge:
  - apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata: {name: web}
    spec: {tls: [{hosts: [other.example.com], secretName: covered}]}
`
    for (const one of [changesTls, older, merged]) {
      const { findings } = await change(base, { 'web.yaml': release(`${covered}${renderers(one)}`) })
      expect(findings.map(({ rule, level, status }) => `${status} ${level} ${rule}`)).toEqual([
        'introduced error ingress-tls/host-covered',
      ])
    }
  })

  test('are laid over each other in their order, and are judged with the values', async () => {
    const drops = `patches:\n  - target: {kind: Ingress}\n    patch: |\n      - {op: remove, path: /spec/rules/1}\n`
    const judged = async (...all: readonly string[]) => {
      const { findings } = await whole({ ...base, 'web.yaml': release(`${covered}${renderers(...all)}`) })
      return findings.map(({ rule }) => rule)
    }
    expect(await judged(withHost('a'), drops)).toEqual([])
    expect(await judged(withHost('a'))).toEqual(['ingress-tls/host-covered'])
    expect(await judged(drops, withHost('a'))).toEqual(['source/unrendered'])
  })

  test('that stay leave the lines of templates and values as they are', async () => {
    const same = renderers('images: [{name: registry.k8s.io/ingress-nginx/controller, newTag: v1.12.2}]\n')
    const values = (host: string) => `  values:\n    host: ${host}.example.com\n`
    const report = await change(
      { ...base, 'web.yaml': release(`${values('covered')}${same}`) },
      { 'web.yaml': release(`${values('open')}${same}`) },
    )
    expect(places(report)).toEqual(['head/web.yaml:10 exact ingress-tls/host-covered'])
    expect(report.findings[0]?.related).toMatchObject([{ path: 'charts/edge/templates/ingress.yaml' }])
  })

  test('an object that they change is not lost when its template is edited', async () => {
    const patched = release(`${covered}${renderers(withHost('covered'))}`)
    const ingress = String(chart['charts/edge/templates/ingress.yaml'])
    const report = await change(
      { ...base, 'web.yaml': patched },
      { 'charts/edge/templates/ingress.yaml': ingress.replace('[covered.example.com]', '[other.example.com]') },
    )
    expect(places(report)).toEqual(['head/charts/edge/templates/ingress.yaml:8 template ingress-tls/host-covered'])
  })

  test('do not reach CRDs beside templates, nor hooks where the strategy says so', async () => {
    const crd = object(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'things.example.com',
      '',
      'spec: {group: example.com, names: {kind: Thing, plural: things}, scope: Namespaced, versions: []}\n',
    )
    const hook = object(
      'networking.k8s.io/v1',
      'Ingress',
      'hook',
      '',
      '  annotations: {helm.sh/hook: pre-upgrade}\nspec:\n  tls: [{hosts: [x.example.com]}]\n  rules: [{host: y.example.com}]\n',
    )
    const all = { 'charts/edge/crds/thing.yaml': crd, 'charts/edge/templates/hook.yaml': hook }
    const removesAll =
      'patches: [{target: {kind: Custom.*|Ingress}, patch: "$patch: delete\\nkind: x\\nmetadata: {name: x}"}]\n'
    const judged = async (strategy: string) => {
      const files = { ...base, ...all, 'web.yaml': release(`${covered}${renderers(removesAll)}${strategy}`) }
      const { inspected, findings } = await whole(files)
      return [inspected.head.manifests, findings.length]
    }
    // The role and the CRD; the hook as well, with its finding.
    expect(await judged('')).toEqual([4, 0])
    expect(await judged('  postRenderStrategy: nohooks\n')).toEqual([5, 1])
  })
})

describe('postRenderers that cannot be run', () => {
  const cases: [what: string, renderer: string, reason: RegExp][] = [
    [
      'a patch of an object that is not there',
      renderers(changesTls.replace('/spec/tls/0', '/spec/no')),
      /ustomize cannot run its postRenderers: .*\/spec\/no/,
    ],
    ['a form that is not known', '  postRenderers: [{celery: {patches: []}}]\n', /have `celery`/],
    ['a field that is not known', renderers('namePrefix: x-\n'), /have `namePrefix`/],
  ]
  test.each(cases)('are an error where a change introduces %s', async (_, renderer, reason) => {
    const report = await change(base, { 'web.yaml': release(`${covered}${renderer}`) })
    expect(places(report)).toEqual(['head/web.yaml:10 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(reason)
  })

  test.each(cases)('are listed where %s was there before, and the rest is judged', async (_, renderer, reason) => {
    const role = String(chart['charts/edge/templates/role.yaml'])
    const report = await change(
      { ...base, 'web.yaml': release(`${covered}${renderer}`) },
      { 'charts/edge/templates/role.yaml': role.replace('.Values.bootstrap', '.Values.other') },
    )
    expect(report.findings.map(({ rule, status }) => `${status} ${rule}`)).toEqual([
      'introduced protected-rbac/object-kept',
      'existing source/unrendered',
    ])
    expect(report.inspected.skipped.map((entry) => entry.reason).join()).toMatch(
      /was read without its postRenderers, because/,
    )
    expect(report.inspected.skipped.map((entry) => entry.reason).join()).toMatch(reason)
  })
})
