import { describe, expect, test } from '@jest/globals'
import { Snapshot } from '../../src/cluster/snapshot'
import { replacementsIn } from '../../src/engine/copies'
import { changesBetween } from '../../src/manifest/change'
import type { Manifest, Side } from '../../src/manifest/manifest'
import { manifestsIn } from './manifests'

/** Copies of one object as `path content`, one a line. */
function copies(side: Side, written: readonly string[]): Manifest[] {
  return written.flatMap((line) => {
    const [path = '', content = ''] = line.split(' ')
    return manifestsIn(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "${content}"}\n`, path, side)
  })
}

const place = ({ origin, object }: Manifest) => `${origin.path} ${object.content.match(/x: "(.*)"/)?.[1]}`

describe('objects that may take the place of a copy', () => {
  test.each<[string, string[], string[], string[]]>([
    ['an object of one copy, edited', ['a 1'], ['a 2'], []],
    ['added beside one', ['a 1'], ['a 1', 'b 2'], ['a 1 by b 2']],
    ['added in the same file', ['a 1'], ['a 1', 'a 2'], ['a 1 by a 2']],
    ['added, of the same text', ['a 1'], ['a 1', 'b 1'], []],
    ['added beside several', ['a 1', 'b 2'], ['a 1', 'b 2', 'c 3'], ['a 1 by c 3', 'b 2 by c 3']],
    ['added beside several of one text', ['a 1', 'b 1'], ['a 1', 'b 1', 'c 3'], ['a 1 by c 3']],
    ['added, like one of several', ['a 1', 'b 2'], ['a 1', 'b 2', 'c 2'], []],
    ['added while the other one moves', ['a 1'], ['b 1', 'c 2'], ['a 1 by c 2']],
    ['moved and edited', ['a 1'], ['b 2'], []],
    ['removed, and another one is left', ['a 1', 'b 2'], ['b 2'], ['a 1 by b 2']],
    ['removed, and one of the same text is left', ['a 1', 'b 1'], ['b 1'], []],
    ['all removed', ['a 1', 'b 2'], [], []],
  ])('%s', (_, base, head, expected) => {
    const [before, after] = [copies('base', base), copies('head', head)]
    const [was, is] = [new Snapshot('', before), new Snapshot('', after)]
    const { changes } = changesBetween(before, after)
    const found = changes.flatMap((change) => replacementsIn(change, was, is))
    expect(found.map((one) => `${place(one.before)} by ${place(one.after)}`)).toEqual(expected)
  })

  test('of many copies the first are compared, so that the work grows with the copies that are added', () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index} ${index}`)
    const [was, is] = [copies('base', many), copies('head', [...many, 'z new'])]
    const [change] = changesBetween(was, is).changes
    expect(
      change && replacementsIn(change, new Snapshot('', was), new Snapshot('', is)).map(({ before }) => place(before)),
    ).toEqual(many.slice(0, 16))
  })
})

test('a snapshot with one of the copies has no other, and all else', () => {
  const [a, b] = copies('head', ['a 1', 'b 2']) as [Manifest, Manifest]
  const [other] = manifestsIn('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n', 'c') as [Manifest]
  const snapshot = new Snapshot('prod', [a, b, other], [], (cluster) => cluster === 'prod')
  const alone = snapshot.withOnly(b)
  expect(alone.get(a.ref)).toEqual([b])
  expect(alone.ofKind('ConfigMap')).toEqual([b, other])
  expect([alone.cluster, alone.isWhole]).toEqual(['prod', false])
  expect(snapshot.withOnly(other)).toBe(snapshot)
})
