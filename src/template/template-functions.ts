import { stringify } from 'yaml'
import { entryOf } from '../entry'

/** Ends the filling of a template, which stays as it is written. */
export class NotFilled extends Error {}

/** A value that is not among the data, so the tool itself cannot fill it in either. */
export class ValueMissing extends NotFilled {}

/** A value that only the environment of the deployer has; a template can write it and quote it, and do nothing else with it. */
export class Variable {
  constructor(readonly name: string) {}

  /** The notation of shells and of Flux, which rules take for any text. */
  toString(): string {
    return `\${${this.name}}`
  }
}

/** The most characters that a value may come to. */
const longest = 1_000_000

type Value = unknown

/** Functions of templates, by their names. */
export type Functions = Readonly<Record<string, (...args: unknown[]) => unknown>>

/**
 * The functions of Go templates that ApplicationSets use most.
 * https://pkg.go.dev/text/template#hdr-Functions and https://masterminds.github.io/sprig/
 */
const functions: Functions = {
  not: (one) => !isTrue(one),
  eq: (one, ...others) => others.some((other) => isSame(one, other)),
  ne: (one, other) => !isSame(one, other),
  lt: (one, other) => number(one) < number(other),
  gt: (one, other) => number(one) > number(other),
  le: (one, other) => number(one) <= number(other),
  ge: (one, other) => number(one) >= number(other),
  add: (...args) => args.reduce<number>((sum, one) => sum + number(one), 0),
  sub: (one, other) => number(one) - number(other),
  int: (one) => Math.trunc(number(one)),
  atoi: (one) => Math.trunc(number(one)),
  empty: (one) => !isTrue(one),
  default: (other, one) => (isTrue(one) ? one : other),
  coalesce: (...args) => args.find(isTrue),
  ternary: (yes, no, test) => (isTrue(test) ? yes : no),
  index: (one, ...keys) => keys.reduce((at, key) => itemOf(at, key), one),
  get: (one, key) => itemOf(one, text(key)) ?? '',
  dig: (...args) => args.slice(0, -2).reduce((at, key) => itemOf(at, text(key)), args.at(-1)) ?? args.at(-2),
  hasKey: (one, key) => itemOf(one, text(key)) !== undefined,
  has: (one, items) => list(items).some((item) => isSame(item, one)),
  len: (one) => (typeof one === 'string' ? one.length : Array.isArray(one) ? one.length : Object.keys(map(one)).length),
  list: (...args) => args,
  dict: (...args) =>
    Object.fromEntries(args.flatMap((one, index) => (index % 2 === 0 ? [[text(one), args[index + 1]]] : []))),
  first: (items) => list(items)[0],
  last: (items) => list(items).at(-1),
  keys: (one) => Object.keys(map(one)).sort(),
  join: (separator, items) => list(items).map(text).join(text(separator)),
  splitList: (separator, one) => text(one).split(text(separator)),
  contains: (part, one) => text(one).includes(text(part)),
  hasPrefix: (part, one) => text(one).startsWith(text(part)),
  hasSuffix: (part, one) => text(one).endsWith(text(part)),
  lower: (one) => text(one).toLowerCase(),
  upper: (one) => text(one).toUpperCase(),
  trim: (one) => text(one).trim(),
  toString: (one: Value) => text(one),
  print: (...args) => (args.every((one) => typeof one === 'string') ? args.join('') : undefined),
  quote: (one) => JSON.stringify(written(one)),
  squote: (one) => `'${written(one)}'`,
  normalize: (one) => normalized(text(one)),
  trimPrefix: (part, one) => (text(one).startsWith(text(part)) ? text(one).slice(text(part).length) : one),
  trimSuffix: (part, one) =>
    text(part) !== '' && text(one).endsWith(text(part)) ? text(one).slice(0, -text(part).length) : one,
  trunc: (length, one) => (number(length) < 0 ? text(one).slice(number(length)) : text(one).slice(0, number(length))),
  replace: (from, to, one) => (text(from) === '' ? undefined : text(one).replaceAll(text(from), () => text(to))),
  printf: (format, ...args) => printed(text(format), args.map(written)),
  toYaml: (one) => (isPlain(one) ? stringify(one, { lineWidth: 0 }).trimEnd() : undefined),
  toJson: (one) => (isPlain(one) ? JSON.stringify(one) : undefined),
  indent: (count, one) => indented(count, one),
  nindent: (count, one) => `\n${indented(count, one)}`,
}

/**
 * The value of a function.
 *
 * @throws NotFilled for a function that is not one of these, and for what it cannot take
 */
export function call(name: string, args: readonly Value[], own: Functions = {}): Value {
  const made = (entryOf(own, name) ?? entryOf(functions, name))?.(...args)
  if (made === undefined && !mayMiss.has(name)) throw new NotFilled()
  if (typeof made === 'string' && made.length > longest) throw new NotFilled()
  return made
}

/** The functions that may give what is not there, for others to take. */
const mayMiss = new Set(['default', 'coalesce', 'ternary', 'index', 'dig', 'first', 'last'])

/** Whether a template takes a value for true. */
export function isTrue(one: Value): boolean {
  if (one instanceof Variable) throw new NotFilled()
  if (Array.isArray(one)) return one.length > 0
  if (typeof one === 'object' && one !== null) return Object.keys(one).length > 0
  return Boolean(one)
}

/** A field of a map or an item of a list; undefined for one that is not there. */
export function itemOf(one: Value, key: Value): Value {
  if (Array.isArray(one)) return typeof key === 'number' ? one[key] : undefined
  if (one instanceof Variable) throw new NotFilled()
  return typeof one === 'object' && one !== null ? entryOf(one as Record<string, Value>, text(key)) : undefined
}

/** A value as a template writes it. */
export function written(one: Value): string {
  return one instanceof Variable ? String(one) : text(one)
}

/** A value that a function takes as a text. */
export function text(one: Value): string {
  if (typeof one === 'string') return one
  if (typeof one === 'number' || typeof one === 'boolean') return String(one)
  throw new NotFilled()
}

/** Whether a value has no text that is not known. */
function isPlain(one: Value): boolean {
  if (typeof one === 'object' && one !== null)
    return !(one instanceof Variable) && Object.values(one).every((item) => item === undefined || isPlain(item))
  return one !== undefined
}

function number(one: Value): number {
  const made = typeof one === 'string' ? Number(one) : one
  if (typeof made !== 'number' || Number.isNaN(made)) throw new NotFilled()
  return made
}

function list(one: Value): readonly Value[] {
  if (!Array.isArray(one)) throw new NotFilled()
  return one
}

function map(one: Value): object {
  if (typeof one !== 'object' || one === null || one instanceof Variable) throw new NotFilled()
  return one
}

/** Go compares values of one kind alone. */
function isSame(one: Value, other: Value): boolean {
  if (one instanceof Variable || other instanceof Variable) throw new NotFilled()
  if (one === undefined || other === undefined || typeof one === 'object') return false
  if (typeof one !== typeof other && other !== null) throw new NotFilled()
  return one === other
}

function indented(count: Value, one: Value): string {
  const blank = ' '.repeat(Math.min(number(count), 100))
  return blank + text(one).replaceAll('\n', `\n${blank}`)
}

/** Turns a text into a Kubernetes name as ApplicationSets do. */
export function normalized(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
}

/** Texts in the places of `%s`; any other place is not read. */
function printed(format: string, args: readonly string[]): string | undefined {
  const parts = format.split('%s')
  if (parts.length !== args.length + 1 || parts.some((part) => part.includes('%'))) return undefined
  return parts.map((part, index) => part + (args[index] ?? '')).join('')
}
