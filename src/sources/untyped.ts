import { type Document, isNode, parseDocument } from 'yaml'

/** A map of an object that was not validated. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a value; none when it is no map. */
export function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A scalar as text; empty for a map or a list. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The data of a YAML text; undefined if it cannot be read, or is expanded beyond the limit by aliases. */
export function dataIn(text: string): unknown {
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent' })
  return document.errors.length > 0 ? undefined : dataOfNode(document.contents, document)
}

/** The data of a node; undefined if aliases expand it beyond the limit. */
export function dataOfNode(node: unknown, document: Document): unknown {
  try {
    return isNode(node) ? node.toJS(document, { maxAliasCount: 100 }) : undefined
  } catch {
    return undefined
  }
}

/** Whether a string occurs anywhere in a value. */
export function holds(value: unknown, text: string): boolean {
  if (value === text) return true
  if (value === null || typeof value !== 'object') return false
  return Object.values(value).some((one) => holds(one, text))
}
