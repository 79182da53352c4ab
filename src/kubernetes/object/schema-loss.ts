import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** A field of all objects of a CustomResourceDefinition whose content it no longer admits. */
export interface SchemaLoss {
  readonly at: Cursor
  readonly before: Cursor
  readonly version: string
  /** What it admits in the place of the content, in words. */
  readonly left: string
}

/** The fields that the API server keeps whatever the schema says, and the one that controllers write. */
const always: readonly string[] = ['apiVersion', 'kind', 'metadata', 'status']

/**
 * The content that a change of a CustomResourceDefinition lets the API server prune from all of its objects: it drops the
 * fields that the schema of their version does not have, both when they are written and when they are read. Source:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
 */
export function schemaLossesOf(before: Manifest, after: Manifest): SchemaLoss[] {
  if (after.root.at('spec', 'preserveUnknownFields').value === true) return []
  const had = new Map(schemasOf(before))
  return schemasOf(after).flatMap(([version, at]) => {
    const was = had.get(version)
    return was ? lossesBetween(was, at).map((one) => ({ ...one, version })) : []
  })
}

function lossesBetween(before: Cursor, at: Cursor): Omit<SchemaLoss, 'version'>[] {
  if (isOpen(at)) return []
  const filled = filledOf(before)
  if (filledOf(at).length === 0) return isOpen(before) || filled.length > 0 ? [{ at, before, left: 'no field' }] : []
  return filled.flatMap(([field, was]) => {
    const now = at.at('properties', field)
    // Other fields may be dropped with a reason, but not the one that says what an object is for.
    if (admits(now) || !(now.exists || field === 'spec')) return []
    return [{ at: now.exists ? now : at.at('properties'), before: was, left: `nothing in ${field}` }]
  })
}

/** The schemas of the versions that it serves. */
function schemasOf({ root }: Manifest): [string, Cursor][] {
  return [...root.at('spec', 'versions').items()].flatMap((one) => {
    const [name, schema] = [one.at('name').string, one.at('schema', 'openAPIV3Schema')]
    return name !== undefined && schema.isMap ? [[name, schema] as [string, Cursor]] : []
  })
}

/** The fields with content that are not the same for all kinds. */
function filledOf(schema: Cursor): [string, Cursor][] {
  return [...schema.at('properties').entries()].filter(([field, one]) => !always.includes(field) && isFilled(one))
}

/** Whether a schema keeps fields that it does not list. */
function isOpen(schema: Cursor): boolean {
  const others = schema.at('additionalProperties')
  const marks = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
  return marks.some((mark) => schema.at(mark).value === true) || (others.exists && others.value !== false)
}

/** Whether a schema keeps what is in objects, or in lists of them. */
function isFilled(schema: Cursor): boolean {
  const items = schema.at('items')
  return isOpen(schema) || [...schema.at('properties').entries()].length > 0 || (items.isMap && admits(items))
}

/** The same, or is for a plain value, which has no fields to lose. */
function admits(schema: Cursor): boolean {
  const type = schema.at('type').string
  const isPlain = type !== undefined && type !== 'object' && type !== 'array'
  return isPlain || schema.at('x-kubernetes-int-or-string').value === true || isFilled(schema)
}
