import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from '../source/in-memory'
import { configMap, role } from '../source/objects'
import { url } from '../source/probe'
import { places, tool } from '../source/rendered'
import type { Files } from '../source/repository'

const the = role('system:kube-controller-manager')
const resources = (...all: string[]) => `resources: [${all.join(', ')}]\n`

const kustomization = (name: string, place: string, more = '') =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec:\n  path: ./${place}\n  prune: true\n${more}  sourceRef: {kind: GitRepository, name: flux-system}\n`
const application = (name: string, place: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: ${name}\n  namespace: argocd\nspec:\n  source: {repoURL: "${url}", path: ${place}}\n  syncPolicy: {automated: {prune: true}}\n`

const folder = (name: string, ...files: string[]): Files => ({
  [`${name}/kustomization.yaml`]: resources('notes.yaml', ...files),
  [`${name}/notes.yaml`]: configMap(`notes-${name}`),
})
const folders: Files = { ...folder('a', 'role.yaml'), 'a/role.yaml': the, ...folder('b') }
const moved: Files = { ...folder('a'), 'a/role.yaml': null, ...folder('b', 'role.yaml'), 'b/role.yaml': the }

test.each<[string, Files, Files, string[]]>([
  [
    'a Flux Kustomization is renamed',
    { ...folders, 'flux.yaml': kustomization('rbac', 'a') },
    { 'flux.yaml': kustomization('roles', 'a') },
    ['head/flux.yaml:3'],
  ],
  [
    'a Flux Kustomization that leaves what it deployed is renamed',
    { ...folders, 'flux.yaml': kustomization('rbac', 'a', '  deletionPolicy: Orphan\n') },
    { 'flux.yaml': kustomization('roles', 'a') },
    [],
  ],
  [
    'it moves from one Flux Kustomization to another',
    { ...folders, 'flux/a.yaml': kustomization('a', 'a'), 'flux/b.yaml': kustomization('b', 'b') },
    moved,
    ['head/b/kustomization.yaml:1'],
  ],
  [
    'it moves from one Application to another',
    { ...folders, 'apps/a.yaml': application('a', 'a'), 'apps/b.yaml': application('b', 'b') },
    moved,
    ['head/b/kustomization.yaml:1'],
  ],
  [
    'it moves into a base of the folder that is deployed',
    { ...folders, 'apps/a.yaml': application('a', 'a'), 'apps/b.yaml': application('b', 'b') },
    {
      ...folder('a', '../base'),
      'a/role.yaml': null,
      'base/kustomization.yaml': resources('role.yaml'),
      'base/role.yaml': the,
    },
    [],
  ],
  [
    'the file of a Flux Kustomization gets another name',
    { ...folders, 'flux.yaml': kustomization('rbac', 'a') },
    { 'flux.yaml': null, 'kustomizations/rbac.yaml': kustomization('rbac', 'a') },
    [],
  ],
])('%s', async (_, base, head, expected) => {
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const report = await checkOpened(opened(base, head, url), ...tools, '--policy', 'protected-rbac@1.1.0')
  expect(places(report)).toEqual(expected.map((place) => `warning ${place} exact protected-rbac/prune-safe`))
})
