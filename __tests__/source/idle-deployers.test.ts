import { describe, expect, test } from '@jest/globals'
import { kustomization, release, repository } from './flux-objects'
import { kept, kustomization as kustomize, name } from './kustomize-objects'
import { role } from './objects'
import { change, chart, object, url } from './probe'
import type { Files } from './repository'

const protectedOf = async (base: Files, head: Files) =>
  (await change(base, head)).findings.filter(({ rule }) => rule === kept)
const rules = async (base: Files, head: Files) =>
  (await protectedOf(base, head)).map((one) => `${one.level} ${one.rule}`)
const removed = [`error ${kept}`]

/** A root of Flux in `flux/`, which applies itself and the objects beside it. */
const root: Files = {
  'flux/source.yaml': repository(),
  'flux/root.yaml': kustomization('root', './flux', 'prune: true'),
}
const rbac: Files = { 'rbac/role.yaml': role(name) }
const ofFlux: Files = { ...root, ...rbac, 'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true') }
const ofRelease: Files = { ...root, ...chart, 'flux/edge.yaml': release('') }

/** The file of an object in another folder, which a new Kustomization applies. */
const moved = (base: Files, file: string, more: string): Files => ({
  [`flux/${file}`]: null,
  [`idle/${file}`]: base[`flux/${file}`] ?? null,
  'flux/idle.yaml': kustomization('idle', './idle', more),
})

const intoIdle = { 'rbac/role.yaml': null, 'rbac/other.yaml': role('other'), 'idle/role.yaml': role(name) }

describe('Flux deletes, and does not create again,', () => {
  test.each<[what: string, base: Files, head: Files]>([
    [
      'a Kustomization that moves into a suspended one',
      ofFlux,
      moved(ofFlux, 'rbac.yaml', 'prune: true\nsuspend: true'),
    ],
    ['a HelmRelease that does', ofRelease, moved(ofRelease, 'edge.yaml', 'prune: true\nsuspend: true')],
    [
      'an object that does',
      ofFlux,
      { ...intoIdle, 'flux/idle.yaml': kustomization('idle', './idle', 'prune: true\nsuspend: true') },
    ],
    [
      'an object that moves into a new Kustomization, which a suspended one applies',
      ofFlux,
      {
        ...intoIdle,
        'flux/idle.yaml': kustomization('idle', './all', 'suspend: true'),
        'all/one.yaml': kustomization('one', './idle', 'prune: true'),
      },
    ],
    [
      'a Kustomization that only another Kustomization lists',
      { ...ofFlux, 'flux/kustomization.yaml': kustomize('resources: [source.yaml, root.yaml, rbac.yaml]') },
      {
        'flux/kustomization.yaml': kustomize('resources: [source.yaml, root.yaml, idle.yaml]'),
        'flux/idle.yaml': kustomization('idle', './idle', 'suspend: true'),
        'idle/kustomization.yaml': kustomize('resources: [../flux/rbac.yaml]'),
      },
    ],
    [
      'an object that a suspended one had a copy of',
      {
        ...ofFlux,
        'idle/role.yaml': role(name),
        'flux/idle.yaml': kustomization('idle', './idle', 'prune: true\nsuspend: true'),
      },
      { 'rbac/role.yaml': null, 'rbac/other.yaml': role('other') },
    ],
  ])('%s', async (_, base, head) => {
    expect(await rules(base, head)).toEqual(removed)
  })

  test('and the message says why', async () => {
    const [finding] = await protectedOf(ofFlux, moved(ofFlux, 'rbac.yaml', 'prune: true\nsuspend: true'))
    expect(finding?.text).toContain(
      'Kustomization flux-system/rbac, which deployed it, is deleted with all its objects: Kustomization flux-system/idle is suspended, so Flux deletes the object and does not create it again. Resume Kustomization flux-system/idle in a separate change first.',
    )
  })
})

