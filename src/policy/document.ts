import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020'
import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLParseError,
} from 'yaml'
import { didYouMean } from '../closest'
import { entryOf } from '../entry'
import { GuardError, type GuardErrorCode } from '../errors'
import { enumerated } from '../listing'
import { readYaml } from '../manifest/document-reader'
import { Lines } from '../manifest/lines'
import type { LoadedObject } from '../manifest/load'
import type { ObjectRef } from '../manifest/manifest'
import { PackageNodes } from '../manifest/package-nodes'
import { type Region, startOf } from '../region'

interface Fault {
  readonly reason: string
  readonly from: number
  readonly to: number
}

/** A validated YAML 1.2 document of ours that still knows where each value is written. */
export interface OwnDocument<T> {
  readonly value: T
  regionOf(path: readonly (string | number)[]): Region
  /** The place of the last key of a path; the value's place for an item of a list. */
  regionOfKey(path: readonly (string | number)[]): Region
  /** The map at a path as an object that cursors can walk. */
  objectAt(path: readonly (string | number)[], ref: ObjectRef): LoadedObject
}

const start = startOf(1)
const compiled = new WeakMap<object, ValidateFunction>()

function validatorOf(schema: AnySchema & object): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) {
    // The schemas are ours: the tests hold them against the meta-schema, which costs each run as long as all the rest
    // of this.
    const ajv = new Ajv2020({
      meta: false,
      validateSchema: false,
      verbose: true,
      strict: false,
      formats: { date: isDate },
    })
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  return validate
}

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
export function readOwnDocument<T>(
  text: string,
  path: string,
  schema: AnySchema & object,
  code: GuardErrorCode,
): OwnDocument<T> {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, logLevel: 'error', prettyErrors: false })
  const region = (from: number, to: number): Region => {
    const [a, b] = [counter.linePos(from), counter.linePos(Math.max(from, to))]
    return { startLine: a.line || 1, startColumn: a.col || 1, endLine: b.line || 1, endColumn: b.col || 1 }
  }
  const [syntax] = document.errors
  if (syntax) {
    const { reason, from, to } = syntaxFaultIn(text, syntax)
    throw new GuardError(code, `This file is not valid YAML: ${reason}.`, { path, region: region(from, to) })
  }
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
    const nodes = new PackageNodes(document)
    return {
      ref,
      apiVersion: '',
      node: nodes.of(node),
      content: text.slice(from, to).trim(),
      fileText: text,
      lines,
      region: region(from, to),
      duplicateKeys: [],
      regionOf: (one) => region(one.from, one.to),
      resolve: (alias) => nodes.resolve(alias),
    }
  }
  return { value: value as T, regionOf, regionOfKey, objectAt }
}

/** What kubectl accepts in a manifest, and is a mistake in a file of ours. */
const stricter: Partial<Record<YAMLParseError['code'], string>> = {
  DUPLICATE_KEY: 'a key is written twice in one map',
  MULTIPLE_DOCS: 'it has more than one document; write one',
}

/** The words for manifests, where their reader refuses the text, too; else those of the package. */
function syntaxFaultIn(text: string, { code, message, pos }: YAMLParseError): Fault {
  const [from, to] = pos
  const words = stricter[code]
  if (words) return { reason: words, from, to }
  const read = readYaml(text)
  return 'reason' in read ? read : { reason: message.split('\n')[0] ?? '', from, to }
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

/** The reason why a value does not fit a schema: the place in it, and a sentence with the allowed values. */
export function findFailure(
  schema: AnySchema & object,
  value: unknown,
): { keys: (string | number)[]; unknownKey?: string; sentence: string } | undefined {
  const validate = validatorOf(schema)
  if (validate(value)) return undefined
  const error = mostSpecific(validate.errors ?? [])
  const keys = keysIn(error.instancePath, value)
  const sentence = sentenceFor(error, keys)
  return error.keyword === 'additionalProperties'
    ? { keys, sentence, unknownKey: String(error.params.additionalProperty) }
    : { keys, sentence }
}

/** The failure of the alternative that was actually written. */
function mostSpecific(errors: readonly ErrorObject[]): ErrorObject {
  const union = errors.find((error) => error.keyword === 'anyOf')
  const [first] = errors
  if (!first) throw new GuardError('internal', 'A validation failed without a reason.')
  if (!union) return first
  return (
    errors.find((error) => error.keyword !== 'type' && error.keyword !== 'const' && error.keyword !== 'anyOf') ?? union
  )
}

function keysIn(pointer: string, value: unknown): (string | number)[] {
  let current = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(current) ? Number(key) : key
      current = entryOf(current as Record<string, unknown>, key)
      return step
    })
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

/** A longer list hides the one name that is wanted. */
const listedChoices = 40

/** The end of a sentence on a name that is not allowed: the allowed ones, or the nearest of many. */
function choiceOf(given: string, allowed: readonly string[], lead: string): string {
  if (allowed.length <= listedChoices) return `${lead} ${allowed.join(', ')}.`
  const near = didYouMean(given, allowed)
  return `${lead} one of ${allowed.length}, such as ${enumerated(allowed.slice(0, 3), 3)}.${near}`
}

function sentenceFor(error: ErrorObject, keys: readonly (string | number)[]): string {
  const name = keys.length > 0 ? `\`${dotted(keys)}\`` : 'The file'
  const { params, parentSchema, schema } = error
  switch (error.keyword) {
    case 'additionalProperties': {
      const allowed = Object.keys((parentSchema as { properties?: object }).properties ?? {})
      const given = String(params.additionalProperty)
      return `The key \`${given}\` is not allowed here; ${choiceOf(given, allowed, 'the keys are')}`
    }
    case 'required': {
      const allowed = Object.keys((parentSchema as { properties?: object }).properties ?? {})
      return `${name} lacks the key \`${params.missingProperty}\`; the keys are ${allowed.join(', ')}.`
    }
    case 'const':
      return `${name} must be ${JSON.stringify(params.allowedValue)}, not ${written(error.data)}.`
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String)
      if (allowed.length > listedChoices)
        return `${name} cannot be ${written(error.data)}; ${choiceOf(String(error.data), allowed, 'it may be')}`
      return `${name} must be one of ${allowed.join(', ')}, not ${written(error.data)}.`
    }
    case 'anyOf': {
      const types = (schema as { type?: string }[]).map((option) => article(option.type ?? 'value'))
      return `${name} must be ${types.join(' or ')}, not ${written(error.data)}.`
    }
    case 'type': {
      const quoting = params.type === 'string' && typeof error.data === 'number' ? '; quote it' : ''
      return `${name} must be ${article(String(params.type))}, not ${written(error.data)}${quoting}.`
    }
    case 'format':
      return `${name} must be an existing date (YYYY-MM-DD), not ${written(error.data)}.`
    case 'pattern':
    case 'propertyNames': {
      const { description } = parentSchema as { description?: string }
      return `${name} is ${written(error.data)}, which does not have the required form${description ? `: ${description}` : '.'}`
    }
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
