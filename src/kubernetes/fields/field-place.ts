import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { misfitsOf, type Shape } from './shape'

/** A place of a shape, as keys; `[]` for the items of a list, and `*` for the entries of a map. */
type Place = readonly string[]

/**
 * The place of a shape to which a key belongs that is no field where it is written: of the places with a field of that
 * name that its value fits, the nearest one, such as `spec.postBuild.substitute`.
 */
export function placeOf(at: Cursor, key: string, shape: Shape): string | undefined {
  const written = at.path.map((step) => (typeof step === 'number' ? '[]' : step)).slice(0, -1)
  const places = placesOf(key, shape)
    .filter(({ shape: its }) => misfitsOf(at, its).length === 0)
    .map(({ place }) => ({ place, steps: stepsBetween(written, place.slice(0, -1)) }))
    .sort((a, b) => a.steps - b.steps)
  return places[0]?.place.join('.').replaceAll('.[]', '[]')
}

/** Where a shape has a field of a name. A part within itself is looked at once. */
function placesOf(key: string, shape: Shape, place: Place = []): { readonly place: Place; readonly shape: Shape }[] {
  if (typeof shape === 'string' || 'values' in shape) return []
  if ('items' in shape) return placesOf(key, shape.items, [...place, '[]'])
  if ('entries' in shape) return placesOf(key, shape.entries, [...place, '*'])
  const own = entryOf(shape.keys, key)
  return [
    ...(own ? [{ place: [...place, key], shape: own }] : []),
    ...Object.entries(shape.keys).flatMap(([name, its]) => placesOf(key, its, [...place, name])),
  ]
}

/** The steps up from one place and down to another one. */
function stepsBetween(from: Place, to: Place): number {
  const first = from.findIndex((step, index) => step !== to[index])
  const common = first === -1 ? from.length : first
  return from.length + to.length - 2 * common
}
