import { entryOf } from '../../entry'
import type { Shape } from './shape'

/** A part of an OpenAPI schema, as a CustomResourceDefinition has it. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
}

/** At most so many values of an enum are kept, as long ones grow with each release. */
const mostValues = 8

/**
 * The shape of values that a schema takes.
 *
 * @param leftOut names of fields that may have any value
 */
export function shapeOfSchema(schema: Schema, leftOut: readonly string[] = []): Shape {
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-embedded-resource'])
    return ofOpen(schema, leftOut)
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
      return schema.items ? { items: shapeOfSchema(schema.items, leftOut) } : 'anything'
    case 'object':
      return ofObject(schema, leftOut)
    default:
      return 'anything'
  }
}

function valuesOf({ enum: values }: Schema): Shape {
  const isKept = values && values.length <= mostValues && values.every((one) => /^[\w.-]+$/.test(String(one)))
  return isKept ? { values: values.map(String) } : 'text'
}

function ofOpen(schema: Schema, leftOut: readonly string[]): Shape {
  return schema.properties ? { some: fieldsOf(schema.properties, leftOut), ...requiredBy(schema) } : 'anything'
}

function ofObject(schema: Schema, leftOut: readonly string[]): Shape {
  const { properties, additionalProperties } = schema
  if (properties) return { keys: fieldsOf(properties, leftOut), ...requiredBy(schema) }
  if (typeof additionalProperties === 'object') return { entries: shapeOfSchema(additionalProperties, leftOut) }
  return 'anything'
}

function fieldsOf(properties: Readonly<Record<string, Schema>>, leftOut: readonly string[]): Record<string, Shape> {
  const fields = Object.entries(properties).map(([key, its]): [string, Shape] => [
    key,
    leftOut.includes(key) ? 'anything' : shapeOfSchema(its, leftOut),
  ])
  return Object.fromEntries(fields)
}

/** The fields that an object has to set itself: a default fills in the others. */
function requiredBy({ properties = {}, required = [] }: Schema): { required?: readonly string[] } {
  const own = required.filter((field) => entryOf(properties, field)?.default === undefined)
  return own.length > 0 ? { required: own } : {}
}
