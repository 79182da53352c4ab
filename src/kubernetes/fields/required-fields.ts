import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import type { Schema } from './schema-shape'

/** A map without a field that it has to have. */
export interface MissingField {
  readonly at: Cursor
  readonly field: string
}

/** The fields that a schema requires and gives no default for, and that an object does not have. */
export function* missingFieldsOf(at: Cursor, schema: Schema): Iterable<MissingField> {
  if (at.isList && schema.items) for (const item of at.items()) yield* missingFieldsOf(item, schema.items)
  if (!at.isMap) return
  const { properties = {}, required = [], additionalProperties } = schema
  const keys = [...at.entries()].map(([key]) => key)
  // A tool may fill in any key there.
  const isWhole = !keys.some((key) => key.startsWith('$') || isPlaceholder(key))
  for (const field of required)
    if (isWhole && !keys.includes(field) && properties[field]?.default === undefined) yield { at, field }
  for (const [key, its] of at.entries()) {
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (inner) yield* missingFieldsOf(its, inner)
    else if (typeof additionalProperties === 'object') yield* missingFieldsOf(its, additionalProperties)
  }
}
