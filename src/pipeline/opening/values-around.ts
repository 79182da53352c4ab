import { Hunks } from '../../manifest/hunks'
import { fieldsOf } from '../../sources/untyped'
import { type Expression, expressionOf } from '../../template/conditions'
import { type Action, actionsOf, type Word } from '../../template/template-actions'
import type { TemplateText } from './switches'
import { pathIn, usesIn } from './template-uses'

/** Values by their paths: `ingress.enabled`; and APIs that the cluster has, by their names behind `apiMark`. */
export type Wish = ReadonlyMap<string, boolean | string>

/** What is before the name of an API in a wish: no path of a value has a colon. */
export const apiMark = 'API:'

/** The most releases that are made to come to changed lines: lines of an `if` and of its `else` need one each. */
const most = 3

/**
 * The values, and the APIs of the cluster, with which helm comes to the changed lines of templates: they meet the
 * conditions around these. Lines that it comes to with the values as they are need none.
 *
 * @param values the values of each side: those of charts in its `charts/` before its own, which replace them
 * @param templates those of both sides
 * @param set the values that are set already
 */
export function valuesAround(
  values: readonly (readonly unknown[])[],
  templates: readonly TemplateText[],
  set: Readonly<Record<string, unknown>>,
): Wish[] {
  const used = new Set(
    templates.flatMap(({ text, above }) =>
      usesIn(actionsOf(text)).flatMap(({ path, how }) => (how === 'compared' ? [] : [wholeOf(path, above)])),
    ),
  )
  const isUsed = (path: string) => used.has(path) || [...used].some((one) => one.startsWith(`${path}.`))
  const known = { values, set, isNew: values.length < 2, isUsed }
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
  /** Whether a template uses a value in another way than to ask for it. */
  isUsed(path: string): boolean
}

/** A block that an `end` closes. */
interface Block {
  dot: readonly string[] | undefined
  readonly outer: readonly string[] | undefined
  /** What its conditions need; undefined where nothing is known to meet them. */
  wish: Wish | undefined
  /** The conditions of its branches before. */
  readonly denied: Expression[]
}

/** What the conditions around each changed line of a template need. */
function wishesOf({ text, other, above }: TemplateText, known: Known): Wish[] {
  if (other === undefined) return []
  const hunks = new Hunks(other, text)
  const starts = lineStarts(text)
  const found: Wish[] = []
  const open: Block[] = []
  const variables = new Map<string, readonly string[] | undefined>()
  let from = 0
  let line = 1
  /** Notes what is needed for the changed lines up to a place of the text. */
  const noteUpTo = (to: number, isAction: boolean) => {
    for (; line <= starts.length; line++) {
      const [start = 0, end = text.length + 1] = [starts[line - 1], starts[line]]
      const isWritten = isAction || text.slice(Math.max(start, from), Math.min(end, to)).trim() !== ''
      if (isWritten && hunks.wrote(line)) {
        const wish = wishOf(open)
        if (wish) found.push(wish)
      }
      if (end > to) break
    }
    from = to
  }
  for (const action of actionsOf(text)) {
    // The braces before its words.
    noteUpTo(text.lastIndexOf('{{', action.from), false)
    enter(action, open, variables, (expression, isTrue) => solved(expression, isTrue, above, known))
    noteUpTo(action.to, true)
    from = text.indexOf('}}', action.to) + 2
  }
  noteUpTo(text.length, false)
  return found
}

function enter(
  { words }: Action,
  open: Block[],
  variables: Map<string, readonly string[] | undefined>,
  solve: (expression: Expression, isTrue: boolean) => Wish | undefined,
): void {
  const [first = '', second = ''] = words.map(({ text }) => text)
  const block = open.at(-1)
  const dot = block?.dot
  const pathOf = (word: string) => pathIn(word, dot, variables)
  const read = (those: readonly Word[]) => expressionOf(those, pathOf)
  if (first === 'end') open.pop()
  else if (first === 'else') {
    if (!block) return
    block.dot = block.outer
    const denials = block.denied.map((expression) => solve(expression, false))
    const next = second === 'if' || second === 'with' ? read(words.slice(2)) : undefined
    block.wish = [...denials, next ? solve(next, true) : new Map()].reduce(merged)
    if (next) block.denied.push(next)
    if (second === 'with' && next?.kind === 'value') block.dot = next.path
  } else if (first === 'if' || first === 'with') {
    const declared = second.startsWith('$') && words[2]?.text === ':='
    const expression = read(words.slice(declared ? 3 : 1))
    const path = expression.kind === 'value' ? expression.path : undefined
    if (declared) variables.set(second, path)
    open.push({
      dot: first === 'with' ? path : dot,
      outer: dot,
      wish: solve(expression, true),
      denied: [expression],
    })
  } else if (first === 'range') open.push({ dot: undefined, outer: dot, wish: new Map(), denied: [] })
  else if (first === 'define' || first === 'block')
    open.push({ dot: undefined, outer: dot, wish: new Map(), denied: [] })
  else if (second === ':=') {
    const expression = read(words.slice(2))
    variables.set(first, expression.kind === 'value' ? expression.path : undefined)
  }
}

function wishOf(open: readonly Block[]): Wish | undefined {
  return open.map(({ wish }) => wish).reduce(merged, new Map())
}

/** Two wishes as one; undefined where they want different values. */
function merged(one: Wish | undefined, other: Wish | undefined): Wish | undefined {
  if (!one || !other) return undefined
  for (const [path, value] of other) if (one.has(path) && one.get(path) !== value) return undefined
  return new Map([...one, ...other])
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
  if (name === 'hasKey' && first?.kind === 'value' && second?.kind === 'text')
    return solve({ kind: 'value', path: [...first.path, second.text] }, isTrue)
  if (name !== 'eq' && name !== 'ne') return new Map()
  const value = operands.find((one) => one.kind === 'value')
  const text = operands.find((one) => one.kind === 'text')
  if (value?.kind !== 'value' || text?.kind !== 'text') return new Map()
  return textFor(wholeOf(value.path, above), text.text, (name === 'eq') === isTrue, known)
}

/** The value at a path that counts as true, or as false. */
function valueFor(path: string, isTrue: boolean, known: Known): Wish | undefined {
  const its = valuesAt(path, known)
  if (!its || !isPlain(path)) return undefined
  if (its.every((one) => isSet(one) === isTrue)) return new Map()
  const isSwitch = its.every((one) => typeof one === 'boolean' || one === undefined || one === null)
  if (!isSwitch) return undefined
  // A value that is also printed may be a text or a map.
  const isKnown = its.some((one) => typeof one === 'boolean')
  return isKnown || (isTrue && !known.isNew && !known.isUsed(path)) ? new Map([[path, isTrue]]) : undefined
}

/** The value at a path that is a text, or is not. */
function textFor(path: string, text: string, isEqual: boolean, known: Known): Wish | undefined {
  const its = valuesAt(path, known)
  if (!its || !isPlain(path)) return undefined
  if (its.every((one) => (one === text) === isEqual)) return new Map()
  const isText = its.every((one) => one === undefined || one === null || typeof one === 'string')
  if (text === 'true' || text === 'false') return valueFor(path, (text === 'true') === isEqual, known)
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
