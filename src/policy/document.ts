import type { TLocalizedValidationError } from 'typebox/error'
import { Check, Errors } from 'typebox/schema'
import { type Alias, type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { entryOf } from '../entry'
import { GuardError, type GuardErrorCode } from '../errors'
import { Lines } from '../manifest/lines'
import type { LoadedObject } from '../manifest/load'
import type { ObjectRef } from '../manifest/manifest'
import { type Region, startOf } from '../region'

/** A validated YAML 1.2 document of ours that still knows where each value is written. */
export interface OwnDocument<T> {
  readonly value: T
  regionOf(path: readonly (string | number)[]): Region
  /** Where the last key of a path is written; the value's place for an item of a list. */
  regionOfKey(path: readonly (string | number)[]): Region
  /** The map at a path as an object that cursors can walk. */
  objectAt(path: readonly (string | number)[], ref: ObjectRef): LoadedObject
}

const start = startOf(1)
/** A day that exists, as YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

/**
 * Reads and validates one of the tool's own files.
 *
 * @throws GuardError of the given code, at the file and line, with the allowed values
 */
export function readOwnDocument<T>(text: string, path: string, schema: object, code: GuardErrorCode): OwnDocument<T> {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, logLevel: 'error', prettyErrors: false })
  const region = (from: number, to: number): Region => {
    const [a, b] = [counter.linePos(from), counter.linePos(Math.max(from, to))]
    return { startLine: a.line || 1, startColumn: a.col || 1, endLine: b.line || 1, endColumn: b.col || 1 }
  }
  const syntax = document.errors[0]
  if (syntax) throw new GuardError(code, `${syntax.message.split('\n')[0]}.`, { path, region: region(...syntax.pos) })
  const regionOf = (keys: readonly (string | number)[]): Region => {
    const node = nodeAt(document, keys)
    return node?.range ? region(node.range[0], node.range[1]) : start
  }
  const lost = lostAliasIn(document)
  if (lost) {
    const [from, to] = lost.range ?? [0, 0]
    throw new GuardError(code, `The alias *${lost.source} has no anchor.`, { path, region: region(from, to) })
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch (cause) {
    const message = 'Its aliases expand endlessly; write the values out.'
    throw new GuardError(code, message, { path, region: start }, { cause })
  }
  const failure = findFailure(schema, value)
  if (failure) {
    const at = failure.unknownKey === undefined ? undefined : keyAt(document, failure.keys, failure.unknownKey)
    throw new GuardError(code, failure.sentence, {
      path,
      region: at?.range ? region(at.range[0], at.range[1]) : regionOf(failure.keys),
    })
  }
  const regionOfKey = (keys: readonly (string | number)[]): Region => {
    const key = keyAt(document, keys.slice(0, -1), String(keys.at(-1)))
    return key?.range ? region(key.range[0], key.range[1]) : regionOf(keys)
  }
  const lines = new Lines(text)
  const objectAt = (keys: readonly (string | number)[], ref: ObjectRef): LoadedObject => {
    const node = nodeAt(document, keys)
    if (!node) throw new GuardError('internal', 'A document that was validated is empty.', { path })
    const [from, to] = node.range ?? [0, text.length]
    return {
      ref,
      apiVersion: '',
      node,
      content: text.slice(from, to).trim(),
      fileText: text,
      lines,
      region: region(from, to),
      duplicateKeys: [],
      regionOf: ({ range }) => (range ? region(range[0], range[1]) : start),
      resolve: (alias) => alias.resolve(document),
    }
  }
  return { value: value as T, regionOf, regionOfKey, objectAt }
}

function lostAliasIn(document: Document.Parsed): Alias | undefined {
  let lost: Alias | undefined
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document)) lost ??= alias
    },
  })
  return lost
}

/** Why a value does not fit a schema: the place in it, and a sentence with the allowed values. */
export function findFailure(
  schema: object,
  value: unknown,
): { keys: (string | number)[]; unknownKey?: string; sentence: string } | undefined {
  if (Check(schema, value)) return undefined
  const [, errors] = Errors(schema, value)
  const error = mostSpecific(errors)
  const { keys, found } = follow(value, error.instancePath)
  const sentence = sentenceFor(error, keys, found, follow(schema, error.schemaPath).found as Unmet)
  return error.keyword === 'additionalProperties'
    ? { keys, sentence, unknownKey: error.params.additionalProperties[0] ?? '' }
    : { keys, sentence }
}

