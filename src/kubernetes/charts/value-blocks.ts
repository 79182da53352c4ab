import type { Placed } from '../../manifest/placed'
import type { LayeredValue } from './layered-value'
import type { BackendOf } from './service-values'

/** Reads text of values, after the release has been filled in. */
export type Filled = (text: string) => string

/** How the parts of a block are read. */
export interface Reading {
  readonly fill: Filled
  readonly backendOf: BackendOf
  /** Whether the chart writes the rules of a route as the values have them, and adds no backend of its own. */
  readonly writesRules: boolean
}

/** Components nest no deeper in the values of charts, and no person writes more maps. */
const deepest = 3
const mostMaps = 3000

/**
 * What is read of each value with one of the keys, at the top and below the names of components. What a component that
 * is switched off has is left out.
 */
export function readBlocks<T>(
  values: LayeredValue,
  keys: ReadonlySet<string>,
  read: (value: LayeredValue, path: readonly string[]) => readonly T[],
): T[] {
  const found: T[] = []
  let left = mostMaps
  const visit = (value: LayeredValue, path: readonly string[]): void => {
    if (!value.isMap || left-- <= 0 || value.get('enabled').scalar === false) return
    for (const key of value.keys) {
      const inner = value.get(key)
      if (keys.has(key)) found.push(...read(inner, [...path, key]))
      else if (path.length < deepest) visit(inner, [...path, key])
    }
  }
  visit(values, [])
  return found
}

/** Annotations: texts, and maps, which no chart takes. What it makes of a number is unknown. */
export function annotationsOf(value: LayeredValue, fill: Filled): Placed | undefined {
  if (!value.isMap || !value.at) return undefined
  const entries = value.keys.flatMap((key): [string, Placed][] => {
    const its = value.get(key)
    const written = its.isMap && its.at ? { at: its.at, map: {} } : textOf(its, fill)
    return written ? [[key, written]] : []
  })
  return { at: value.at, map: Object.fromEntries(entries) }
}

export function textOf({ at, scalar }: LayeredValue, fill: Filled): Placed | undefined {
  return at && typeof scalar === 'string' ? { at, scalar: fill(scalar) } : undefined
}

/** All items as something else; undefined where one cannot be, or there is no list. */
export function all<T>(items: readonly LayeredValue[] | undefined, read: (item: LayeredValue) => T | undefined) {
  const found = items?.flatMap((item) => read(item) ?? [])
  return found && found.length === items?.length ? found : undefined
}
