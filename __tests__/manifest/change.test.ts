import { describe, expect, test } from '@jest/globals'
import { type Change, changesBetween, renamedClusters } from '../../src/manifest/change'
import { type Manifest, nameOf, type Side } from '../../src/manifest/manifest'
import { manifestsIn } from './manifests'

/** Objects as `path name=content`, one a line, in the cluster of their first folder when `clusters/` leads it. */
function objects(side: Side, ...written: string[]): Manifest[] {
  return written.flatMap((line) => {
    const [path = '', name = '', content = ''] = line.split(/[ =]/)
    const cluster = path.match(/^clusters\/[^/]+/)?.[0] ?? ''
    return manifestsIn(
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {x: "${content}"}\n`,
      path,
      side,
      [cluster],
    )
  })
}

const place = ({ origin, object }: Manifest) => `${origin.path} ${object.content.match(/x: "(.*)"/)?.[1]}`

function inWords(change: Change): string {
  const after = change.kind === 'removed' ? '' : ` to ${place(change.after)}`
  const before = change.kind === 'added' ? '' : ` from ${place(change.before)}`
  return `${change.kind}${before}${after}`
}

describe('occurrences of one identity', () => {
  test.each<[string, string[], string[], string[]]>([
    ['the same on both sides', ['a web=1'], ['a web=1'], []],
    ['edited in place', ['a web=1'], ['a web=2'], ['changed from a 1 to a 2']],
    ['moved', ['a web=1'], ['b web=1'], []],
    ['moved and edited', ['a web=1'], ['b web=2'], ['changed from a 1 to b 2']],
    ['added', [], ['a web=1'], ['added to a 1']],
    ['removed', ['a web=1'], [], ['removed from a 1']],
    ['copied', ['a web=1'], ['a web=1', 'b web=1'], ['added to b 1']],
    ['one copy removed', ['a web=1', 'b web=1'], ['b web=1'], ['removed from a 1']],
    [
      'copies that trade places',
      ['a web=1', 'b web=2'],
      ['a web=2', 'b web=1'],
      ['changed from a 1 to a 2', 'changed from b 2 to b 1'],
    ],
    ['by path before content', ['a web=1', 'b web=2'], ['b web=1'], ['changed from b 2 to b 1', 'removed from a 1']],
    ['by content before identity', ['a web=1', 'b web=2'], ['c web=2', 'd web=3'], ['changed from a 1 to d 3']],
    ['twice in one file, the first cut', ['a web=1', 'a web=2'], ['a web=2'], ['removed from a 1']],
    ['twice in one file, traded', ['a web=1', 'a web=2'], ['a web=2', 'a web=1'], []],
    ['another name is another object', ['a web=1'], ['a app=1'], ['added to a 1', 'removed from a 1']],
  ])('%s', (_, base, head, changes) => {
    expect(changesBetween(objects('base', ...base), objects('head', ...head)).changes.map(inWords)).toEqual(changes)
  })

  test('objects with generated names are created anew, and none of them is removed', () => {
    const generated = (side: Side, ...contents: string[]) =>
      contents.flatMap((content) =>
        manifestsIn(
          `apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: web-}\ndata: {x: "${content}"}\n`,
          'a',
          side,
          [''],
        ),
      )
    const { changes } = changesBetween(generated('base', '1', '2'), generated('head', '2', '3'))
    expect(changes.map(inWords)).toEqual(['added to a 3'])
    expect(changes.map((change) => change.kind === 'added' && nameOf(change.after.ref))).toEqual(['ConfigMap web-*'])
  })

  test('comments and line ends around an object are no part of it', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
    const base = manifestsIn(`---\n${text}`, 'a', 'base')
    for (const same of [text.replaceAll('\n', '\r\n'), `\n\n${text}\n\n`, `--- # x\n${text}`, `x: y\n---\n${text}`])
      expect(changesBetween(base, manifestsIn(same, 'a')).changes).toEqual([])
  })

  /** The number of times that objects of two sides are read while they are compared. */
  function looksAt(sides: readonly [Manifest[], Manifest[]]): number {
    let looks = 0
    for (const manifest of sides.flat()) {
      const { object } = manifest
      Object.defineProperty(manifest, 'object', {
        get() {
          looks++
          return object
        },
      })
    }
    expect(changesBetween(...sides).changes).toEqual([])
    return looks
  }

  test.each([
    ['of 16 identities', 16],
    ['of one identity', 1],
  ])('twice the files %s that all move take twice the looks, and not four times', (_, identities) => {
    const moved = (count: number): [Manifest[], Manifest[]] => {
      const written = (folder: string) =>
        Array.from({ length: count }, (_, index) => `${folder}/${index} o${index % identities}=${index}`)
      return [objects('base', ...written('old')), objects('head', ...written('new')).reverse()]
    }
    expect(changesBetween(...moved(1000)).moves).toHaveLength(1000)
    const [some, more] = [looksAt(moved(500)), looksAt(moved(1000))]
    expect(some).toBeGreaterThan(500)
    expect(more / some).toBeLessThan(2.5)
  })
})

