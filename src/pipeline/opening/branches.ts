import { type Expression, expressionOf } from '../../template/conditions'
import type { Action, Word } from '../../template/template-actions'
import { pathIn } from './template-uses'

/** Values by their paths: `ingress.enabled`; and APIs that the cluster has, by their names behind `apiMark`. */
export type Wish = ReadonlyMap<string, boolean | string>

/** What is before the name of an API in a wish: no path of a value has a colon. */
export const apiMark = 'API:'

/** The wish with which an expression is true, or is false; undefined where nothing is known to meet it. */
export type Solve = (expression: Expression, isTrue: boolean) => Wish | undefined

/** A block that an `end` closes. */
interface Block {
  dot: readonly string[] | undefined
  readonly outer: readonly string[] | undefined
  /** What its conditions need; undefined where nothing is known to meet them. */
  wish: Wish | undefined
  /** The conditions of its branches before. */
  readonly denied: Expression[]
}

/** The blocks around a place in a template, while its actions are passed one by one. */
export class Branches {
  private readonly open: Block[] = []
  private readonly variables = new Map<string, readonly string[] | undefined>()
  /** The variables that hold a value or a text for a missing one: `$a := .Values.a | default "b"`. */
  private readonly replaceable = new Map<string, Expression>()

  constructor(private readonly solve: Solve) {}

  /** What the conditions of all blocks around need. */
  get wish(): Wish | undefined {
    return this.open.map(({ wish }) => wish).reduce(merged, new Map())
  }

  /** The value that a word names at the place. */
  pathOf(word: string): readonly string[] | undefined {
    return pathIn(word, this.open.at(-1)?.dot, this.variables)
  }

  /** Passes an action: the places after it may be in another block. */
  pass({ words }: Action): void {
    const { open, variables, replaceable, solve } = this
    const [first = '', second = ''] = words.map(({ text }) => text)
    const block = open.at(-1)
    const dot = block?.dot
    const namedBy = (word: string): Expression | undefined => {
      const path = valuesOfRoot(word) ?? pathIn(word, dot, variables)
      return path ? { kind: 'value', path } : replaceable.get(word)
    }
    const read = (those: readonly Word[]) => expressionOf(those, namedBy)
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
      if (expression.kind === 'call' && expression.name === 'default') replaceable.set(first, expression)
      else replaceable.delete(first)
    }
  }
}

/** The values that the actions of a template name, also in conditions. */
export function pathsNamedIn(actions: readonly Action[]): (readonly string[])[] {
  const branches = new Branches(() => undefined)
  return actions.flatMap((action) => {
    // An `else with` names values of the block around.
    const words = action.words[0]?.text === 'else' ? [] : action.words
    const paths = words.flatMap(({ text }) => [branches.pathOf(text)].filter((path) => path !== undefined))
    branches.pass(action)
    return paths
  })
}

/** All values, from which `index` takes one. */
function valuesOfRoot(word: string): readonly string[] | undefined {
  return word === '.Values' || word === '$.Values' ? [] : undefined
}

/** Two wishes as one; undefined where they want different values. */
export function merged(one: Wish | undefined, other: Wish | undefined): Wish | undefined {
  if (!one || !other) return undefined
  for (const [path, value] of other) if (one.has(path) && one.get(path) !== value) return undefined
  return new Map([...one, ...other])
}
