import { type ChartFacts, chartFacts } from './chart-facts'

/** The keys of facts whose texts are paths of values. */
const naming = new Set(['value', 'tag', 'digest', 'at', 'below', 'unless'])

const known = new Map(chartFacts.map((facts) => [facts, new Set(pathsIn(facts))]))

/** The paths of the values that the facts know of a chart: a change of another one is not judged without the chart. */
export function knownValuesOf(facts: ChartFacts): ReadonlySet<string> {
  return known.get(facts) ?? new Set()
}

function pathsIn(part: unknown, isPath = false): string[] {
  if (typeof part === 'string') return isPath ? [part] : []
  if (Array.isArray(part)) return part.flatMap((one) => pathsIn(one, isPath))
  if (typeof part !== 'object' || part === null) return []
  // Of the roles that a chart makes, only their absence is known: no rule judges the values that decide it.
  const read = Object.entries(part).filter(([key]) => key !== 'unbound')
  return read.flatMap(([key, value]) => pathsIn(value, naming.has(key)))
}
