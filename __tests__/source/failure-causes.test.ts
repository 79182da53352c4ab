import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const chart = (failing: string, file = 'web.yaml'): Files => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'release.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  source: {repoURL: https://github.com/acme/web, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
`,
  [`web/templates/${file}`]: `{{ fail "${failing}" }}\n`,
})

/** `introduced web/templates/web.yaml`, and the keys, of sources that are not rendered. */
async function unrendered(base: Files, head: Files) {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/unrendered')
    .map(({ status, keys, fingerprint, text }) => ({ status, keys, fingerprint, text }))
}

describe('a failure is known by its cause and place, not by its words', () => {
  const keys = ['web/templates/web.yaml', 'tool-failed']

  test('the same cause in other words is no new failure', async () => {
    const [before] = await unrendered({ 'notes.txt': 'x' }, chart('Needs portal 1.4.0.'))
    const [after, ...more] = await unrendered(chart('Needs portal 1.4.0.'), chart('Needs portal 1.5.0.'))
    expect(before).toMatchObject({ status: 'introduced', keys })
    expect(after).toMatchObject({ status: 'existing', keys, text: expect.stringContaining('Needs portal 1.5.0') })
    expect(after?.fingerprint).toBe(before?.fingerprint)
    expect(more).toEqual([])
  })

  test('the same cause at another place is a new failure', async () => {
    const head = { ...chart('Needs portal 1.4.0.', 'other.yaml'), 'web/templates/web.yaml': null }
    expect(await unrendered(chart('Needs portal 1.4.0.'), head)).toMatchObject([
      { status: 'introduced', keys: ['web/templates/other.yaml', 'tool-failed'] },
    ])
  })

  test('another cause is a new failure', async () => {
    const head = {
      'web/Chart.yaml':
        'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.2.3, repository: https://charts.example.com}]\n',
    }
    expect(await unrendered(chart('Needs portal 1.4.0.'), head)).toMatchObject([
      { status: 'introduced', keys: ['web/Chart.yaml', 'dependency-not-vendored', 'db'] },
    ])
  })

  test('a new version of a dependency that is still not vendored is no new failure', async () => {
    const version = (number: string): Files => ({
      ...chart('unused'),
      'web/Chart.yaml': `apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: ${number}, repository: https://charts.example.com}]\n`,
    })
    expect(await unrendered(version('1.2.3'), version('1.3.0'))).toMatchObject([
      { status: 'existing', keys: ['web/Chart.yaml', 'dependency-not-vendored', 'db'] },
    ])
  })
})

test('an object that can no longer be followed is known by the cause', async () => {
  const base: Files = {
    ...chart('unused'),
    'web/templates/web.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n',
  }
  const moved = (url: string) => ({
    'release.yaml': String(base['release.yaml']).replace('path: web', `chart: ${url}`),
  })
  const [one, two] = [await unrendered(base, moved('web')), await unrendered(base, moved('portal'))]
  expect(one).toMatchObject([{ status: 'introduced', keys: ['chart-elsewhere'] }])
  expect(two.map(({ fingerprint }) => fingerprint)).toEqual(one.map(({ fingerprint }) => fingerprint))
})

describe('a Kustomization that did not build and that moves', () => {
  const broken = (folder: string, patches: string): Files => ({
    [`${folder}/kustomization.yaml`]: `resources: [web.yaml]\npatches: ${patches}\n`,
    [`${folder}/web.yaml`]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n',
  })
  const move = (patches: string): Files => ({
    'old/overlays/dev': null,
    'old/overlays/dev/kustomization.yaml': null,
    'old/overlays/dev/web.yaml': null,
    ...broken('new/overlays/dev', patches),
    'new/fleet.yaml': 'targetCustomizations: [{clusterName: dev, kustomize: {dir: overlays/dev}}]\n',
  })
  const files = broken('old/overlays/dev', '[web.yaml]')

  test('is no new failure where Fleet comes to deploy it', async () => {
    expect(await unrendered(files, move('[web.yaml]'))).toMatchObject([
      { status: 'existing', keys: ['new/overlays/dev/kustomization.yaml', 'tool-failed'] },
    ])
  })

  test('is a new failure for another cause', async () => {
    const moved = { ...move('[]'), 'new/overlays/dev/kustomization.yaml': 'resources: [web.yaml, gone.yaml]\n' }
    const [finding] = await unrendered(files, moved)
    expect(finding).toMatchObject({ status: 'introduced' })
    expect(finding?.text).toContain('gone.yaml')
  })
})

test('a chart without a known release that comes to refuse its defaults is not judged, and no error', async () => {
  const config = (text: string): Files => ({
    'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'web/values.yaml': 'gateway: ""\n',
    'web/templates/web.yaml': text,
  })
  const object = '{{ range .Values.routes }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ . }}}\n{{ end }}\n'
  const refusing = `{{ $name := required "name a gateway" .Values.gateway }}\n${object}`
  const { findings } = await judgeChange(config(object), config(refusing))
  expect(findings.map(({ level, rule, location: { path } }) => [level, rule, path])).toEqual([
    ['notice', 'source/not-judged', 'web/templates/web.yaml'],
  ])
})

describe('a fault that another one hid at the base', () => {
  const app = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  source: {repoURL: https://github.com/acme/web, path: overlay}
  destination: {server: https://kubernetes.default.svc, namespace: web}
`
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n'
  const fine = 'resources: [cm.yaml]\n'
  const faulty = 'resources: [cm.yaml]\nimages: [{name: a, tag: b}]\n'
  const shared = (text: string): Files => ({
    'app.yaml': app,
    'shared/cm.yaml': config,
    'shared/kustomization.yaml': text,
  })
  const first = { 'overlay/kustomization.yaml': 'resources: [../shared]\nresource: [a.yaml]\n' }
  const repaired = { 'overlay/kustomization.yaml': 'resources: [../shared]\n' }

  test('is existing where its file is not touched', async () => {
    const [one, ...more] = await unrendered({ ...shared(faulty), ...first }, { ...shared(faulty), ...repaired })
    expect(one).toMatchObject({ status: 'existing', text: expect.stringContaining('no field `tag`') })
    expect(more).toEqual([])
  })

  test('is introduced where this change writes it, or takes the file in', async () => {
    const written = await unrendered({ ...shared(fine), ...first }, { ...shared(faulty), ...repaired })
    expect(written).toMatchObject([{ status: 'introduced' }])
    const alone = { 'overlay/kustomization.yaml': 'resources: []\nresource: [a.yaml]\n' }
    const takenIn = await unrendered({ ...shared(faulty), ...alone }, { ...shared(faulty), ...repaired })
    expect(takenIn).toMatchObject([{ status: 'introduced' }])
  })
})
