import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { configMap, role } from './objects'
import { change, object, url, whole } from './probe'
import type { Files } from './repository'

const the = role('system:kube-controller-manager')
const source = 'sourceRef: {kind: GitRepository, name: flux-system}'

const flux = (place = './rbac', more = '') =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    'rbac',
    'flux-system',
    `spec:\n  path: ${place}\n  prune: true\n  ${source}\n${more}`,
  )

const argo = (more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'rbac',
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: rbac${more}}\n  syncPolicy: {automated: {prune: true}}\n`,
  )

/** A repository in which no file says that anything is rendered. */
const folder: Files = { 'rbac/role.yaml': the, 'rbac/notes.yaml': configMap('notes') }
const json = `${JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'system:kube-controller-manager' }, rules: [] })}\n`
const localConfig = the.replace(
  'metadata:\n',
  'metadata:\n  annotations: {config.kubernetes.io/local-config: "true"}\n',
)
const kept = 'introduced error base/rbac/role.yaml:1 protected-rbac/object-kept'

// The deployer is not touched by any of these, and no other file of the base is rendered.
test.each<[what: string, base: Files, head: Files, expected: string[]]>([
  [
    'becomes JSON below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': null, 'rbac/role.json': json },
    [kept],
  ],
  [
    'gets a name below a path of Flux that it does not read',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': null, 'rbac/role.yaml.bak': the },
    [kept],
  ],
  [
    'becomes JSON below the root, which Flux applies',
    { 'f.yaml': flux('./') },
    { 'rbac/role.yaml': null, 'rbac/role.json': json },
    [kept],
  ],
  [
    'becomes local config below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': localConfig },
    ['introduced error head/rbac/role.yaml:4 protected-rbac/object-kept'],
  ],
  [
    'becomes a link below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': { link: '../elsewhere/role.yaml' }, 'elsewhere/role.yaml': the },
    ['introduced error head/rbac/role.yaml:1 protected-rbac/object-kept'],
  ],
  [
    'goes behind a link to a folder below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': null, 'rbac/more': { link: '../elsewhere' }, 'elsewhere/role.yaml': the },
    [kept],
  ],
  [
    'goes behind a link to a folder below a path of Argo CD',
    { 'a.yaml': argo(', directory: {recurse: true}') },
    { 'rbac/role.yaml': null, 'rbac/more': { link: '../elsewhere' }, 'elsewhere/role.yaml': the },
    [kept],
  ],
  [
    'is left by a Kustomization that comes beside it',
    { 'f.yaml': flux() },
    { 'rbac/kustomization.yaml': 'resources: [notes.yaml]\n' },
    ['introduced error head/rbac/kustomization.yaml:1 protected-rbac/object-kept'],
  ],
  [
    'gets a Chart.yaml beside it',
    { 'a.yaml': argo() },
    { 'rbac/Chart.yaml': 'apiVersion: v2\nname: rbac\nversion: 1.0.0\n' },
    [kept],
  ],
  [
    'goes below the folder of an Application that does not recurse, beside a Chart.yaml',
    { 'a.yaml': argo() },
    {
      'rbac/role.yaml': null,
      'rbac/templates/role.yaml': the,
      'rbac/Chart.yaml': 'apiVersion: v2\nname: rbac\nversion: 1.0.0\n',
      'rbac/.helmignore': 'templates/\n',
    },
    [kept],
  ],
  [
    'is no longer where the link of an Application led',
    { 'a.yaml': argo(), 'rbac/role.yaml': { link: '../elsewhere/role.yaml' }, 'elsewhere/role.yaml': the },
    { 'rbac/role.yaml': null },
    ['introduced error base/elsewhere/role.yaml:1 protected-rbac/object-kept'],
  ],
  // Files that do not change
  ['is written otherwise below a path of Flux', { 'f.yaml': flux() }, { 'rbac/role.yaml': `# the same\n${the}` }, []],
  [
    'gets another name below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': null, 'rbac/roles.yml': the },
    [],
  ],
  [
    'goes to a folder below a path of Flux',
    { 'f.yaml': flux() },
    { 'rbac/role.yaml': null, 'rbac/roles/role.yaml': the },
    [],
  ],
  [
    'becomes JSON below a path of Argo CD',
    { 'a.yaml': argo() },
    { 'rbac/role.yaml': null, 'rbac/role.json': json },
    [],
  ],
  [
    'becomes a link that Argo CD follows',
    { 'a.yaml': argo() },
    { 'rbac/role.yaml': { link: '../elsewhere/role.yaml' }, 'elsewhere/role.yaml': the },
    [],
  ],
  ['becomes local config below a path of Argo CD', { 'a.yaml': argo() }, { 'rbac/role.yaml': localConfig }, []],
  [
    'is named by a Kustomization that comes beside it',
    { 'f.yaml': flux() },
    { 'rbac/kustomization.yaml': 'resources: [notes.yaml, role.yaml]\n' },
    [],
  ],
  ['becomes JSON where nothing says who deploys it', {}, { 'rbac/role.yaml': null, 'rbac/role.json': json }, []],
  [
    'becomes a link where nothing says who deploys it',
    {},
    { 'rbac/role.yaml': { link: '../elsewhere/role.yaml' }, 'elsewhere/role.yaml': the },
    [],
  ],
])('a file of a folder that something deploys %s', async (_, base, head, expected) => {
  expect(lines(await change({ ...folder, ...base }, head))).toEqual(expected)
})

test('the target of a link is no orphan of a file that was never judged', async () => {
  const report = await whole({
    ...folder,
    'f.yaml': flux(),
    'rbac/more.yaml': { link: '../elsewhere/more.yaml' },
    'elsewhere/more.yaml': configMap('more'),
  })
  expect(report.inspected.skipped).toEqual([])
})

test('the report says why a file behind a link is not deployed', async () => {
  const head: Files = { 'rbac/role.yaml': { link: '../elsewhere/role.yaml' }, 'elsewhere/role.yaml': the }
  const { inspected } = await change({ ...folder, 'f.yaml': flux() }, head)
  expect(inspected.skipped).toContainEqual({
    path: 'elsewhere/role.yaml',
    reason: 'an orphan: Flux ignores symbolic links, and rbac/role.yaml is one',
  })
})
