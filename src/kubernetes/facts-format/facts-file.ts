import type { Static, TProperties, TSchema } from 'typebox'
import * as Type from 'typebox'

/** A map has no other keys than those of its schema. */
export const strict = { additionalProperties: false }
export const text = Type.String({ minLength: 1 })
export const texts = Type.Array(text, { minItems: 1 })
export const day = Type.String({ format: 'date' })
/** A minor release of Kubernetes. */
export const release = Type.String({ pattern: '^1\\.\\d+$' })
/** The source of a fact, and the day it was checked. */
export const proof = { source: Type.String({ pattern: '^https://' }), checked: day }

/** The schema of a file of `facts/`, which holds lists of rows. */
export function factsFile<Lists extends TProperties>(lists: Lists) {
  return Type.Object({ format: Type.Literal(1), ...lists }, strict)
}

/** The rows of a file of `facts/`. The tests hold each file against its schema, so that no run has to. */
export function factsIn<File extends TSchema>(_: File, written: unknown): Static<File> {
  return written as Static<File>
}
