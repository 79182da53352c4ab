import { fillWholeTemplate, lacksValue } from '../../template/go-template'
import { type Functions, itemOf, NotFilled, text, Variable } from '../../template/template-functions'

/** One environment of a helmfile, with all its values. */
export interface Environment {
  readonly name: string
  readonly values: object
  /** The files of this repository that the values are from. */
  readonly files: readonly string[]
  /** The files outside of this repository that may give it further values. */
  readonly outside: readonly string[]
}

/**
 * A text as helmfile fills it in; undefined where a function is unknown, or the value that it gives: those that run commands,
 * and conditions on variables of the machine. Such a variable itself is written as `${NAME}`.
 */
export function filledIn(
  written: string,
  { name, values }: Pick<Environment, 'name' | 'values'>,
  release: object = {},
): string | undefined {
  return filledWith(written, { name, values }, release, functions)
}

/** The values of an environment, on which conditions of other templates depend: no variable of the machine is in them. */
export function filledValues(written: string, environment: Pick<Environment, 'name' | 'values'>): string | undefined {
  return filledWith(written, environment, {}, { ...functions, env: unknown, requiredEnv: unknown })
}

/** Whether a helmfile cannot be filled in because it reads a value that the environment does not have. */
export function readsMissingValue(written: string, environment: Pick<Environment, 'name' | 'values'>): boolean {
  return lacksValue(written, dataOf(environment), functions)
}

function filledWith(
  written: string,
  environment: Pick<Environment, 'name' | 'values'>,
  release: object,
  its: Functions,
): string | undefined {
  if (!written.includes('{{')) return written
  return fillWholeTemplate(written, { ...dataOf(environment), ...release }, its)
}

function dataOf({ name, values }: Pick<Environment, 'name' | 'values'>): object {
  const own = structuredClone(values)
  return { Environment: { Name: name, Values: own }, Values: own, StateValues: own }
}

/** Lays values over others: maps are joined. */
export function laidOver(below: object, above: object): object {
  const joined = Object.entries(above).map(([key, value]) => {
    const under = itemOf(below, key)
    return [key, isMap(value) && isMap(under) ? laidOver(under, value) : value] as const
  })
  return Object.fromEntries([...Object.entries(below), ...joined])
}

export function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The functions that helmfile adds, or that it has in place of sprig's.
 * https://helmfile.readthedocs.io/en/stable/templating_funcs/
 */
const functions: Functions = {
  get: (key, ...rest) => at(rest.at(-1), key) ?? (rest.length === 2 ? rest[0] : undefined),
  getOrNil: (key, of) => at(of, key) ?? null,
  required: (_, one) => (one === null || one === '' ? undefined : one),
  tuple: (...args) => args,
  // Templates rely on it that the first map itself is changed.
  set: (one, key, value) => put(mapOf(one), { [text(key)]: value }),
  mergeOverwrite: (one, ...others) => put(mapOf(one), others.map(mapOf).reduce(laidOver, mapOf(one))),
  merge: (one, ...others) =>
    put(
      mapOf(one),
      others.map(mapOf).reduce((sum, other) => laidOver(other, sum), mapOf(one)),
    ),
  // Never what the machine of the gate has.
  env: variable,
  requiredEnv: variable,
  expandenv: unknown,
}

function variable(name: unknown): Variable {
  if (!/^\w+$/.test(text(name))) throw new NotFilled()
  return new Variable(text(name))
}

function unknown(): never {
  throw new NotFilled()
}

/** The value at a path of keys with dots between them. */
function at(of: unknown, key: unknown): unknown {
  return text(key)
    .split('.')
    .reduce((one: unknown, part) => (one === null ? undefined : itemOf(one, part)), of)
}

function mapOf(one: unknown): object {
  if (!isMap(one)) throw new NotFilled()
  return one
}

/** Assigning would take a key `__proto__` for the prototype. */
function put(into: object, entries: object): object {
  for (const [key, value] of Object.entries(entries))
    Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
  return into
}
