import { describe, expect, test } from '@jest/globals'
import { type DeclaredClusters, type FileObjects, mapClusters as mapBoth } from '../../src/cluster/clusters'
import { foldersNamedAsClusters } from '../../src/cluster/named-folders'
import type { Side } from '../../src/manifest/manifest'

/** With the declarations of the base, then the head's; files below `new/` are new in the change. */
function mapClusters([base = {}, head = {}]: readonly DeclaredClusters[], files: readonly FileObjects[]) {
  return mapBoth({ base, head, isNew: (path) => path.startsWith('new/') }, files)
}

/** Files by side and path, each with the names of the objects it holds; `Namespace:` leads a Namespace’s. */
function files(side: Side, held: Readonly<Record<string, string>>): FileObjects[] {
  return Object.entries(held).map(([path, names]) => ({
    path,
    sides: [side],
    refs: names.split(' ').map((text) => {
      const isNamespace = text.startsWith('Namespace:')
      return {
        group: '',
        kind: isNamespace ? 'Namespace' : 'ConfigMap',
        namespace: '',
        name: text.replace('Namespace:', ''),
      }
    }),
  }))
}

const both = (held: Readonly<Record<string, string>>) => [...files('base', held), ...files('head', held)]

describe('declared clusters', () => {
  const base = { prod: { paths: ['deploy/prod/**'] }, lab: { paths: ['deploy/lab/**', 'shared/**'] } }

  test.each<[string, string[], string]>([
    ['deploy/prod/a/b.yaml', ['prod'], 'declared'],
    ['deploy/prod/.hidden/b.yaml', ['prod'], 'declared'],
    ['shared/a.yaml', ['lab'], 'declared'],
    ['deploy/other/a.yaml', [''], 'none'],
    ['clusters/x/a.yaml', ['clusters/x'], 'layout'],
  ])('%s', (path, clusters, evidence) => {
    expect(mapClusters([base, {}], []).of(path)).toEqual({ clusters, evidence })
  })

  test('a file may be deployed to several', () => {
    expect(mapClusters([{ a: { paths: ['x/**'] }, b: { paths: ['**'] } }], []).of('x/y.yaml').clusters).toEqual([
      'a',
      'b',
    ])
  })

  test('the head does not move a file that the base assigns to a cluster', () => {
    const map = mapClusters([base, { mine: { paths: ['**'] } }], [])
    expect(map.of('deploy/prod/a.yaml').clusters).toEqual(['prod'])
    expect(map.of('new/a.yaml').clusters).toEqual(['mine'])
  })

  test('a declared cluster wins over layout and repetition', () => {
    const map = mapClusters(
      [{ one: { paths: ['clusters/**', 'a/**', 'b/**'] } }],
      both({ 'a/x.yaml': 'm n', 'b/x.yaml': 'm n' }),
    )
    expect(['clusters/x/a.yaml', 'a/x.yaml', 'b/x.yaml'].map((path) => map.of(path).clusters)).toEqual([
      ['one'],
      ['one'],
      ['one'],
    ])
  })
})

describe('the conventional layout', () => {
  test.each([
    ['clusters/prod/a.yaml', 'clusters/prod'],
    ['environments/prod/a.yaml', 'environments/prod'],
    ['envs/eu/a/b/c.yaml', 'envs/eu'],
    ['overlays/lab/a.yaml', 'overlays/lab'],
    ['deep/down/envs/eu/a.yaml', 'deep/down/envs/eu'],
    ['clusters/prod/overlays/x/a.yaml', 'clusters/prod'],
    ['clusters/a.yaml', ''],
    ['my-clusters/prod/a.yaml', ''],
    ['a.yaml', ''],
  ])('%s', (path, cluster) => {
    expect(mapClusters([], []).of(path).clusters).toEqual([cluster])
  })
})

