import { closest } from '../../closest'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** An operator that the schema of a definition takes, and the one that Kubernetes has in its place. */
export interface MisspeltOperator {
  readonly at: Cursor
  readonly field: string
  readonly value: string
  readonly meant: string
}

/**
 * The operators of selectors of labels and of nodes. Source: kubernetes v1.36, staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go,
 * LabelSelectorOperator; staging/src/k8s.io/api/core/v1/types.go, NodeSelectorOperator
 */
const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

/** The misspelt operators in the schemas of a definition. */
export function misspeltOperatorsIn({ root, object }: Manifest): MisspeltOperator[] {
  // Definitions are long, and few list operators.
  if (!/\bNotIn\b/.test(object.content)) return []
  return [...root.at('spec', 'versions').items()].flatMap((version) =>
    misspeltBelow(version.at('schema', 'openAPIV3Schema'), []),
  )
}

function misspeltBelow(schema: Cursor, path: readonly string[]): MisspeltOperator[] {
  const fields = [...schema.at('properties').entries()]
  const below = fields.flatMap(([name, one]) => misspeltBelow(one, [...path, name]))
  const within = ['items', 'additionalProperties'].flatMap((part) => {
    const one = schema.at(part)
    return one.isMap ? misspeltBelow(one, path) : []
  })
  return [...misspeltAt(schema, path), ...below, ...within]
}

/** The misspelt values of a field that takes operators of selectors. */
function misspeltAt(schema: Cursor, path: readonly string[]): MisspeltOperator[] {
  const listed = [...schema.at('enum').items()]
  const values = listed.flatMap((one) => one.string ?? [])
  if (!['In', 'NotIn'].every((one) => values.includes(one))) return []
  const left = operators.filter((one) => !values.includes(one))
  return listed.flatMap((at) => {
    const value = at.string ?? ''
    const meant = operators.includes(value) ? undefined : closest(value, left)
    return meant === undefined ? [] : [{ at, field: path.join('.'), value, meant }]
  })
}