describe('objects whose file cannot be read at the head', () => {
  const base = objects('base', 'broken web=1', 'fine app=1')

  test('are unknown, not removed', () => {
    const { changes, unknown } = changesBetween(base, [], ({ origin }) => origin.path === 'broken')
    expect(changes.map(inWords)).toEqual(['removed from fine 1'])
    expect(unknown.map(({ ref }) => nameOf(ref))).toEqual(['ConfigMap web'])
  })

  test('are known when other files have them', () => {
    const { changes, unknown } = changesBetween(base, objects('head', 'new web=2', 'fine app=1'), () => true)
    expect(changes.map(inWords)).toEqual(['changed from broken 1 to new 2'])
    expect(unknown).toEqual([])
  })
})

describe('clusters', () => {
  test('each has its own objects', () => {
    const base = objects('base', 'clusters/a/x web=1', 'clusters/b/x web=1')
    const head = objects('head', 'clusters/b/x web=1')
    const { changes } = changesBetween(base, head)
    expect(changes.map((change) => [change.cluster, inWords(change)])).toEqual([
      ['clusters/a', 'removed from clusters/a/x 1'],
    ])
  })

  test('an object that leaves one for another is removed and added', () => {
    const { changes } = changesBetween(objects('base', 'clusters/a/x web=1'), objects('head', 'clusters/b/x web=1'))
    expect(changes.map((change) => [change.cluster, change.kind])).toEqual([
      ['clusters/b', 'added'],
      ['clusters/a', 'removed'],
    ])
  })

  test('an object of no known cluster that is filed into one is both, for doubt to weigh', () => {
    const { changes } = changesBetween(objects('base', 'x web=1'), objects('head', 'clusters/a/x web=1'))
    expect(changes.map((change) => [change.cluster, change.kind])).toEqual([
      ['clusters/a', 'added'],
      ['', 'removed'],
    ])
  })

  const renamed = (base: string[], head: string[], kept: string[] = []) =>
    Object.fromEntries(renamedClusters(objects('base', ...base), objects('head', ...head), () => new Set(kept)))

  test.each<[string, string[], string[], string[], Record<string, string>]>([
    [
      'renamed',
      ['clusters/a/x web=1', 'clusters/a/y app=1'],
      ['clusters/b/x web=1', 'clusters/b/y app=2'],
      [],
      { 'clusters/a': 'clusters/b' },
    ],
    [
      'one of three objects did not come along',
      ['clusters/a/x web=1', 'clusters/a/y app=1', 'clusters/a/z api=1'],
      ['clusters/b/x web=1', 'clusters/b/y app=1'],
      [],
      { 'clusters/a': 'clusters/b' },
    ],
    ['half of it did not', ['clusters/a/x web=1', 'clusters/a/y app=1'], ['clusters/b/x web=1'], [], {}],
    [
      'the one that came along whole goes first',
      ['clusters/a/x web=1', 'clusters/a/y app=1', 'clusters/a/z api=1', 'clusters/b/x web=2', 'clusters/b/y app=2'],
      ['clusters/c/x web=1', 'clusters/c/y app=1'],
      [],
      { 'clusters/b': 'clusters/c' },
    ],
    ['something is left of it', ['clusters/a/x web=1'], ['clusters/b/x web=1'], ['clusters/a'], {}],
    ['the other was there before', ['clusters/a/x web=1', 'clusters/b/x app=1'], ['clusters/b/x web=1'], [], {}],
    ['the other holds an untouched file', ['clusters/a/x web=1'], ['clusters/b/x web=1'], ['clusters/b'], {}],
    [
      'two at once, distinguished by content',
      ['clusters/a/x web=1', 'clusters/b/x web=2'],
      ['clusters/c/x web=2', 'clusters/d/x web=1'],
      [],
      { 'clusters/a': 'clusters/d', 'clusters/b': 'clusters/c' },
    ],
    [
      'two into one: only one of them was renamed',
      ['clusters/a/x web=1', 'clusters/b/x web=1'],
      ['clusters/c/x web=1'],
      [],
      { 'clusters/a': 'clusters/c' },
    ],
  ])('%s', (_, base, head, kept, expected) => {
    expect(renamed(base, head, kept)).toEqual(expected)
  })
})
