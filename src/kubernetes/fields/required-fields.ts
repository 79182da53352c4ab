import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import type { Shape } from './shape'
import { written } from './written-path'

/** A map without fields that it has to have, which are paths from the root of its object. */
export interface MissingFields {
  /** The place of the first one. */
  readonly at: Cursor
  readonly fields: readonly string[]
}

/** The maps of an object without fields that a shape requires. */
export function* missingFieldsOf(at: Cursor, shape: Shape): Iterable<MissingFields> {
  if (typeof shape === 'string' || 'values' in shape) return
  if ('items' in shape) {
    for (const item of at.items()) yield* missingFieldsOf(item, shape.items)
    return
  }
  if (!at.isMap) return
  if ('entries' in shape) {
    for (const [, its] of at.entries()) yield* missingFieldsOf(its, shape.entries)
    return
  }
  const fields = 'keys' in shape ? shape.keys : shape.some
  const keys = [...at.entries()].map(([key]) => key)
  // A tool may fill in any key there.
  const isWhole = !keys.some((key) => key.startsWith('$') || isPlaceholder(key))
  const missing = isWhole ? (shape.required ?? []).filter((field) => !keys.includes(field)) : []
  const [first] = missing
  if (first !== undefined)
    yield { at: at.at(first), fields: missing.map((field) => written({ path: [...at.path, field] })) }
  for (const [key, its] of at.entries()) {
    const inner = entryOf(fields, key)
    if (inner) yield* missingFieldsOf(its, inner)
  }
}
