import { braces, type Operand, type Pipeline, parseGoTemplate, type TemplatePart } from './go-template-syntax'
import {
  call,
  type Functions,
  isTrue,
  itemOf,
  NotFilled,
  ValueMissing,
  written as writtenValue,
} from './template-functions'

/** More steps or characters than these are no template of a deployment. */
const most = { steps: 20_000, characters: 1_000_000 }

/**
 * Fills in a Go template. A single action that cannot be filled in stays as it is written; a text with blocks then stays as a whole.
 *
 * @param data what `.` and `$` are
 */
export function fillGoTemplate(written: string, data: unknown): string {
  if (!written.includes('{{')) return written
  const parts = parseGoTemplate(written)
  if (!parts) return written
  const filling: Filling = { root: data, steps: 0, keepsActions: !parts.some((part) => 'block' in part) }
  try {
    return textOf(parts, data, new Map(), filling)
  } catch (error) {
    if (error instanceof NotFilled) return written
    throw error
  }
}

/**
 * Fills in a Go template whose values must all be there, as helmfile's must; undefined where any part cannot be filled in.
 *
 * @param own functions in place of those of the same name
 */
export function fillWholeTemplate(written: string, data: unknown, own: Functions, marks = braces): string | undefined {
  const made = filledOrNot(written, data, own, marks)
  return typeof made === 'string' ? made : undefined
}

/** Whether a Go template first fails for a value that is not there. */
export function lacksValue(written: string, data: unknown, own: Functions): boolean {
  return filledOrNot(written, data, own, braces) instanceof ValueMissing
}

function filledOrNot(written: string, data: unknown, own: Functions, marks: typeof braces): string | NotFilled {
  const parts = parseGoTemplate(written, marks)
  if (!parts) return new NotFilled()
  try {
    return textOf(parts, data, new Map(), { root: data, steps: 0, keepsActions: false, own })
  } catch (error) {
    if (error instanceof NotFilled) return error
    throw error
  }
}

interface Filling {
  readonly root: unknown
  steps: number
  /** Whether an action that cannot be filled in stays, and the rest of the text is filled in. */
  readonly keepsActions: boolean
  /** The functions of the tool itself; with them, no value may be missing. */
  readonly own?: Functions
}

type Variables = Map<string, unknown>

function textOf(parts: readonly TemplatePart[], dot: unknown, variables: Variables, filling: Filling): string {
  let made = ''
  for (const part of parts) {
    if ('text' in part) made += part.text
    else if ('action' in part) made += actionOf(part, dot, variables, filling)
    else made += blockOf(part, dot, variables, filling)
    if (made.length > most.characters) throw new NotFilled()
  }
  return made
}

function actionOf(
  { action, written }: Extract<TemplatePart, { action: unknown }>,
  dot: unknown,
  variables: Variables,
  filling: Filling,
): string {
  try {
    const value = resultOf(action, dot, variables, filling)
    return action.variables.length > 0 ? '' : writtenValue(value)
  } catch (error) {
    if (!(error instanceof NotFilled) || !filling.keepsActions) throw error
    return written
  }
}

function blockOf(
  { block, of, parts, otherwise }: Extract<TemplatePart, { block: unknown }>,
  dot: unknown,
  outer: Variables,
  filling: Filling,
): string {
  const variables = new Map(outer)
  const value = resultOf(of, dot, variables, filling)
  let made: string
  if (!isTrue(value)) made = textOf(otherwise, dot, variables, filling)
  else if (block !== 'range') made = textOf(parts, block === 'with' ? value : dot, variables, filling)
  else {
    if (typeof value !== 'object' || value === null) throw new NotFilled()
    const items: [unknown, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value).sort(byKey)
    made = ''
    for (const [key, item] of items) {
      const [first, second] = of.variables
      if (first !== undefined) variables.set(first, second === undefined ? item : key)
      if (second !== undefined) variables.set(second, item)
      made += textOf(parts, item, variables, filling)
      if (made.length > most.characters) throw new NotFilled()
    }
  }
  // A variable that a block sets keeps its value after it.
  for (const name of outer.keys()) if (!of.variables.includes(name)) outer.set(name, variables.get(name))
  return made
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

function resultOf(pipeline: Pipeline, dot: unknown, variables: Variables, filling: Filling): unknown {
  let value: unknown
  for (const [index, [first, ...rest]] of pipeline.commands.entries()) {
    if (++filling.steps > most.steps || !first) throw new NotFilled()
    const read = (operand: Operand) => operandOf(operand, dot, variables, filling)
    const piped = index > 0 ? [value] : []
    if ('name' in first && (first.name === 'and' || first.name === 'or'))
      value = deciding(first.name, [...rest.map((one) => () => read(one)), ...piped.map((one) => () => one)])
    else if ('name' in first) value = call(first.name, [...rest.map(read), ...piped], filling.own)
    else if (rest.length === 0 && index === 0) value = read(first)
    else throw new NotFilled()
  }
  const [name, second] = pipeline.variables
  if (name !== undefined && second === undefined) variables.set(name, value)
  return value
}

/** The argument of `and` or `or` that decides: Go does not look at those after it. */
function deciding(name: 'and' | 'or', values: readonly (() => unknown)[]): unknown {
  let value: unknown
  for (const read of values) {
    value = read()
    if (isTrue(value) === (name === 'or')) break
  }
  return value
}

function operandOf(operand: Operand, dot: unknown, variables: Variables, filling: Filling): unknown {
  if ('value' in operand) return operand.value
  if ('name' in operand) return call(operand.name, [], filling.own)
  const { from, fields } = operand
  const start =
    typeof from !== 'string'
      ? resultOf(from, dot, variables, filling)
      : from === ''
        ? dot
        : from === '$'
          ? filling.root
          : variables.get(from)
  return fields.reduce((at: unknown, field) => {
    const item = itemOf(at, field)
    if (item === undefined && filling.own) throw new ValueMissing()
    return item
  }, start)
}
