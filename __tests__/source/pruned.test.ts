import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { kept, kustomization as kustomize, name } from './kustomize-objects'
import { role } from './objects'
import { change, object, repositoryOf, url } from './probe'
import type { Files } from './repository'

const rbac: Files = { 'rbac/kustomization.yaml': kustomize('resources: [role.yaml]'), 'rbac/role.yaml': role(name) }
const removed = (from: string) => [`introduced error ${from}:1 ${kept}`]

/** A Kustomization of Flux that applies another one, which applies a protected role. */
const flux = (parent: string, child = 'prune: true'): Files => ({
  ...rbac,
  'flux/source.yaml': repository(),
  'flux/apps.yaml': kustomization('apps', './apps', parent),
  'apps/kustomization.yaml': kustomize('resources: [rbac.yaml]'),
  'apps/rbac.yaml': kustomization('rbac', './rbac', child),
})

const application = (of: string, place: string, cascades: boolean) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    of,
    'argocd',
    `${cascades ? '  finalizers: [resources-finalizer.argocd.argoproj.io]\n' : ''}spec:\n  source: {repoURL: "${url}", path: ${place}}\n  syncPolicy: {automated: {prune: true}}\n`,
  )

const argo = (cascades: boolean): Files => ({
  ...rbac,
  'argocd/apps.yaml': application('apps', 'apps', cascades),
  'apps/kustomization.yaml': kustomize('resources: [rbac.yaml]'),
  'apps/rbac.yaml': application('rbac', 'rbac', true),
})

const set = (more: string) =>
  object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    'apps',
    'argocd',
    `spec:\n  generators: [{list: {elements: [{place: apps}]}}]\n${more}  template:\n    metadata: {name: "{{place}}"}\n    spec:\n      source: {repoURL: "${url}", path: "{{place}}"}\n`,
  )

const protectedLines = async (base: Files, head: Files) =>
  lines(await change(base, head)).filter((line) => line.includes('protected-rbac'))

describe('an object that applies others takes along what these deploy', () => {
  test.each<[what: string, base: Files, head: Files]>([
    ['Flux, when it prunes', flux('prune: true'), { 'flux/apps.yaml': null }],
    ['Flux, when its policy says so', flux('prune: false\ndeletionPolicy: Delete'), { 'flux/apps.yaml': null }],
    [
      'Flux, when its policy says so and waits',
      flux('prune: false\ndeletionPolicy: WaitForTermination'),
      { 'flux/apps.yaml': null },
    ],
    ['Flux, when it mirrors', flux('prune: true\ndeletionPolicy: MirrorPrune'), { 'flux/apps.yaml': null }],
    ['Argo CD, by its finalizer', argo(true), { 'argocd/apps.yaml': null }],
    ['Argo CD, of a set', { ...argo(true), 'argocd/apps.yaml': set('') }, { 'argocd/apps.yaml': null }],
  ])('%s', async (what, base, head) => {
    const from = what.startsWith('Flux') ? 'base/flux/apps.yaml' : 'base/rbac/role.yaml'
    expect(await protectedLines(base, head)).toEqual(removed(from))
  })

  test('when it stays and a Kustomization between no longer names them', async () => {
    const between = {
      ...flux('prune: true'),
      'apps/kustomization.yaml': kustomize('resources: [more]'),
      'apps/more/kustomization.yaml': kustomize('resources: [rbac.yaml]'),
      'apps/more/rbac.yaml': kustomization('rbac', './rbac', 'prune: true'),
      'apps/rbac.yaml': null,
    }
    const head = { 'apps/kustomization.yaml': kustomize('resources: []', 'namespace: shop') }
    expect(await protectedLines(between, head)).toEqual([`introduced error head/apps/kustomization.yaml:3 ${kept}`])
  })

  test('from the first to the last', async () => {
    const deep = {
      ...flux('prune: true'),
      'flux/root.yaml': kustomization('root', './root', 'prune: true'),
      'root/kustomization.yaml': kustomize('resources: [apps.yaml]'),
      'root/apps.yaml': kustomization('apps', './apps', 'prune: true'),
      'flux/apps.yaml': null,
    }
    expect(await protectedLines(deep, { 'flux/root.yaml': null })).toEqual(removed('base/flux/root.yaml'))
  })
})

describe('an object that applies others leaves what these deploy', () => {
  test.each<[what: string, base: Files, head: Files]>([
    ['Flux, when it does not prune', flux('prune: false'), { 'flux/apps.yaml': null }],
    ['Flux, when it orphans', flux('prune: true\ndeletionPolicy: Orphan'), { 'flux/apps.yaml': null }],
    ['Flux, when it is suspended', flux('prune: true\nsuspend: true'), { 'flux/apps.yaml': null }],
    ['Argo CD, without a finalizer', argo(false), { 'argocd/apps.yaml': null }],
    [
      'Argo CD, of a set that preserves',
      { ...argo(true), 'argocd/apps.yaml': set('  syncPolicy: {preserveResourcesOnDeletion: true}\n') },
      { 'argocd/apps.yaml': null },
    ],
    [
      'to another object that applies them',
      flux('prune: true'),
      { 'flux/apps.yaml': null, 'flux/other.yaml': kustomization('other', './apps', 'prune: true') },
    ],
  ])('%s', async (_, base, head) => {
    expect(await protectedLines(base, head)).toEqual([])
  })
})

test('an edit of a file that it no longer deploys is reported', async () => {
  const edited = { 'rbac/role.yaml': `${role(name)}# edited\n` }
  expect(lines(await change(flux('prune: true'), { 'flux/apps.yaml': null, ...edited }))).toContain(
    'introduced error head/rbac/role.yaml:1 source/unrendered',
  )
})

describe('an object that hands over what it deploys', () => {
  const one = (of: string, more: string): Files => ({ [`flux/${of}.yaml`]: kustomization(of, './rbac', more) })
  const handover = async (more: string) => {
    const base = { ...rbac, 'flux/source.yaml': repository(), ...one('rbac', more) }
    const repo = repositoryOf(base, { 'flux/rbac.yaml': null, ...one('roles', more) })
    const sides = ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', '--policy', 'protected-rbac@1.1.0']
    return lines(await checkJson(...sides))
  }

  test.each(['prune: true', 'prune: false\ndeletionPolicy: WaitForTermination'])('deletes it: %s', async (more) => {
    expect(await handover(more)).toEqual(['introduced warning base/flux/rbac.yaml:1 protected-rbac/prune-safe'])
  })

  test.each(['prune: true\nsuspend: true', 'prune: true\ndeletionPolicy: Orphan', 'prune: false'])(
    'leaves it: %s',
    async (more) => {
      expect(await handover(more)).toEqual([])
    },
  )
})
