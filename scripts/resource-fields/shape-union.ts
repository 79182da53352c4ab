import type { Shape } from '../../src/kubernetes/fields/shape'

/** The shape that fits whatever fits one of two. */
export function union(one: Shape, other: Shape): Shape {
  if (typeof one === 'string' || typeof other === 'string') return ofForms(one, other)
  if ('keys' in one && 'keys' in other) {
    const keys = [...new Set([...Object.keys(one.keys), ...Object.keys(other.keys)])].sort()
    const required = one.required?.filter((key) => other.required?.includes(key)) ?? []
    return {
      keys: Object.fromEntries(keys.map((key) => [key, either(one.keys[key], other.keys[key])])),
      ...(required.length > 0 ? { required } : {}),
    }
  }
  if ('items' in one && 'items' in other) return { items: union(one.items, other.items) }
  if ('entries' in one && 'entries' in other) return { entries: union(one.entries, other.entries) }
  if ('values' in one && 'values' in other) return { values: [...new Set([...one.values, ...other.values])].sort() }
  return 'anything'
}

function either(one: Shape | undefined, other: Shape | undefined): Shape {
  return one !== undefined && other !== undefined ? union(one, other) : (one ?? other ?? 'anything')
}

function ofForms(one: Shape, other: Shape): Shape {
  if (one === other) return one
  const forms = [one, other].map((shape) => (typeof shape !== 'string' && 'values' in shape ? 'text' : shape))
  if (forms.every((form) => form === 'text')) return 'text'
  const isEither = forms.every((form) => form === 'text' || form === 'number' || form === 'number or text')
  return isEither ? 'number or text' : 'anything'
}
