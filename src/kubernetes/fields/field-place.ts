import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { misfitsOf, type Shape } from './shape'

/** A place of a shape, as keys; `[]` for the items of a list, and `*` for the entries of a map. */
type Place = readonly string[]

/** Names of fields in so many places that none is meant. */
const common: readonly string[] = ['apiVersion', 'group', 'kind', 'name', 'namespace', 'type']

/**
 * The place of a shape to which a key belongs that is no field where it is written: of the maps around it and in the one
 * that it is in, the nearest one with such a field that its value fits, as `spec.postBuild.substitute` for one in `spec`.
 */
export function placeOf(at: Cursor, key: string, shape: Shape): string | undefined {
  if (common.includes(key)) return undefined
  const written = at.path.map((step) => (typeof step === 'number' ? '[]' : step)).slice(0, -1)
  const places = placesOf(key, shape)
    .map(({ place, shape: its }) => ({ place: place.slice(0, -1), its }))
    .filter(({ place }) => isWithin(place, written) || isWithin(written, place))
    .filter(({ its }) => misfitsOf(at, its).length === 0)
    .map(({ place }) => ({ place, steps: Math.abs(place.length - written.length) }))
    .sort((a, b) => a.steps - b.steps || b.place.length - a.place.length)
  const place = places[0]?.place ?? labelsIn(written, at, shape)
  return place && [...place, key].join('.').replaceAll('.[]', '[]')
}

/** The place of a label that is written into a selector, and not into its `matchLabels`. */
function labelsIn(selector: Place, at: Cursor, shape: Shape): Place | undefined {
  const place = [...selector, 'matchLabels']
  const isThere = placesOf('matchLabels', shape).some((one) => one.place.join('.') === place.join('.'))
  return isThere && at.string !== undefined ? place : undefined
}

function isWithin(inner: Place, outer: Place): boolean {
  return outer.every((step, index) => step === inner[index])
}

/** Where a shape has a field of a name. A part within itself is looked at once. */
function placesOf(key: string, shape: Shape, place: Place = []): { readonly place: Place; readonly shape: Shape }[] {
  if (typeof shape === 'string' || 'values' in shape || 'some' in shape) return []
  if ('items' in shape) return placesOf(key, shape.items, [...place, '[]'])
  if ('entries' in shape) return placesOf(key, shape.entries, [...place, '*'])
  const own = entryOf(shape.keys, key)
  return [
    ...(own ? [{ place: [...place, key], shape: own }] : []),
    ...Object.entries(shape.keys).flatMap(([name, its]) => placesOf(key, its, [...place, name])),
  ]
}
