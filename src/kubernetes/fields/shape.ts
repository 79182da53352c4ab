import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'

/** The form of a value, as the schema of an API describes it. */
export type Shape =
  | 'anything'
  | 'text'
  | 'number'
  | 'number or text'
  | 'boolean'
  | { readonly values: readonly string[] }
  | { readonly items: Shape }
  | { readonly entries: Shape }
  | { readonly keys: Readonly<Record<string, Shape>>; readonly required?: readonly string[] }
  /** A map that takes any other key, too. */
  | { readonly some: Readonly<Record<string, Shape>>; readonly required?: readonly string[] }

/**
 * A key that is no field, with the fields beside it; a value of another form, or a variable with such a default; or a value
 * that is none of those allowed.
 */
export type Misfit =
  | { readonly at: Cursor; readonly key: string; readonly fields: readonly string[] }
  | { readonly at: Cursor; readonly wanted: string; readonly byDefault?: string }
  | { readonly at: Cursor; readonly value: string; readonly values: readonly string[] }

const wanted = {
  text: 'a string',
  number: 'a number without quotes',
  'number or text': 'a number or a string',
  boolean: 'true or false without quotes',
} as const

/** The parts of a value that are not as its shape has them. A text that a tool fills in may become anything. */
export function misfitsOf(at: Cursor, shape: Shape): Misfit[] {
  if (shape === 'anything' || (typeof shape === 'object' && 'some' in shape)) return []
  if (isOpen(at)) return shape === 'text' ? ofDefault(at) : []
  if (typeof shape === 'string') return isOf(shape, at) ? [] : [{ at, wanted: wanted[shape] }]
  if ('values' in shape) return ofValues(at, shape.values)
  if ('items' in shape)
    return at.isList ? [...at.items()].flatMap((item) => misfitsOf(item, shape.items)) : [{ at, wanted: 'a list' }]
  if (!at.isMap) return [{ at, wanted: 'a map' }]
  return [...at.entries()].flatMap(([key, field]) => {
    const its = 'entries' in shape ? shape.entries : entryOf(shape.keys, key)
    if (its) return misfitsOf(field, its)
    // A directive of a patch, as in `$patch: delete`.
    const isField = key.startsWith('$') || isPlaceholder(key)
    return isField || !('keys' in shape) ? [] : [{ at: field, key, fields: Object.keys(shape.keys) }]
  })
}

function isOpen(at: Cursor): boolean {
  if (at.isMap || at.isList) return false
  return at.value === undefined || at.value === null || (at.string !== undefined && isPlaceholder(at.string))
}

/** Flux reads a text that is a variable alone without its quotes, once it is filled in. */
function ofDefault(at: Cursor): Misfit[] {
  const [, byDefault] = at.string?.match(/^\$\{\w+:?[-=](true|false|yes|no|on|off|\d+|\d+\.\d+)\}$/) ?? []
  return byDefault === undefined ? [] : [{ at, wanted: wanted.text, byDefault }]
}

function isOf(form: keyof typeof wanted, at: Cursor): boolean {
  const value = at.isMap || at.isList ? undefined : at.value
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (form === 'boolean') return typeof value === 'boolean'
  if (form === 'number') return isNumber
  return at.string !== undefined || (form === 'number or text' && isNumber)
}

function ofValues(at: Cursor, values: readonly string[]): Misfit[] {
  if (at.string === undefined) return [{ at, wanted: wanted.text }]
  return values.includes(at.string) ? [] : [{ at, value: at.string, values }]
}
