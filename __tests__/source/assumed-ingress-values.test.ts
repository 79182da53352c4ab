import { describe, expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const [covered, kept] = ['host-covered', 'tls-kept'].map((rule) => `warning %s ingress-tls/${rule}`)
const [a, b] = ['a.example.com', 'b.example.com']

const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by))
const at = (rule: string | undefined, place: string) => rule?.replace('%s', place)

/** Hosts from line 4 on. */
const values = (hosts: readonly string[], tls: readonly string[]): string =>
  [
    'ingress:',
    '  enabled: true',
    '  hosts:',
    ...hosts.map((host) => `    - host: ${host}`),
    ...(tls.length > 0 ? [`  tls: [{secretName: web-tls, hosts: [${tls.join(', ')}]}]`] : []),
    '',
  ].join('\n')
const [before, after] = [values([a], [a]), values([a, b], [a])]

async function found(base: Files, head: Files): Promise<string[]> {
  return ofRules(await judgeChange({ 'a.md': 'a', ...base }, head, 'helm', ['ingress-tls', 'controller-scope']))
}

/** The account of changed files, which has tests of its own, reports that the chart itself is not seen. */
function ofRules(report: Awaited<ReturnType<typeof judgeChange>>): string[] {
  return places(report).filter((place) => !place.endsWith(' source/not-judged'))
}

const source = 'chart: {spec: {chart: web, version: 1.2.3, sourceRef: {kind: HelmRepository, name: acme}}}'

describe('values of a HelmRelease', () => {
  const built = (more: string): Files => ({ 'apps/kustomization.yaml': `resources: [web.yaml]\n${more}` })
  const release = (more: string): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  ${source}
${more}`
  const inline = (text: string) => release(`  values:\n${indented(text, 4)}`)
  const from = (kind: string) => `  valuesFrom: [{kind: ${kind}, name: web-values}]\n`

  test('that a Kustomization takes in, at the line of its file', async () => {
    const base = { ...built(''), 'apps/web.yaml': inline(before) }
    expect(await found(base, { 'apps/web.yaml': inline(after) })).toEqual([at(covered, 'head/apps/web.yaml:11 exact')])
  })

  test('of a ConfigMap beside it, which a Kustomization makes of a file', async () => {
    const map =
      'configMapGenerator: [{name: web-values, namespace: shop, files: [values.yaml]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n'
    const base = { ...built(map), 'apps/web.yaml': release(from('ConfigMap')), 'apps/values.yaml': before }
    expect(await found(base, { 'apps/values.yaml': after })).toEqual([at(covered, 'head/apps/values.yaml:5 values')])
  })

  test('of a Secret may give TLS where its own say nothing of it', async () => {
    const base = { 'web.yaml': `${inline(before)}${from('Secret')}` }
    expect(await found(base, { 'web.yaml': `${inline(values([a], []))}${from('Secret')}` })).toEqual([])
    expect(await found(base, { 'web.yaml': `${inline(after)}${from('Secret')}` })).toEqual([
      at(covered, 'head/web.yaml:11 values'),
    ])
  })

  test('say nothing where patches of what it renders may change the Ingress', async () => {
    const patches = '  postRenderers: [{kustomize: {patches: [{target: {kind: Ingress}, patch: "[]"}]}}]\n'
    expect(
      await found({ 'web.yaml': `${inline(before)}${patches}` }, { 'web.yaml': `${inline(after)}${patches}` }),
    ).toEqual([])
  })
})

describe('values whose `tls` key is lost', () => {
  const release = (key: string): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  ${source}
  values:
    ingress:
      enabled: true
      hosts:
        - host: a.example.com
${key}        - hosts: [a.example.com]
          secretName: web-tls
`

  test('are still those of an Ingress, which has no TLS then', async () => {
    expect(await found({ 'web.yaml': release('      tls:\n') }, { 'web.yaml': release('') })).toEqual([
      at(kept, 'head/web.yaml:10 values'),
    ])
  })

  test('beside a host with TLS, judge that one alone', async () => {
    const beside = (host: string) =>
      `${release('')}      tls: [{hosts: [a.example.com], secretName: web-tls}]\n`.replace(
        '- host: a.',
        `- host: ${host}.`,
      )
    expect(await found({ 'web.yaml': beside('a') }, { 'web.yaml': beside('b') })).toEqual([
      at(covered, 'head/web.yaml:10 values'),
    ])
  })
})

