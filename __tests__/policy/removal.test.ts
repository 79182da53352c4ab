import { describe, expect, test } from '@jest/globals'
import { binding, configMap, role, stream } from '../source/objects'
import { change, url } from '../source/probe'
import { places } from '../source/rendered'
import type { Files } from '../source/repository'

const name = 'system:kube-controller-manager'
const kept = 'protected-rbac/object-kept'
const the = role(name)
const bound = binding(name)
const notes = configMap('notes')
const resources = (...all: string[]) => `resources: [${all.join(', ')}]\n`

const application = (path: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: rbac, namespace: argocd}\nspec:\n  destination: {namespace: default}\n  source: {repoURL: "${url}", path: ${path}}\n`
const flux = (kind: string, spec: string) =>
  `apiVersion: ${kind === 'HelmRelease' ? 'helm' : 'kustomize'}.toolkit.fluxcd.io/v2\nkind: ${kind}\nmetadata: {name: rbac, namespace: flux-system}\nspec:\n${spec}`
const helmRelease = flux(
  'HelmRelease',
  '  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: flux-system}}}\n',
)
const fluxKustomization = flux(
  'Kustomization',
  '  path: ./rbac\n  sourceRef: {kind: GitRepository, name: flux-system}\n',
).replace('/v2', '/v1')

const chart: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: rbac\nversion: 1.0.0\n',
  'chart/values.yaml': 'rbac: true\n',
  'chart/templates/role.yaml': `{{- if .Values.rbac }}\n${the}{{- end }}\n`,
  'chart/templates/notes.yaml': notes,
}
const kustomized: Files = {
  'rbac/kustomization.yaml': resources('role.yaml', 'notes.yaml'),
  'rbac/role.yaml': the,
  'rbac/notes.yaml': notes,
}
const plain: Files = { 'rbac.yaml': the, 'notes.yaml': notes }

/** The findings that a change introduces; null deletes a file. */
async function introduced(base: Files, head: Files): Promise<string[]> {
  return places(await change(base, head))
}

describe('a protected object goes', () => {
  test.each<[string, Files, Files, string[]]>([
    ['with its file', plain, { 'rbac.yaml': null }, ['base/rbac.yaml:1 exact']],
    ['with its document', { 'rbac.yaml': stream(notes, the) }, { 'rbac.yaml': notes }, ['base/rbac.yaml:8 exact']],
    ['as its document is emptied', plain, { 'rbac.yaml': '# nothing\n' }, ['base/rbac.yaml:1 exact']],
    ['as its kind is edited', plain, { 'rbac.yaml': the.replace('ClusterRole', 'Role') }, ['base/rbac.yaml:1 exact']],
    ['as its name is edited', plain, { 'rbac.yaml': the.replace(name, 'kcm') }, ['base/rbac.yaml:1 exact']],
    [
      'as a value of its chart is turned off',
      chart,
      { 'chart/values.yaml': 'rbac: false\n' },
      ['head/chart/values.yaml:1 values'],
    ],
    [
      'with its chart',
      { ...chart, 'x.yaml': notes },
      Object.fromEntries(Object.keys(chart).map((file) => [file, null])),
      ['base/chart/Chart.yaml:1 exact'],
    ],
    [
      'as a Kustomization drops it',
      kustomized,
      { 'rbac/kustomization.yaml': resources('notes.yaml') },
      ['head/rbac/kustomization.yaml:1 exact'],
    ],
    [
      'by $patch: delete',
      kustomized,
      {
        'rbac/kustomization.yaml': `${resources('role.yaml', 'notes.yaml')}patches:\n  - patch: |-\n      $patch: delete\n${the.replace(/^/gm, '      ').trimEnd()}\n`,
      },
      ['head/rbac/kustomization.yaml:4 exact'],
    ],
    ['with its HelmRelease', { ...chart, 'rbac.yaml': helmRelease }, { 'rbac.yaml': null }, ['base/rbac.yaml:1 exact']],
    [
      'with its HelmRelease and chart',
      { ...chart, 'rbac.yaml': helmRelease, 'x.yaml': notes },
      Object.fromEntries([...Object.keys(chart), 'rbac.yaml'].map((file) => [file, null])),
      ['base/rbac.yaml:1 exact'],
    ],
    [
      'with its Flux Kustomization',
      { ...kustomized, 'flux.yaml': fluxKustomization },
      { 'flux.yaml': null },
      ['base/flux.yaml:1 exact'],
    ],
    [
      'with its Application of a chart',
      { ...chart, 'app.yaml': application('chart') },
      { 'app.yaml': null },
      ['base/app.yaml:1 exact'],
    ],
    [
      'with its Application of a folder',
      { 'rbac/role.yaml': the, 'app.yaml': application('rbac') },
      { 'app.yaml': null },
      ['base/app.yaml:1 exact'],
    ],
    [
      'with its Application of a Kustomization',
      { ...kustomized, 'app.yaml': application('rbac') },
      { 'app.yaml': null },
      ['base/app.yaml:1 exact'],
    ],
    [
      'from one of two clusters',
      { 'clusters/a/r.yaml': the, 'clusters/b/r.yaml': the },
      { 'clusters/a/r.yaml': null },
      ['base/clusters/a/r.yaml:1 exact'],
    ],
    [
      'from one of two folders taken for clusters',
      { 'a/r.yaml': stream(the, bound, notes), 'b/r.yaml': stream(the, bound, notes) },
      { 'a/r.yaml': stream(bound, notes) },
      ['warning base/a/r.yaml:1 exact'],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(await introduced(base, head)).toEqual(expected.map((place) => `${place} ${kept}`))
  })
})

describe('a protected object stays', () => {
  test.each<[string, Files, Files]>([
    ['as a label is edited', plain, { 'rbac.yaml': role(name, '  labels: {team: platform}\n') }],
    ['in another file', plain, { 'rbac.yaml': null, 'roles/kcm.yaml': the }],
    [
      'in a List',
      plain,
      {
        'rbac.yaml': null,
        'all.yaml': `apiVersion: v1\nkind: List\nitems:\n  - ${the.trimEnd().replaceAll('\n', '\n    ')}\n`,
      },
    ],
    ['in a chart', plain, { 'rbac.yaml': null, ...chart }],
    ['in a Kustomization', plain, { 'rbac.yaml': null, ...kustomized }],
    [
      'in a base of its Kustomization',
      kustomized,
      {
        'rbac/role.yaml': null,
        'rbac/kustomization.yaml': resources('../base', 'notes.yaml'),
        'base/kustomization.yaml': resources('role.yaml'),
        'base/role.yaml': the,
      },
    ],
    ['in a copy of its cluster', { 'a.yaml': the, 'b.yaml': the }, { 'a.yaml': null }],
  ])('%s', async (_, base, head) => {
    expect(await introduced(base, head)).toEqual([])
  })
})

describe('an entry from elsewhere that a Kustomization no longer has', () => {
  const from = (...all: string[]): Files => ({
    'rbac/kustomization.yaml': resources(...all, 'notes.yaml'),
    'rbac/notes.yaml': notes,
  })
  const elsewhere = 'https://example.com/v1.2.0/rbac.yaml'

  test('is a warning, as the removed objects are unknown', async () => {
    expect(await introduced(from(elsewhere), from())).toEqual([
      'warning base/rbac/kustomization.yaml:1 exact source/unrendered',
    ])
  })

  test.each<[string, Files]>([
    ['another version takes its place', from('https://example.com/v1.3.0/rbac.yaml')],
    ['a copy takes its place', { ...from('role.yaml'), 'rbac/role.yaml': the }],
    ['another Kustomization takes it', { ...from(), 'all/kustomization.yaml': resources(`"${elsewhere}"`) }],
  ])('is none when %s', async (_, head) => {
    expect((await introduced(from(elsewhere), head)).filter((place) => place.startsWith('warning'))).toEqual([])
  })
})
