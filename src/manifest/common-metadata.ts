import { nodeIn } from './document-reader'
import { pairsOf, type Resolve } from './map-pairs'
import { isMap, isScalar, MapNode, type Node, Pair, Scalar } from './nodes'

/** An object with the labels and annotations that all objects of a set get, over its own. */
export function withCommonMetadata(object: Node, common: Node, resolve: Resolve): Node {
  if (!isMap(object)) return object
  const metadata = nodeIn(object, 'metadata', resolve)
  const fields = ['labels', 'annotations'].flatMap((field) => {
    const more = nodeIn(common, field, resolve)
    return isMap(more) ? [pairAt(more, field, laidOver(nodeIn(metadata, field, resolve), more, resolve))] : []
  })
  const names = fields.flatMap(({ key }) => (isScalar(key) ? String(key.value) : []))
  const place = metadata ?? common
  const whole = mapAt(place, [...pairsWithout(metadata, names, resolve), ...fields])
  return mapAt(object, [...pairsWithout(object, ['metadata'], resolve), pairAt(place, 'metadata', whole)])
}

function laidOver(below: Node | undefined, above: MapNode, resolve: Resolve): MapNode {
  const own = pairsOf(above, resolve)
  return mapAt(above, [...pairsWithout(below, [...own.keys()], resolve), ...own.values()])
}

function pairsWithout(map: Node | undefined, names: readonly string[], resolve: Resolve): Pair[] {
  return isMap(map) ? [...pairsOf(map, resolve)].flatMap(([name, pair]) => (names.includes(name) ? [] : [pair])) : []
}

function pairAt({ from, to }: Node, key: string, value: Node): Pair {
  return Pair.of(new Scalar(key, from, to), value)
}

function mapAt({ from, to }: Node, pairs: readonly Pair[]): MapNode {
  return new MapNode(pairs, from, to)
}