describe('paths in values of a HelmRelease', () => {
  const release = (annotations: string, paths: string): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  ${source}
  values:
    ingress:
      enabled: true
      className: nginx
      annotations: {${annotations}}
      hosts:
        - host: a.example.com
          paths: ${paths}
`
  const regex = 'nginx.ingress.kubernetes.io/use-regex: "true"'
  const plain = release('', '[{path: /, pathType: Prefix}]')
  const judged = async (annotations: string, paths: string) => {
    const both = [{ 'web.yaml': plain }, { 'web.yaml': release(annotations, paths) }] as const
    const places = await found(...both)
    return places.filter((place) => place.includes('paths-served'))
  }

  test('are judged as those of an Ingress', async () => {
    const warning = ['warning head/web.yaml:13 values controller-scope/paths-served']
    expect(await judged(regex, '[{path: "/api/(v1", pathType: ImplementationSpecific}]')).toEqual(warning)
    expect(await judged(regex, '["/api/(v1"]')).toEqual(warning)
    expect(await judged('', '[{path: /api/*, pathType: ImplementationSpecific}]')).toEqual(warning)
  })

  test('are left alone where they are sound, or in another form', async () => {
    expect(await judged(regex, '[{path: "/api/(v1|v2)", pathType: ImplementationSpecific}]')).toEqual([])
    expect(await judged('', '[{path: /api, pathType: Prefix}, /]')).toEqual([])
    expect(await judged(regex, '{main: "/api/(v1"}')).toEqual([])
    expect(await judged(regex, '[{service: web}, {path: "/api/(v1"}]')).toEqual([])
  })
})

describe('values of an Application', () => {
  const repoURL = 'https://charts.example.com'
  const application = (helm: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  sources:
    - repoURL: ${repoURL}
      chart: web
      targetRevision: 1.2.3
      helm:
${indented(helm, 8)}    - {repoURL: 'https://github.com/acme/platform.git', ref: here}
`

  test('in its text', async () => {
    const text = (inner: string) => application(`values: |\n${indented(inner, 2)}`)
    expect(await found({ 'web.yaml': text(before) }, { 'web.yaml': text(after) })).toEqual([
      at(covered, 'head/web.yaml:16 values'),
    ])
  })

  test('as an object, over those of a file', async () => {
    const both = (inner: string) =>
      application(`valueFiles: [$here/values/web.yaml]\nvaluesObject:\n${indented(inner, 2)}`)
    const base = { 'values/web.yaml': values([b], [a]), 'web.yaml': both(before) }
    expect(await found(base, { 'web.yaml': both(after) })).toEqual([at(covered, 'head/web.yaml:17 values')])
  })

  test('in a file of the repository, at its line', async () => {
    const base = { 'values/web.yaml': before, 'web.yaml': application('valueFiles: [$here/values/web.yaml]\n') }
    expect(await found(base, { 'values/web.yaml': after })).toEqual([at(covered, 'head/values/web.yaml:5 values')])
    expect(await found(base, { 'values/web.yaml': values([a], []) })).toEqual([
      at(kept, 'head/values/web.yaml:4 values'),
    ])
  })

  test('in several files, where the last one counts', async () => {
    const files = 'valueFiles: [$here/values/all.yaml, $here/values/web.yaml]\n'
    const base = {
      'values/all.yaml': 'ingress: {enabled: true, tls: [{hosts: [a.example.com], secretName: web-tls}]}\n',
      'values/web.yaml': values([a], []),
      'web.yaml': application(files),
    }
    expect(await found(base, { 'values/web.yaml': values([a, b], []) })).toEqual([
      at(covered, 'head/values/web.yaml:5 values'),
    ])
    expect(await found(base, { 'values/all.yaml': 'ingress: {enabled: true}\n' })).toEqual([
      at(kept, 'head/values/web.yaml:4 values'),
    ])
  })

  test('as parameters', async () => {
    const parameters = (...pairs: string[]) =>
      application(`parameters:\n${pairs.map((pair) => `  - {name: ${pair}}\n`).join('')}`)
    const own = [
      '"ingress.enabled", value: "true"',
      `"ingress.hosts[0].host", value: ${a}`,
      `"ingress.tls[0].hosts[0]", value: ${a}`,
    ]
    const more = `"ingress.hosts[1].host", value: ${b}`
    expect(await found({ 'web.yaml': parameters(...own) }, { 'web.yaml': parameters(...own, more) })).toEqual([
      at(covered, 'head/web.yaml:15 values'),
    ])
  })

  test('of an ApplicationSet that makes one for each folder of values', async () => {
    const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators: [{list: {elements: [{env: one}, {env: two}]}}]
  template:
    metadata: {name: 'web-{{env}}'}
    spec:
      destination: {namespace: '{{env}}', server: https://kubernetes.default.svc}
      sources:
        - {repoURL: '${repoURL}', chart: web, targetRevision: 1.2.3, helm: {valueFiles: ['$here/values/{{env}}.yaml']}}
        - {repoURL: 'https://github.com/acme/platform.git', ref: here}
`
    const base = { 'set.yaml': set, 'values/one.yaml': before, 'values/two.yaml': before }
    expect(await found(base, { 'values/two.yaml': after })).toEqual([at(covered, 'head/values/two.yaml:5 values')])
  })

  test('of a file that is no YAML are an error, and no Ingress is said to be gone', async () => {
    const base = { 'values/web.yaml': before, 'web.yaml': application('valueFiles: [$here/values/web.yaml]\n') }
    const report = await judgeChange({ 'a.md': 'a', ...base }, { 'values/web.yaml': 'ingress: [\n' })
    expect(ofRules(report)).toEqual(['head/values/web.yaml:2 exact source/unreadable'])
    expect(report.inspected.skipped.map(({ path }) => path)).toContain('values/web.yaml')
  })
})

describe('values of other releases', () => {
  test('a HelmChart of k3s, and the HelmChartConfig over it', async () => {
    const object = (kind: string, spec: string) =>
      `apiVersion: helm.cattle.io/v1\nkind: ${kind}\nmetadata: {name: web, namespace: kube-system}\nspec:\n${indented(spec, 2)}`
    const chart = (text: string) =>
      `${object('HelmChart', `chart: web\nrepo: https://charts.example.com\nvaluesContent: |\n${indented(text, 2)}`)}`
    expect(await found({ 'web.yaml': chart(before) }, { 'web.yaml': chart(after) })).toEqual([
      at(covered, 'head/web.yaml:12 values'),
    ])
    const config = (text: string) => `---\n${object('HelmChartConfig', `valuesContent: |\n${indented(text, 2)}`)}`
    expect(
      await found({ 'web.yaml': chart(before) + config(before) }, { 'web.yaml': chart(before) + config(after) }),
    ).toEqual([at(covered, 'head/web.yaml:23 values')])
  })

  test('a chart that a Kustomization inflates', async () => {
    const kustomization =
      'helmCharts: [{name: web, repo: https://charts.example.com, version: 1.2.3, releaseName: web, valuesFile: values.yaml}]\n'
    const base = { 'web/kustomization.yaml': kustomization, 'web/values.yaml': before }
    expect(await found(base, { 'web/values.yaml': after })).toEqual([at(covered, 'head/web/values.yaml:5 values')])
    const patches = `${kustomization}patches: [{target: {kind: Ingress}, path: tls.yaml}]\n`
    const patch = { 'web/tls.yaml': '[{op: remove, path: /spec/tls/0}]\n' }
    expect(await found({ ...base, ...patch, 'web/kustomization.yaml': patches }, { 'web/values.yaml': after })).toEqual(
      [],
    )
  })
})