/** A part of a schema that is not met. */
interface Unmet {
  readonly properties?: object
  readonly description?: string
  readonly anyOf?: readonly { readonly type?: string }[]
}

/** The failure nearest to the root; of an alternative, that of the one that was actually written. */
function mostSpecific(errors: readonly TLocalizedValidationError[]): TLocalizedValidationError {
  // A key that is not allowed fails twice: as a key of the map, and as a value that nothing may have.
  const [first, ...others] = errors.filter(({ keyword }) => keyword !== 'boolean')
  if (!first) throw new GuardError('internal', 'A validation failed without a reason.')
  const above = others.find(
    ({ keyword, instancePath }) =>
      (keyword === 'required' || keyword === 'additionalProperties') && isAbove(instancePath, first.instancePath),
  )
  if (above) return above
  const union = errors.find(({ keyword }) => keyword === 'anyOf')
  const inside = ({ keyword }: TLocalizedValidationError) => !['type', 'const', 'anyOf', 'boolean'].includes(keyword)
  return union ? (errors.find(inside) ?? union) : first
}

function isAbove(pointer: string, other: string): boolean {
  return other !== pointer && other.startsWith(`${pointer}/`)
}

/** The keys that a pointer (`/clusters/prod`) leads by, those of lists as numbers, and where it leads to. */
function follow(value: unknown, pointer: string): { keys: (string | number)[]; found: unknown } {
  let found = value
  const parts = pointer.split('/').slice(1)
  const keys = parts.map((part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const step = Array.isArray(found) ? Number(key) : key
    found = entryOf(found as Record<string, unknown>, key)
    return step
  })
  return { keys, found }
}

function nodeAt(document: Document.Parsed, keys: readonly (string | number)[]): Node | undefined {
  for (let length = keys.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true)
    if (isNode(node) && node.range) return node
  }
  return undefined
}

function keyAt(document: Document.Parsed, keys: readonly (string | number)[], name: string): Node | undefined {
  const map = keys.length === 0 ? document.contents : document.getIn(keys, true)
  const key = isMap(map) ? map.items.find((pair) => isScalar(pair.key) && pair.key.value === name)?.key : undefined
  return isNode(key) ? key : undefined
}

function sentenceFor(
  error: TLocalizedValidationError,
  keys: readonly (string | number)[],
  found: unknown,
  { properties = {}, description, anyOf = [] }: Unmet,
): string {
  const name = keys.length > 0 ? `\`${dotted(keys)}\`` : 'The file'
  const allowed = Object.keys(properties).join(', ')
  switch (error.keyword) {
    case 'additionalProperties':
      return `The key \`${error.params.additionalProperties[0]}\` is not allowed here; the keys are ${allowed}.`
    case 'required':
      return `${name} lacks the key \`${error.params.requiredProperties[0]}\`; the keys are ${allowed}.`
    case 'const':
      return `${name} must be ${JSON.stringify(error.params.allowedValue)}, not ${written(found)}.`
    case 'enum':
      return `${name} must be one of ${error.params.allowedValues.join(', ')}, not ${written(found)}.`
    case 'anyOf': {
      const types = anyOf.map((option) => article(option.type ?? 'value'))
      return `${name} must be ${types.join(' or ')}, not ${written(found)}.`
    }
    case 'type': {
      const quoting = error.params.type === 'string' && typeof found === 'number' ? '; quote it' : ''
      return `${name} must be ${article(String(error.params.type))}, not ${written(found)}${quoting}.`
    }
    case 'format':
      return `${name} must be an existing date (YYYY-MM-DD), not ${written(found)}.`
    case 'pattern':
      return `${name} is ${written(found)}, which does not have the required form${description ? `: ${description}` : '.'}`
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return `${name} is empty.`
    default:
      return `${name} ${error.message}.`
  }
}

function dotted(keys: readonly (string | number)[]): string {
  return keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('')
}

function article(type: string): string {
  const words: Record<string, string> = {
    object: 'a map',
    array: 'a list',
    string: 'a string',
    integer: 'a whole number',
  }
  return entryOf(words, type) ?? `a ${type}`
}

function written(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value !== null && typeof value === 'object') return 'a map'
  return JSON.stringify(value)
}
