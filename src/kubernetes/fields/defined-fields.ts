import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { definitionsOf } from '../object/custom-resource'
import type { Misfit } from './shape'

/** Whether a CustomResourceDefinition of the cluster takes a part of an object that the known releases do not take. */
export function isTakenByDefinition(
  misfit: Misfit,
  { object: { apiVersion, ref } }: Manifest,
  snapshot: Snapshot,
): boolean {
  const version = apiVersion.split('/')[1]
  return definitionsOf(snapshot, ref.group, ref.kind).some(({ root }) =>
    [...root.at('spec', 'versions').items()].some(
      (one) => one.at('name').string === version && takes(one.at('schema', 'openAPIV3Schema'), misfit),
    ),
  )
}

function takes(schema: Cursor, misfit: Misfit): boolean {
  let at = schema
  for (const step of misfit.at.path) {
    if (at.at('x-kubernetes-preserve-unknown-fields').value === true) return true
    const field = typeof step === 'number' ? at.at('items') : at.at('properties', step)
    at = field.exists ? field : at.at('additionalProperties')
    if (!at.exists) return false
  }
  if ('key' in misfit) return true
  if ('values' in misfit) {
    const values = [...at.at('enum').items()].map((one) => one.string)
    return values.length === 0 || values.includes(misfit.value)
  }
  return at.at('type').string !== typeOf(misfit.wanted)
}

/** The type of a schema that a form is of, as a misfit names it. */
function typeOf(wanted: string): string | undefined {
  return types.get(wanted)
}

const types: ReadonlyMap<string, string> = new Map([
  ['a string', 'string'],
  ['a number without quotes', 'integer'],
  ['true or false without quotes', 'boolean'],
  ['a list', 'array'],
  ['a map', 'object'],
])
