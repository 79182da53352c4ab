import { isMap, type Node, Pair, Scalar, YAMLMap } from 'yaml'
import { nodeIn } from './document-reader'
import { pairsOf, type Resolve } from './map-pairs'
import { isNode, placedAt } from './placed-node'

/** An object with the labels and annotations that all objects of a set get, over its own. */
export function withCommonMetadata(object: Node, common: Node, resolve: Resolve): Node {
  if (!isMap(object)) return object
  const metadata = nodeIn(object, 'metadata', resolve)
  const fields = ['labels', 'annotations'].flatMap((field) => {
    const more = nodeIn(common, field, resolve)
    return isMap(more) ? [pairAt(more, field, laidOver(nodeIn(metadata, field, resolve), more, resolve))] : []
  })
  const names = fields.map(({ key }) => String(key.value))
  const place = isNode(metadata) ? metadata : common
  const whole = mapAt(place, [...pairsWithout(metadata, names, resolve), ...fields])
  return mapAt(object, [...pairsWithout(object, ['metadata'], resolve), pairAt(place, 'metadata', whole)])
}

function laidOver(below: unknown, above: YAMLMap, resolve: Resolve): YAMLMap {
  const own = pairsOf(above, resolve)
  return mapAt(above, [...pairsWithout(below, [...own.keys()], resolve), ...own.values()])
}

function pairsWithout(map: unknown, names: readonly string[], resolve: Resolve): Pair[] {
  return isMap(map) ? [...pairsOf(map, resolve)].flatMap(([name, pair]) => (names.includes(name) ? [] : [pair])) : []
}

function pairAt(place: Node, key: string, value: Node): Pair<Scalar, Node> {
  return new Pair(placedAt(place, new Scalar(key)), value)
}

function mapAt(place: Node, pairs: readonly Pair[]): YAMLMap {
  const map = placedAt(place, new YAMLMap())
  map.items = [...pairs]
  return map
}
