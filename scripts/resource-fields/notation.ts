import type { Shape } from '../../src/kubernetes/fields/shape'

const signs = { anything: '*', text: '', number: '#', 'number or text': '~', boolean: '?' } as const

/** A shape in the notation of `facts/resource-fields.yaml`, with the parts that have a name. */
export function notationOf(shape: Shape, named: ReadonlyMap<string, string>): string {
  if (typeof shape === 'string') return signs[shape]
  if ('values' in shape) return `(${shape.values.join('|')})`
  if ('items' in shape) return `[${notationOf(shape.items, named)}]`
  if ('entries' in shape) return `<${notationOf(shape.entries, named)}>`
  if ('some' in shape) return signs.anything
  const name = named.get(JSON.stringify(shape))
  return name ? `@${name}` : `{${fieldsIn(shape, named)}}`
}

/** The fields of a map, without the braces. */
export function fieldsIn(
  { keys, required = [] }: Extract<Shape, { keys: unknown }>,
  named: ReadonlyMap<string, string>,
): string {
  return Object.entries(keys)
    .map(([key, shape]) => key + (required.includes(key) ? '!' : '') + notationOf(shape, named))
    .join(' ')
}

/** A map that occurs more than once. */
export interface Part {
  readonly name: string
  readonly shape: Shape
}

/**
 * The maps that occur more than once and are long enough for a name, each after the field that has it first, by their
 * text. Those that one contains come before it.
 */
export function partsOf(shapes: Iterable<Shape>): Map<string, Part> {
  const counts = new Map<string, { count: number; key: string; shape: Shape }>()
  const visit = (shape: Shape, key: string): void => {
    if (typeof shape === 'string' || 'values' in shape || 'some' in shape) return
    if ('items' in shape || 'entries' in shape) {
      visit('items' in shape ? shape.items : shape.entries, key)
      return
    }
    const text = JSON.stringify(shape)
    const known = counts.get(text)
    if (known) {
      known.count++
      return
    }
    for (const [name, field] of Object.entries(shape.keys)) visit(field, name)
    counts.set(text, { count: 1, key, shape })
  }
  for (const shape of shapes) {
    // A whole kind is no part.
    if (typeof shape !== 'string' && 'keys' in shape)
      for (const [name, field] of Object.entries(shape.keys)) visit(field, name)
  }
  const taken = new Map<string, number>()
  return new Map(
    [...counts].flatMap(([text, { count, key, shape }]): [string, Part][] => {
      if (count < 2 || text.length < shortest) return []
      const number = (taken.get(key) ?? 0) + 1
      taken.set(key, number)
      return [[text, { name: number === 1 ? key : `${key}${number}`, shape }]]
    }),
  )
}

/** The length of a map as JSON from which on a name for it saves space. */
const shortest = 70
