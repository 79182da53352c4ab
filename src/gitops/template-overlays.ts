import { findPair, pairsOf, type Resolve } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, ListNode, MapNode, type Node, Pair, Scalar } from '../manifest/nodes'

/** The template of a generator, whose gaps are filled from that of the set: maps key by key, all else whole. */
export function withDefaults(own: Node | undefined, common: Node | undefined, resolve: Resolve): Node | undefined {
  const [above, below] = [own, common].map((node) => followed(node, resolve))
  if (!isMap(above) || !isMap(below)) return isZero(above) ? below : above
  const keys = new Set([...pairsOf(above, resolve).keys(), ...pairsOf(below, resolve).keys()])
  const pairs = [...keys].flatMap((key) => {
    const [one, other] = [above, below].map((its) => findPair(its, key, resolve))
    const name = one?.key ?? other?.key
    const value = withDefaults(one?.value, other?.value, resolve)
    return name && value ? Pair.of(name, value) : []
  })
  return new MapNode(pairs, above.from, above.to)
}

/** A template with a patch over it, whose values have the place of the patch; `null` takes a key away. */
export function withPatch(node: Node | undefined, patch: unknown, at: Node, resolve: Resolve): Node {
  const { from, to } = at
  if (Array.isArray(patch)) {
    const items = patch.map((item) => withPatch(undefined, item, at, resolve))
    return new ListNode(items, from, to)
  }
  if (typeof patch !== 'object' || patch === null) return new Scalar(patch, from, to)
  const below = followed(node, resolve)
  const entries = Object.entries(patch)
  const names = new Set(entries.map(([key]) => key))
  const kept = isMap(below) ? below.pairs.filter(({ key }) => !(isScalar(key) && names.has(String(key.value)))) : []
  const set = entries.flatMap(([key, value]) => {
    if (value === null) return []
    const was = isMap(below) ? findPair(below, key, resolve) : undefined
    return Pair.of(was?.key ?? new Scalar(key, from, to), withPatch(was?.value, value, at, resolve))
  })
  const place = below ?? at
  return new MapNode([...kept, ...set], place.from, place.to)
}

function followed(node: Node | undefined, resolve: Resolve): Node | undefined {
  return isAlias(node) ? resolve(node) : node
}

/** Whether Go counts a value as not set. */
function isZero(node: Node | undefined): boolean {
  if (isMap(node)) return node.pairs.length === 0
  if (isList(node)) return node.items.length === 0
  return !isScalar(node) || !node.value
}
