import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { configMap, ingress, role } from './objects'
import { change, chart, object, url, whole } from './probe'
import type { Files } from './repository'

const source = 'sourceRef: {kind: GitRepository, name: flux-system}'
const argo = (name: string, place: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: ${place}${more}}\n`,
  )
const flux = (place: string) =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    'web',
    'flux-system',
    `spec:\n  path: ${place}\n  ${source}\n`,
  )
const release = (place: string) =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'web',
    'shop',
    `spec:\n  chart: {spec: {chart: ${place}, ${source}}}\n  values: {host: b.example.com}\n`,
  )

/** Its second host is not covered, in line 12. */
const web = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])
const covered = ingress('web', ['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'])
const uncovered = (place: string) => [`introduced error head/${place}:12 ingress-tls/host-covered`]
const vendored: Files = Object.fromEntries(
  Object.entries(chart).map(([file, text]) => [file.replace('charts/edge', 'x/vendor/edge'), text]),
)

describe('a file that a default glob takes is judged when', () => {
  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    [
      'an Application deploys the folder',
      {},
      { 'a.yaml': argo('web', 'x/vendor'), 'x/vendor/web.yaml': web },
      uncovered('x/vendor/web.yaml'),
    ],
    [
      'an Application did so before',
      { 'a.yaml': argo('web', 'x/vendor'), 'x/vendor/web.yaml': covered },
      { 'x/vendor/web.yaml': web },
      uncovered('x/vendor/web.yaml'),
    ],
    [
      'an Application comes to deploy it',
      { 'x/vendor/web.yaml': web },
      { 'a.yaml': argo('web', 'x/vendor') },
      uncovered('x/vendor/web.yaml'),
    ],
    [
      'an Application recurses into it',
      {},
      { 'a.yaml': argo('web', 'x', ', directory: {recurse: true}'), 'x/node_modules/y/web.yaml': web },
      uncovered('x/node_modules/y/web.yaml'),
    ],
    [
      'an Application builds a Kustomization there',
      {},
      {
        'a.yaml': argo('web', 'testdata/x'),
        'testdata/x/kustomization.yaml': 'resources: [web.yaml]\n',
        'testdata/x/web.yaml': web,
      },
      uncovered('testdata/x/web.yaml'),
    ],
    [
      'a Kustomization takes in a Kustomization there',
      {},
      {
        'app/kustomization.yaml': 'resources: [../vendor/web]\n',
        'vendor/web/kustomization.yaml': 'resources: [../more]\n',
        'vendor/more/kustomization.yaml': 'resources: [web.yaml]\n',
        'vendor/more/web.yaml': web,
      },
      uncovered('vendor/more/web.yaml'),
    ],
    [
      'a Kustomization takes in a file there, as before',
      { 'app/kustomization.yaml': 'resources: [vendor/web.yaml]\n', 'app/vendor/web.yaml': covered },
      { 'app/vendor/web.yaml': web },
      // The line of the change is the one that removed the host from the TLS entry.
      ['introduced error head/app/vendor/web.yaml:9 ingress-tls/host-covered'],
    ],
    [
      'a path of Flux leads there',
      {},
      { 'f.yaml': flux('./vendor/x'), 'vendor/x/web.yaml': web },
      uncovered('vendor/x/web.yaml'),
    ],
    [
      'a path of Flux leads above it',
      { 'f.yaml': flux('./x'), 'x/notes.yaml': configMap('notes') },
      { 'x/testdata/web.yaml': web },
      uncovered('x/testdata/web.yaml'),
    ],
    [
      'a HelmRelease installs the chart',
      { ...vendored },
      { 'r.yaml': release('x/vendor/edge') },
      ['introduced error head/r.yaml:8 ingress-tls/host-covered'],
    ],
    [
      'a link leads to the file',
      {},
      { 'app/web.yaml': { link: '../.github/web.yaml' }, '.github/web.yaml': web },
      uncovered('.github/web.yaml'),
    ],
    [
      'a link gives a file the name of a manifest',
      {},
      { 'app/web.yaml': { link: '../.github/web' }, '.github/web': web },
      uncovered('.github/web'),
    ],
    [
      'an Application deploys a link to a file that is not ignored',
      {},
      { 'a.yaml': argo('web', 'x/vendor'), 'x/vendor/web.yaml': { link: '../../parts/web.txt' }, 'parts/web.txt': web },
      uncovered('parts/web.txt'),
    ],
    [
      'a link leads to a folder of links',
      {},
      {
        app: { link: 'vendor/app' },
        'vendor/app/web.yaml': { link: '../../parts/web.txt' },
        'parts/web.txt': web,
      },
      uncovered('parts/web.txt'),
    ],
    [
      'an Application hydrates it',
      {},
      {
        'a.yaml': argo('web', 'x')
          .replace('source: {', 'sourceHydrator: {drySource: {')
          .replace('path: x}', 'path: x/vendor}}'),
        'x/vendor/web.yaml': web,
      },
      uncovered('x/vendor/web.yaml'),
    ],
    [
      'a link leads to the folder',
      {},
      { app: { link: 'vendor/app' }, 'vendor/app/web.yaml': web },
      uncovered('vendor/app/web.yaml'),
    ],
    [
      'a link did so before',
      { 'app/web.yaml': { link: '../.github/web.yaml' }, '.github/web.yaml': covered },
      { '.github/web.yaml': web },
      uncovered('.github/web.yaml'),
    ],
    [
      'an Application there that an Application deploys does so',
      {},
      {
        'a.yaml': argo('all', 'vendor/apps'),
        'vendor/apps/web.yaml': argo('web', 'testdata/web'),
        'testdata/web/web.yaml': web,
      },
      uncovered('testdata/web/web.yaml'),
    ],
    [
      'it loses an object of the cluster',
      {
        'a.yaml': argo('rbac', 'vendor'),
        'vendor/role.yaml': role('system:kube-controller-manager'),
        'vendor/notes.yaml': configMap('notes'),
      },
      { 'vendor/role.yaml': null },
      ['introduced error base/vendor/role.yaml:1 protected-rbac/object-kept'],
    ],
    [
      'its Application goes',
      { 'a.yaml': argo('rbac', 'vendor'), 'vendor/role.yaml': role('system:kube-controller-manager') },
      { 'a.yaml': null },
      ['introduced error base/a.yaml:1 protected-rbac/object-kept'],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(lines(await change({ 'notes.yaml': configMap('notes'), ...base }, head))).toEqual(expected)
  })
})

describe('it is left out when', () => {
  test.each<[what: string, base: Files, head: Files]>([
    ['nothing deploys it', {}, { 'x/vendor/web.yaml': web }],
    ['it is for tests', {}, { 'x/fixtures/web.yaml': web, '__snapshots__/web.yaml': web }],
    [
      'an Application of its parent does not recurse',
      { 'a.yaml': argo('web', 'x'), 'x/notes.yaml': configMap('notes') },
      { 'x/vendor/web.yaml': web },
    ],
    [
      'an Application leaves it out',
      {},
      { 'a.yaml': argo('web', 'x', ", directory: {recurse: true, exclude: 'vendor/*'}"), 'x/vendor/web.yaml': web },
    ],
    [
      'an Application of another repository names such a path',
      {},
      { 'a.yaml': argo('web', 'vendor').replace(url, 'https://github.com/acme/other'), 'vendor/web.yaml': web },
    ],
    [
      'an Application that nothing deploys names it',
      {},
      { 'testdata/a.yaml': argo('web', 'vendor'), 'vendor/web.yaml': web },
    ],
    [
      'only a link that is left out leads there',
      {},
      { 'node_modules/x': { link: '../vendor' }, 'vendor/web.yaml': web },
    ],
    [
      'it is a chart that a chart has below it',
      { ...chart },
      {
        'charts/edge/charts/x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
        'charts/edge/charts/x/vendor/web.yaml': web,
      },
    ],
    [
      'a link in a chart leads to it',
      { ...chart },
      { 'charts/edge/files/web': { link: '../../../vendor' }, 'vendor/web.yaml': web },
    ],
    [
      'a Kustomization that nothing takes in names it',
      {},
      { 'vendor/x/kustomization.yaml': 'resources: [web.yaml]\n', 'vendor/x/web.yaml': web },
    ],
    ['Flux leaves it out', { 'f.yaml': flux('./'), 'x/notes.yaml': configMap('notes') }, { '.github/web.yaml': web }],
  ])('%s', async (_, base, head) => {
    const found = lines(await change({ 'notes.yaml': configMap('notes'), ...base }, head))
    // Only the place elsewhere that an object deploys is reported, and nothing of the file.
    expect(found.filter((line) => line !== 'introduced notice head/a.yaml:1 source/not-judged')).toEqual([])
  })
})

test('a Kustomization that is left out hides no plain file', async () => {
  const head: Files = { 'app/web.yaml': web, 'vendor/x/kustomization.yaml': 'resources: [../../app/web.yaml]\n' }
  expect(lines(await change({ 'notes.yaml': configMap('notes') }, head))).toEqual(uncovered('app/web.yaml'))
})

test('a file that is shown is not listed as ignored', async () => {
  const report = await whole({
    'a.yaml': argo('web', 'vendor/a'),
    'vendor/a/web.yaml': covered,
    'vendor/b/web.yaml': web,
  })
  expect(report.inspected.skipped).toEqual([{ path: '**/vendor/**', reason: 'ignored: 1 file' }])
  expect(lines(report)).toEqual([])
})

describe('of what the config ignores', () => {
  const config = { '.github/ingress-guard.yaml': 'format: 1\nignore: [legacy/**]\n' }
  const app = { 'a.yaml': argo('legacy', 'legacy') }

  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    [
      'a file that is deployed is judged when the change touches it',
      { ...app, 'legacy/web.yaml': covered },
      { 'legacy/web.yaml': web },
      uncovered('legacy/web.yaml'),
    ],
    ['a file is judged when the change has it deployed', { 'legacy/web.yaml': web }, app, uncovered('legacy/web.yaml')],
    [
      'a file is judged when a link comes to lead there',
      { 'legacy/web.yaml': web },
      { 'web.yaml': { link: 'legacy/web.yaml' } },
      uncovered('legacy/web.yaml'),
    ],
    [
      'a file that a Kustomization there names is judged',
      { ...app, 'legacy/kustomization.yaml': 'resources: [web.yaml]\n', 'legacy/web.yaml': covered },
      { 'legacy/web.yaml': web },
      ['introduced error head/legacy/web.yaml:9 ingress-tls/host-covered'],
    ],
    [
      'a file that goes is judged',
      { ...app, 'legacy/role.yaml': role('system:kube-controller-manager'), 'legacy/notes.yaml': configMap('notes') },
      { 'legacy/role.yaml': null },
      ['introduced error base/legacy/role.yaml:1 protected-rbac/object-kept'],
    ],
    ['a file that nothing deploys is not', { 'legacy/web.yaml': covered }, { 'legacy/web.yaml': web }, []],
    [
      'a file that the change leaves alone is not',
      { ...app, 'legacy/web.yaml': web, 'legacy/notes.yaml': configMap('notes') },
      { 'legacy/notes.yaml': configMap('notes', 'y') },
      [],
    ],
    [
      'a Kustomization that the change leaves alone is not',
      { ...app, 'legacy/kustomization.yaml': 'resources: [web.yaml]\n', 'legacy/web.yaml': web },
      { 'notes.yaml': configMap('notes') },
      [],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(lines(await change({ ...config, ...base }, head))).toEqual(expected)
  })
})