describe('sibling folders that repeat each other', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['two objects and all of both', { 'a/x.yaml': 'm n', 'b/y.yaml': 'm n' }, ['a', 'b']],
    ['one object says nothing', { 'a/x.yaml': 'm', 'b/y.yaml': 'm' }, ['', '']],
    ['half of the smaller folder', { 'a/x.yaml': 'm n o p', 'b/y.yaml': 'm n q r s t u v' }, ['a', 'b']],
    ['less than half of the smaller folder', { 'a/x.yaml': 'm n o p q', 'b/y.yaml': 'm n r s t u v' }, ['', '']],
    ['Namespaces do not count', { 'a/x.yaml': 'm Namespace:n', 'b/y.yaml': 'm Namespace:n' }, ['', '']],
    ['deeper', { 'g/a/x/1.yaml': 'm n', 'g/b/x/1.yaml': 'm n' }, ['g/a', 'g/b']],
    ['no siblings', { 'g/a/x.yaml': 'm n', 'h/c/d/y.yaml': 'o p' }, ['', '']],
    [
      'below a layout folder it refines',
      { 'clusters/p/east/x.yaml': 'm n', 'clusters/p/west/x.yaml': 'm n' },
      ['clusters/p/east', 'clusters/p/west'],
    ],
    [
      'at the layout folder itself the layout says so',
      { 'clusters/p/x.yaml': 'm n', 'clusters/q/x.yaml': 'm n' },
      ['clusters/p', 'clusters/q'],
    ],
  ])('%s', (_, held, clusters) => {
    const map = mapClusters([], both(held))
    expect(Object.keys(held).flatMap((path) => map.of(path).clusters)).toEqual(clusters)
  })

  test('are evidence of their own, and make the map an assumption', () => {
    const map = mapClusters([], both({ 'a/x.yaml': 'm n', 'b/y.yaml': 'm n' }))
    expect(map.of('a/x.yaml')).toEqual({ clusters: ['a'], evidence: 'repeated' })
    expect(map.of('c/x.yaml')).toEqual({ clusters: [''], evidence: 'none' })
    expect(map.assumed).toBe(true)
    expect(mapClusters([], both({ 'clusters/a/x.yaml': 'm n' })).assumed).toBe(false)
  })

  test('count like folders with the names of clusters', () => {
    const folders = foldersNamedAsClusters(
      ['rbac/east/kustomization.yaml', 'rbac/west/x.yaml', 'web/east/x.yaml', 'rbac/east/web/y.yaml', 'east/x.yaml'],
      new Set(['east', 'west', 'north']),
    )
    expect(folders).toEqual(new Set(['rbac/east', 'rbac/west']))
    const map = mapBoth({ base: {}, head: {}, folders, isNew: () => false }, [])
    expect(map.of('rbac/east/web/y.yaml')).toEqual({ clusters: ['rbac/east'], evidence: 'repeated' })
    expect(map.of('web/east/x.yaml')).toEqual({ clusters: [''], evidence: 'none' })
    expect(map.assumed).toBe(false)
    expect(foldersNamedAsClusters(['rbac/east/x.yaml', 'rbac/west/x.yaml'], new Set(['east'])).size).toBe(0)
  })

  test('a move from one folder to its sibling is no repetition', () => {
    const map = mapClusters([], [...files('base', { 'a/x.yaml': 'm n o' }), ...files('head', { 'b/x.yaml': 'm n o' })])
    expect([map.of('a/x.yaml').clusters, map.of('b/x.yaml').clusters, map.assumed]).toEqual([[''], [''], false])
  })

  test('a copy that the head takes away was one', () => {
    const map = mapClusters(
      [],
      [...files('base', { 'a/x.yaml': 'm n', 'b/x.yaml': 'm n' }), ...files('head', { 'a/x.yaml': 'm n' })],
    )
    expect(map.of('b/x.yaml').clusters).toEqual(['b'])
    expect(map.assumed).toBe(true)
  })

  test('a copy that the head makes gives no doubt, which would weaken its findings', () => {
    const map = mapClusters(
      [],
      [...files('base', { 'a/x.yaml': 'm n' }), ...files('head', { 'a/x.yaml': 'm n', 'b/x.yaml': 'm n' })],
    )
    expect(map.assumed).toBe(false)
  })

  test('each of 1,000 folders of the same 20 objects is a cluster', () => {
    const names = Array.from({ length: 20 }, (_, index) => `o${index}`).join(' ')
    const held = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`t/${index}/x.yaml`, names]))
    const map = mapClusters([], both(held))
    expect(map.of('t/999/x.yaml').clusters).toEqual(['t/999'])
  })
})

describe('sibling folders with a root of Flux each', () => {
  const kinds: Readonly<Record<string, [group: string, kind: string]>> = {
    git: ['source.toolkit.fluxcd.io', 'GitRepository'],
    instance: ['fluxcd.controlplane.io', 'FluxInstance'],
    ks: ['kustomize.toolkit.fluxcd.io', 'Kustomization'],
  }
  const objects = (side: Side, held: Readonly<Record<string, string>>): FileObjects[] =>
    Object.entries(held).map(([path, names]) => ({
      path,
      sides: [side],
      refs: names.split(' ').map((text) => {
        const [key = '', name = ''] = text.split('/')
        const [group = '', kind = 'ConfigMap'] = kinds[key] ?? []
        return { group, kind, namespace: 'flux-system', name }
      }),
    }))
  const of = (held: Readonly<Record<string, string>>) =>
    mapClusters([], [...objects('base', held), ...objects('head', held)])
  const apps = (name: string) => `ks/${name}-a ks/${name}-b x/${name}-1 x/${name}-2 x/${name}-3`

  test.each(['git/home', 'instance/flux'])('are two clusters, even where they share nothing else: %s', (root) => {
    const map = of({
      'kubernetes/main/flux/config.yaml': root,
      'kubernetes/main/apps.yaml': apps('main'),
      'kubernetes/staging/flux/config.yaml': root,
      'kubernetes/staging/apps.yaml': apps('staging'),
      'kubernetes/shared/web.yaml': 'x/shared',
    })
    expect(map.of('kubernetes/main/apps/web.yaml')).toEqual({ clusters: ['kubernetes/main'], evidence: 'repeated' })
    expect(map.of('kubernetes/staging/apps.yaml').clusters).toEqual(['kubernetes/staging'])
    expect(map.of('kubernetes/shared/web.yaml').clusters).toEqual([''])
  })

  test('are one cluster where only one of them deploys, or where the roots differ', () => {
    const bootstrap = of({
      'kubernetes/bootstrap/flux.yaml': 'git/home ks/bootstrap x/secret x/key',
      'kubernetes/flux/config.yaml': 'git/home ks/cluster ks/apps',
      'kubernetes/apps/web.yaml': apps('web'),
    })
    expect(bootstrap.of('kubernetes/flux/config.yaml').clusters).toEqual([''])
    const others = of({ 'a/source.yaml': `git/one ${apps('a')}`, 'b/source.yaml': `git/other ${apps('b')}` })
    expect(others.of('a/source.yaml').clusters).toEqual([''])
  })

  test('count on each side for itself', () => {
    const [a, b] = [`git/home ${apps('a')}`, `git/home ${apps('b')}`]
    const moved = [...objects('base', { 'k/a/flux.yaml': a }), ...objects('head', { 'k/b/flux.yaml': b })]
    expect(mapClusters([], moved).of('k/a/flux.yaml').clusters).toEqual([''])
  })
})
