import { describe, expect, test } from '@jest/globals'
import { change, chart, whole } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

/** A helmfile of one release of the probe's chart, which has an Ingress and a protected role. */
const release = (fields = '') => `releases:
  - name: web
    namespace: shop
    chart: ./charts/edge
    values: [{host: covered.example.com}]
${fields.replace(/^(?=.)/gm, '    ')}`
const base: Files = { ...chart, 'helmfile.yaml': release() }
const role =
  'apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:kube-controller-manager"}'
const object = `{${role}, rules: []}\n`
const deletesRole = `{${role}, $patch: delete}`
const otherTls = '[{op: replace, path: /spec/tls/0/hosts/0, value: other.example.com}]'
const kept = 'protected-rbac/object-kept'
const covered = 'ingress-tls/host-covered'

describe('what a release of a helmfile changes in its chart', () => {
  const cases: [what: string, fields: string, found: string][] = [
    ['a strategic merge patch', `strategicMergePatches:\n  - ${deletesRole}\n`, `:7 exact ${kept}`],
    [
      'a JSON patch',
      `jsonPatches:\n  - target: {kind: Ingress, name: web}\n    patch: ${otherTls}\n`,
      `:8 exact ${covered}`,
    ],
    [
      'a transformer',
      `transformers:\n  - {apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}, target: {kind: ClusterRole}, patch: '${deletesRole}'}\n`,
      `:7 exact ${kept}`,
    ],
  ]
  test.each(cases)('is judged at its line: %s', async (_, fields, found) => {
    const report = await change(base, { 'helmfile.yaml': release(fields) })
    expect(places(report)).toEqual([`head/helmfile.yaml${found}`])
    expect(report.inspected.skipped).toEqual([])
  })

  test('is judged in a file of its own, which is no manifest', async () => {
    const patched = { ...base, 'helmfile.yaml': release('strategicMergePatches: [patch.yaml]\n') }
    const patch = (hosts: string) =>
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  tls:\n    - hosts: [${hosts}]\n      secretName: covered\n`
    const report = await change(
      { ...patched, 'patch.yaml': patch('covered.example.com') },
      { 'patch.yaml': patch('other.example.com') },
    )
    expect(places(report)).toEqual([`head/patch.yaml:6 exact ${covered}`])
  })

  test('is judged where a template is filled in', async () => {
    const filled = (patches: string) =>
      `environments: {prod: {values: [{host: covered.example.com}]}}\n---\nreleases:\n  - name: web\n    namespace: shop\n    chart: ./charts/edge\n    values: [{host: {{ .Values.host }}}]\n${patches}`
    const report = await change(
      { ...chart, 'helmfile.yaml.gotmpl': filled('') },
      { 'helmfile.yaml.gotmpl': filled(`    strategicMergePatches: [${deletesRole}]\n`) },
    )
    expect(places(report)).toEqual([`head/helmfile.yaml.gotmpl:8 exact ${kept}`])
  })

  test('a namespace that it forces is that of objects without one, and no other', async () => {
    const ingress = String(chart['charts/edge/templates/ingress.yaml'])
    const placed = ingress.replace('name: {{ .Release.Name }}', 'name: placed\n  namespace: own')
    const files = { ...base, 'charts/edge/templates/placed.yaml': placed }
    const open = (text: string) => text.replace('covered.example.com', 'open.example.com')
    const { findings } = await whole({ ...files, 'helmfile.yaml': open(release('forceNamespace: other\n')) })
    expect(findings.map(({ object }) => `${object?.namespace}/${object?.name}`).sort()).toEqual([
      'other/web',
      'own/placed',
    ])
  })

  test('is an error where the change lets kustomize fail', async () => {
    const fields = `strategicMergePatches:\n  - ${deletesRole.replace('controller', 'no')}\n`
    const report = await change(base, { 'helmfile.yaml': release(fields) })
    expect(places(report)).toEqual(['head/helmfile.yaml:6 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(
      /^Kustomize cannot run its strategicMergePatches: .*no.*; so helmfile does not upgrade the release of charts\/edge either/,
    )
  })

  test('of a Kustomization is listed', async () => {
    const files = { 'k/kustomization.yaml': 'resources: [role.yaml]\n', 'k/role.yaml': object }
    const fields = `strategicMergePatches:\n  - ${deletesRole}\n`
    const of = (text: string) => text.replace('./charts/edge', './k')
    const report = await change({ ...files, 'helmfile.yaml': of(release()) }, { 'helmfile.yaml': of(release(fields)) })
    expect(report.findings.map(({ rule, text }) => [rule, text])).toEqual([
      ['source/not-judged', expect.stringMatching('the release web is rendered without its strategicMergePatches')],
    ])
  })

  const unread: [field: string, written: string][] = [
    ['strategicMergePatches', 'strategicMergePatches: [patch.yaml.gotmpl]'],
    ['jsonPatches', 'jsonPatches: [{target: {kind: Ingress}, path: patch.yaml}]'],
    ['transformers', 'transformers: [{apiVersion: builtin, kind: PatchTransformer, path: /etc/passwd}]'],
    ['forceNamespace', 'forceNamespace: "{{ .Environment.Name }}"'],
    ['postRenderer', 'postRenderer: ./render.sh'],
  ]
  test.each(unread)('is listed where only helmfile knows it: %s', async (field, written) => {
    const report = await change(base, { 'helmfile.yaml': release(`${written}\n`) })
    expect(report.findings.map(({ rule, text }) => [rule, text])).toEqual([
      [
        'source/not-judged',
        expect.stringMatching(`^This change is not judged: the release web is rendered without its ${field}\\.`),
      ],
    ])
  })
})
