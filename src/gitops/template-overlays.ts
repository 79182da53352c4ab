import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { findPair, pairsOf, type Resolve } from '../manifest/map-pairs'
import { placedAt } from '../manifest/placed-node'

/** The template of a generator, whose gaps are filled from that of the set: maps key by key, all else whole. */
export function withDefaults(own: Node | undefined, common: Node | undefined, resolve: Resolve): Node | undefined {
  const [above, below] = [own, common].map((node) => followed(node, resolve))
  if (!isMap(above) || !isMap(below)) return isZero(above) ? below : above
  const map = placedAt(above, new YAMLMap())
  const keys = new Set([...pairsOf(above, resolve).keys(), ...pairsOf(below, resolve).keys()])
  map.items = [...keys].map((key) => {
    const [one, other] = [above, below].map((its) => findPair(its, key, resolve))
    const value = withDefaults(one?.value as Node | undefined, other?.value as Node | undefined, resolve)
    return new Pair(one?.key ?? other?.key, value ?? null)
  })
  return map
}

/** A template with a patch over it, whose values have the place of the patch; `null` takes a key away. */
export function withPatch(node: Node | undefined, patch: unknown, at: Node, resolve: Resolve): Node {
  if (Array.isArray(patch)) {
    const list = placedAt(at, new YAMLSeq())
    list.items = patch.map((item) => withPatch(undefined, item, at, resolve))
    return list
  }
  if (typeof patch !== 'object' || patch === null) return placedAt(at, new Scalar(patch))
  const below = followed(node, resolve)
  const map = placedAt(below ?? at, new YAMLMap())
  const entries = Object.entries(patch)
  const names = new Set(entries.map(([key]) => key))
  if (isMap(below)) map.items = below.items.filter(({ key }) => !(isScalar(key) && names.has(String(key.value))))
  for (const [key, value] of entries) {
    if (value === null) continue
    const was = isMap(below) ? findPair(below, key, resolve) : undefined
    const name = was?.key ?? placedAt(at, new Scalar(key))
    map.items.push(new Pair(name, withPatch(was?.value as Node | undefined, value, at, resolve)))
  }
  return map
}

function followed(node: Node | undefined, resolve: (alias: Alias) => Node | undefined): Node | undefined {
  return isAlias(node) ? resolve(node) : node
}

/** Whether Go counts a value as not set. */
function isZero(node: Node | undefined): boolean {
  if (isMap(node) || isSeq(node)) return node.items.length === 0
  return !isScalar(node) || !node.value
}