describe('Flux keeps', () => {
  test.each<[what: string, base: Files, head: Files]>([
    ['a Kustomization that moves into an active one', ofFlux, moved(ofFlux, 'rbac.yaml', 'prune: true')],
    [
      'a Kustomization that its root does not prune',
      { ...ofFlux, 'flux/root.yaml': kustomization('root', './flux', 'prune: false') },
      moved(ofFlux, 'rbac.yaml', 'prune: true\nsuspend: true'),
    ],
    [
      'the objects of a Kustomization that leaves them',
      { ...ofFlux, 'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true\ndeletionPolicy: Orphan') },
      moved(
        { 'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true\ndeletionPolicy: Orphan') },
        'rbac.yaml',
        'prune: true\nsuspend: true',
      ),
    ],
    [
      'the objects of a Kustomization that is suspended',
      ofFlux,
      {
        'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true\nsuspend: true'),
      },
    ],
    [
      'an object that moves between suspended ones',
      { ...ofFlux, 'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true\nsuspend: true') },
      { ...intoIdle, 'flux/idle.yaml': kustomization('idle', './idle', 'prune: true\nsuspend: true') },
    ],
  ])('%s', async (_, base, head) => {
    expect(await rules(base, head)).toEqual([])
  })
})

const application = (
  of: string,
  place: string,
  destination = 'server: https://kubernetes.default.svc',
  sync = 'automated: {prune: true}',
) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    of,
    'argocd',
    `  finalizers: [resources-finalizer.argocd.argoproj.io]\nspec:\n  source: {repoURL: "${url}", path: ${place}}\n  destination: {${destination}}\n  syncPolicy: {${sync}}\n`,
  )

const ofArgo: Files = {
  ...rbac,
  'apps/root.yaml': application('root', 'apps'),
  'apps/rbac.yaml': application('rbac', 'rbac'),
}
const movedApp = (parent: string): Files => ({
  'apps/rbac.yaml': null,
  'idle/rbac.yaml': ofArgo['apps/rbac.yaml'] ?? null,
  'apps/idle.yaml': parent,
})

describe('Argo CD deletes, and does not create again,', () => {
  test.each<[what: string, head: Files]>([
    [
      'an object that moves into an Application that is synced by hand',
      {
        ...intoIdle,
        'apps/idle.yaml': application('idle', 'idle', undefined, ''),
      },
    ],
    [
      'an object that moves into one for another cluster',
      {
        ...intoIdle,
        'apps/idle.yaml': application('idle', 'idle', 'server: https://10.1.2.3'),
      },
    ],
    ['an Application that moves into one for another cluster', movedApp(application('idle', 'idle', 'name: other'))],
    ['an Application that moves into one that is synced by hand', movedApp(application('idle', 'idle', undefined, ''))],
  ])('%s', async (_, head) => {
    expect(await rules(ofArgo, head)).toEqual(removed)
  })
})

describe('the reason of a deletion names', () => {
  const textOf = async (base: Files, head: Files) => (await protectedOf(base, head)).map(({ text }) => text).join()

  test('the file that remains, of what a Kustomization lists', async () => {
    const head = {
      ...intoIdle,
      'idle/kustomization.yaml': kustomize('resources: [role.yaml]'),
      'flux/idle.yaml': kustomization('idle', './idle', 'prune: true\nsuspend: true'),
    }
    expect(await textOf(ofFlux, head)).toContain(
      'It remains only in idle/kustomization.yaml: Kustomization flux-system/idle is suspended',
    )
  })
})

describe('Argo CD keeps', () => {
  const byHand = { ...ofArgo, 'apps/rbac.yaml': application('rbac', 'rbac', undefined, '') }
  test.each<[what: string, base: Files, head: Files]>([
    [
      'an Application that moves into one for the same cluster',
      ofArgo,
      movedApp(application('idle', 'idle', 'name: in-cluster')),
    ],
    [
      'an object that moves between Applications that are synced by hand',
      byHand,
      {
        ...intoIdle,
        'apps/idle.yaml': application('idle', 'idle', undefined, ''),
      },
    ],
  ])('%s', async (_, base, head) => {
    expect(await rules(base, head)).toEqual([])
  })
})
