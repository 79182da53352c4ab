import { type Alias, isAlias, isList, isMap, isScalar, type MapNode, MergeSign, type Node, type Pair } from './nodes'

/** Resolves an alias. */
export type Resolve = (alias: Alias) => Node | undefined

/** A key as text; aliases are followed, and only a plain `<<` merges. */
function textOf(key: Node, resolve: Resolve): string | undefined {
  const node = isAlias(key) ? resolve(key) : key
  return isScalar(node) ? String(node.value) : undefined
}

/**
 * A plain key `<<` merges, and so does any key with the merge tag; a quoted `<<` or one with another tag is an ordinary
 * key.
 */
export function isMerge(pair: Pair): boolean {
  if (pair.word !== undefined) return false
  const { key } = pair
  if (!isScalar(key) || key.value !== '<<') return false
  return key.tag === undefined ? key instanceof MergeSign : key.tag === '!' || key.tag === 'tag:yaml.org,2002:merge'
}

/** The maps that one `<<` brings into a map, nearest first. */
function mergedBy(pair: Pair, resolve: Resolve): MapNode[] {
  const follow = (node: Node) => (isAlias(node) ? resolve(node) : node)
  const source = follow(pair.value)
  return (isList(source) ? source.items.map(follow) : [source]).filter(isMap)
}

/** Anchors nest no deeper than this in anything a person wrote. */
const deepestMerge = 32

/** Maps that take long to put together: a map is read often. */
const known = new WeakMap<MapNode, ReadonlyMap<string, Pair>>()

/** A map of so few pairs is searched faster than its pairs are put into order, and is not remembered: most are small. */
const few = 16

/**
 * The pairs of a map by their keys, including merged ones. The last pair counts, as in go-yaml 2: the last of duplicate
 * keys, and a `<<` over a key before it.
 */
export function pairsOf(map: MapNode, resolve: Resolve, depth = 0): ReadonlyMap<string, Pair> {
  const before = known.get(map)
  if (before) return before
  const pairs = new Map<string, Pair>()
  let isMerged = false
  for (const pair of map.pairs) {
    if (!isMerge(pair)) {
      const text = pair.word ?? textOf(pair.key, resolve)
      if (text !== undefined) pairs.set(text, pair)
    } else if (depth <= deepestMerge) {
      isMerged = true
      for (const source of mergedBy(pair, resolve).reverse())
        for (const [text, merged] of pairsOf(source, resolve, depth + 1)) pairs.set(text, merged)
    }
  }
  if (depth === 0 && (isMerged || map.pairs.length > few)) known.set(map, pairs)
  return pairs
}

export function findPair(map: MapNode, key: string, resolve: Resolve): Pair | undefined {
  if (map.pairs.length > few) return pairsOf(map, resolve).get(key)
  let found: Pair | undefined
  for (const pair of map.pairs) {
    const { word } = pair
    if (word === undefined && (!isScalar(pair.key) || isMerge(pair))) return pairsOf(map, resolve).get(key)
    if ((word ?? textOf(pair.key, resolve)) === key) found = pair
  }
  return found
}
