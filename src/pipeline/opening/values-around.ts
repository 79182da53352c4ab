import { Hunks } from '../../manifest/hunks'
import { fieldsOf } from '../../sources/untyped'
import type { Expression } from '../../template/conditions'
import { actionsOf } from '../../template/template-actions'
import { apiMark, Branches, merged, pathsNamedIn, type Wish } from './branches'
import { type NamedTemplate, namedTemplatesIn, type Printed, printedBy } from './named-templates'
import type { TemplateText } from './switches'
import { usesIn } from './template-uses'

/** The most releases that are made to come to changed lines: lines of an `if` and of its `else` need one each. */
const most = 3

/**
 * The values, and the APIs of the cluster, with which helm comes to the changed lines of templates: they meet the
 * conditions around these. Lines that it comes to with the values as they are need none.
 *
 * @param values the values of each side: those of charts in its `charts/` before its own, which replace them
 * @param templates those of both sides
 * @param set the values that are set already
 * @param removing the switches that stay off
 */
export function valuesAround(
  values: readonly (readonly unknown[])[],
  templates: readonly TemplateText[],
  set: Readonly<Record<string, unknown>>,
  removing: ReadonlySet<string> = new Set(),
): Wish[] {
  const used = new Set<string>()
  const named = new Set<string>()
  for (const { text, above } of templates) {
    const actions = actionsOf(text)
    for (const { path, how } of usesIn(actions)) if (how !== 'compared') used.add(wholeOf(path, above))
    for (const path of pathsNamedIn(actions)) named.add(wholeOf(path, above))
  }
  const isUsed = (path: string) => used.has(path) || [...used, ...named].some((one) => one.startsWith(`${path}.`))
  const ofNames = namedTemplatesIn(templates)
  const known = { values, set, isNew: values.length < 2, isUsed, removing, named: ofNames, printed: new Map() }
  const wishes = templates.flatMap((template) => wishesOf(template, known))
  const groups: Map<string, boolean | string>[] = []
  for (const wish of wishes) {
    if (wish.size === 0) continue
    const fitting = groups.find((group) => merged(group, wish) !== undefined)
    if (fitting) for (const [path, value] of wish) fitting.set(path, value)
    else if (groups.length < most) groups.push(new Map(wish))
  }
  return groups
}

interface Known {
  readonly values: readonly (readonly unknown[])[]
  readonly set: Readonly<Record<string, unknown>>
  /** Whether the chart is new: what it does with a value that it has no default for is not seen on another side. */
  readonly isNew: boolean
  readonly removing: ReadonlySet<string>
  readonly named: ReadonlyMap<string, NamedTemplate>
  /** The texts that named templates print, as far as they were read. */
  readonly printed: Map<string, readonly Printed[]>
  /** Whether a template uses a value in another way than to ask for it, or reads a field of it. */
  isUsed(path: string): boolean
}

/** What the conditions around each changed line of a template need. */
function wishesOf({ text, other, above }: TemplateText, known: Known): Wish[] {
  if (other === undefined) return []
  const hunks = new Hunks(other, text)
  const starts = lineStarts(text)
  const found: Wish[] = []
  const branches = new Branches((expression, isTrue) => solved(expression, isTrue, above, known))
  let from = 0
  let line = 1
  /** Notes what is needed for the changed lines up to a place of the text. */
  const noteUpTo = (to: number, isAction: boolean) => {
    for (; line <= starts.length; line++) {
      const [start = 0, end = text.length + 1] = [starts[line - 1], starts[line]]
      const isWritten = isAction || text.slice(Math.max(start, from), Math.min(end, to)).trim() !== ''
      if (isWritten && hunks.wrote(line)) {
        const { wish } = branches
        if (wish) found.push(wish)
      }
      if (end > to) break
    }
    from = to
  }
  for (const action of actionsOf(text)) {
    // The braces before its words.
    noteUpTo(text.lastIndexOf('{{', action.from), false)
    branches.pass(action)
    noteUpTo(action.to, true)
    from = text.indexOf('}}', action.to) + 2
  }
  noteUpTo(text.length, false)
  return found
}

