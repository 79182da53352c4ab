import type { Shape } from '../../src/kubernetes/fields/shape'

/** A part of an OpenAPI schema, as a CustomResourceDefinition has it. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly enum?: readonly unknown[]
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
}

/** Parts with many fields that decide nothing about ingress: those of pods, and a running operation. */
const leftOut: readonly string[] = ['affinity', 'operation', 'podTemplate', 'securityContext', 'tolerations']

/** At most so many values of an enum are kept, as long ones grow with each release. */
const mostValues = 8

export function shapeOfSchema(schema: Schema, name = ''): Shape {
  if (leftOut.includes(name) || schema['x-kubernetes-preserve-unknown-fields']) return 'anything'
  if (schema['x-kubernetes-int-or-string']) return 'number or text'
  switch (schema.type) {
    case 'string':
      return valuesOf(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return schema.items ? { items: shapeOfSchema(schema.items) } : 'anything'
    case 'object':
      return ofObject(schema)
    default:
      return 'anything'
  }
}

function valuesOf({ enum: values }: Schema): Shape {
  const isKept = values && values.length <= mostValues && values.every((one) => /^[\w.-]+$/.test(String(one)))
  return isKept ? { values: values.map(String) } : 'text'
}

function ofObject({ properties, additionalProperties }: Schema): Shape {
  if (properties)
    return {
      keys: Object.fromEntries(Object.entries(properties).map(([key, its]) => [key, shapeOfSchema(its, key)])),
    }
  if (typeof additionalProperties === 'object') return { entries: shapeOfSchema(additionalProperties) }
  return 'anything'
}

/** The shape that fits whatever fits one of two. */
export function union(one: Shape, other: Shape): Shape {
  if (typeof one === 'string' || typeof other === 'string') return ofForms(one, other)
  if ('keys' in one && 'keys' in other) {
    const keys = [...new Set([...Object.keys(one.keys), ...Object.keys(other.keys)])].sort()
    return { keys: Object.fromEntries(keys.map((key) => [key, either(one.keys[key], other.keys[key])])) }
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
