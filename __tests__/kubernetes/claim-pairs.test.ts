import { describe, expect, test } from '@jest/globals'
import { Snapshot } from '../../src/cluster/snapshot'
import { ClaimPairs, mostInPairs } from '../../src/kubernetes/ingress/claim-pairs'
import type { Manifest } from '../../src/manifest/manifest'
import { manifestsIn } from '../manifest/manifests'

/** Ingresses `a000`, `a001`, … that all claim one host, each with the settings given for its number. */
function ingresses(count: number, says: (index: number) => string): Manifest[] {
  const documents = Array.from({ length: count }, (_, index) => {
    const name = `a${String(index).padStart(4, '0')}`
    const metadata = `{ name: ${name}, namespace: shop, annotations: { says: "${says(index)}" } }`
    return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: ${metadata}\n`
  })
  return manifestsIn(documents.join('---\n'), 'all.yaml', 'head')
}

/** The pairs that are met, and how many Ingresses were looked at for them. */
function pairsOf(all: readonly Manifest[]) {
  let visits = 0
  const pairs = new ClaimPairs(
    (ingress) => {
      visits++
      return new Map([['shop.example.com', ingress]])
    },
    (ingress) => {
      visits++
      return ingress.root.at('metadata', 'annotations', 'says').string ?? ''
    },
  )
  const snapshot = new Snapshot('', all)
  const met = all.flatMap((ingress) =>
    [...pairs.partnersOf(ingress, snapshot)].map((other): [string, string] => {
      visits++
      return [ingress.ref.name, other.ref.name]
    }),
  )
  return { met, visits }
}

describe('Ingresses that contradict each other', () => {
  test('few of one claim are compared all with all, each pair once', () => {
    const { met } = pairsOf(ingresses(4, (index) => (index < 2 ? 'x' : 'y')))
    expect(met).toEqual([
      ['a0000', 'a0002'],
      ['a0000', 'a0003'],
      ['a0001', 'a0002'],
      ['a0001', 'a0003'],
    ])
  })

  test.each<[string, (index: number) => string]>([
    ['each says something else', String],
    ['half of them say something else', (index) => (index % 2 === 0 ? 'x' : 'y')],
    ['the first alone says something else', (index) => (index === 0 ? 'x' : 'y')],
    ['one in the middle says something else', (index) => (index === 20 ? 'x' : 'y')],
    ['the last alone says something else', (index) => (index === mostInPairs ? 'x' : 'y')],
  ])('of many that make one claim each is in a pair: %s', (_, says) => {
    const all = ingresses(mostInPairs + 1, says)
    const { met } = pairsOf(all)
    expect([...new Set(met.flat())].sort()).toEqual(all.map(({ ref }) => ref.name))
    expect(new Set(met.map(String)).size).toBe(met.length)
    const said = new Map(all.map(({ ref }, index) => [ref.name, says(index)]))
    expect(met.filter(([one, other]) => said.get(one) === said.get(other))).toEqual([])
  })

  test.each<[string, (index: number) => string]>([
    ['each says something else', String],
    ['half of them say something else', (index) => (index % 2 === 0 ? 'x' : 'y')],
    ['all say the same', () => 'x'],
  ])('twice as many are no more than twice the work: %s', (_, says) => {
    const [some, twice] = [pairsOf(ingresses(500, says)), pairsOf(ingresses(1000, says))]
    expect(twice.visits).toBeGreaterThan(some.visits)
    expect(twice.visits).toBeLessThanOrEqual(2 * some.visits + 10)
    expect(twice.met.length).toBeLessThanOrEqual(1000)
  })
})