/** The values with which an expression is true, or is false; none where it is, or where it is unknown. */
function solved(expression: Expression, isTrue: boolean, above: readonly string[], known: Known): Wish | undefined {
  const solve = (one: Expression, isWanted: boolean) => solved(one, isWanted, above, known)
  if (expression.kind === 'value') return valueFor(wholeOf(expression.path, above), isTrue, known)
  // A release is rendered without the APIs of extensions.
  if (expression.kind === 'api') return new Map(isTrue ? [[`${apiMark}${expression.name}`, true]] : [])
  if (expression.kind !== 'call') return new Map()
  const { name, operands } = expression
  const [first, second] = operands
  if (name === 'not' || name === 'empty') return first && solve(first, !isTrue)
  if (name === 'and' || name === 'or') {
    const each = operands.map((one) => solve(one, isTrue))
    return (name === 'and') === isTrue ? each.reduce(merged, new Map()) : each.find((one) => one !== undefined)
  }
  if (name === 'include') return first?.kind === 'text' ? printed(first.text, undefined, isTrue, known) : new Map()
  if (name === 'hasKey' && first?.kind === 'value' && second?.kind === 'text')
    return solve({ kind: 'value', path: [...first.path, second.text] }, isTrue)
  if (name !== 'eq' && name !== 'ne') return new Map()
  const replaceable = operands.find((one) => one.kind === 'call' && one.name === 'default')
  const [fallback, ofDefault] = replaceable?.kind === 'call' ? replaceable.operands : []
  const value = operands.find((one) => one.kind === 'value') ?? ofDefault
  const text = operands.find((one) => one.kind === 'text')
  const include = operands.find((one) => one.kind === 'call' && one.name === 'include')
  if (include?.kind === 'call' && include.operands[0]?.kind === 'text' && text?.kind === 'text')
    return printed(include.operands[0].text, text.text, (name === 'eq') === isTrue, known)
  if (value?.kind !== 'value' || text?.kind !== 'text' || (replaceable && fallback?.kind !== 'text')) return new Map()
  return textFor(wholeOf(value.path, above), text.text, (name === 'eq') === isTrue, known, fallback)
}

/**
 * The values with which a named template prints a text (any one, where none is given), or prints another one.
 *
 * @returns none where it prints nothing else, or what it prints is unknown
 */
function printed(name: string, text: string | undefined, isWanted: boolean, known: Known): Wish | undefined {
  const isFitting = (one: string) => (text === undefined ? one !== '' : one === text) === isWanted
  const fitting = textsOf(name, known).filter((one) => isFitting(one.text))
  return fitting.length === 0 ? new Map() : fitting.find(({ wish }) => wish !== undefined)?.wish
}

function textsOf(name: string, known: Known): readonly Printed[] {
  const before = known.printed.get(name)
  const template = known.named.get(name)
  if (before || !template) return before ?? []
  // What a template that includes itself prints within is unknown.
  known.printed.set(name, [])
  const texts = printedBy(template.text, (expression, isTrue) => solved(expression, isTrue, template.above, known))
  known.printed.set(name, texts)
  return texts
}

/** The value at a path that counts as true, or as false. */
function valueFor(path: string, isTrue: boolean, known: Known): Wish | undefined {
  const its = valuesAt(path, known)
  if (!its || !isPlain(path)) return undefined
  if (its.every((one) => isSet(one) === isTrue)) return new Map()
  const isSwitch = its.every((one) => typeof one === 'boolean' || one === undefined || one === null)
  if (!isSwitch || (isTrue && known.removing.has(path))) return undefined
  // A value that is also printed may be a text or a map.
  const isKnown = its.some((one) => typeof one === 'boolean')
  return isKnown || (isTrue && !known.isNew && !known.isUsed(path)) ? new Map([[path, isTrue]]) : undefined
}

/**
 * The value at a path that is a text, or is not.
 *
 * @param fallback the text that `default` puts in place of a missing value
 */
function textFor(path: string, text: string, isEqual: boolean, known: Known, fallback?: Expression): Wish | undefined {
  const found = valuesAt(path, known)
  if (!found || !isPlain(path)) return undefined
  const its = fallback?.kind === 'text' ? found.map((one) => (isSet(one) ? one : fallback.text)) : found
  if (its.every((one) => (one === text) === isEqual)) return new Map()
  const isText = its.every((one) => one === undefined || one === null || typeof one === 'string')
  // `eq` compares a text with no switch, so one that has no value yet is given a text.
  const isSwitch = (text === 'true' || text === 'false') && its.some((one) => typeof one === 'boolean')
  if (isSwitch) return valueFor(path, (text === 'true') === isEqual, known)
  return isEqual && isText ? new Map([[path, text]]) : undefined
}

/** The values at a path on each side; undefined where something other than a map is above it. */
function valuesAt(path: string, { values, set }: Known): readonly unknown[] | undefined {
  if (Object.hasOwn(set, path)) return [set[path]]
  const keys = path.split('.')
  const found = values.map((files) => files.map((one) => valueAt(one, keys)).findLast((one) => one !== undefined))
  return found.includes(blocked) ? undefined : found
}

/** What is at a path below something other than a map. */
const blocked = Symbol('blocked')

function valueAt(values: unknown, keys: readonly string[]): unknown {
  let value = values
  for (const key of keys) {
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'object' || Array.isArray(value)) return blocked
    value = Object.hasOwn(fieldsOf(value), key) ? fieldsOf(value)[key] : undefined
  }
  return value
}

/** Whether a template counts a value as true. */
function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function isPlain(path: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)*$/.test(path)
}

function wholeOf(path: readonly string[], above: readonly string[]): string {
  return (path[0] === 'global' ? path : [...above, ...path]).join('.')
}

/** The offsets at which the lines of a text start. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
