import { oneEditFrom } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { ValuesFile } from '../manifest/load'
import { findPair } from '../manifest/map-pairs'
import { isAlias, isMap, type Node } from '../manifest/nodes'
import type { SideOfChange } from '../sides/side'
import { type Dependency, readChart } from '../sources/chart'
import { readValues } from '../values/values-file'
import { isChartTouched, valuesFilesOfCharts } from './values-files-of-charts'

/** A path of a condition that begins with a key which no values have. */
interface Unread {
  readonly dependency: Dependency
  readonly condition: string
  /** The path that the values have. */
  readonly meant: string
}

type Values = Pick<ValuesFile, 'node' | 'resolve'>

/**
 * Conditions of dependencies whose first key is a typing error for the name of the dependency, while the values have the
 * path below that name: helm ignores a condition that no values have. Source: helm v3.18.0, pkg/chartutil/dependencies.go,
 * processDependencyConditions
 */
export async function unreadConditions(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [folder, files] of valuesFilesOfCharts(head)) {
    if (!isChartTouched(folder, files, changed)) continue
    const unread = await unreadIn(folder, files, head)
    if (unread.length === 0) continue
    const before = await readChart(base.checkout, folder)
    for (const one of unread) {
      const { as, condition } = one.dependency
      // Where the base has the condition, the change did not write it.
      if (before.dependencies.some((other) => other.as === as && other.condition === condition)) continue
      found.push(findingOf(one, folder))
    }
  }
  return found
}

async function unreadIn(folder: string, files: ReadonlySet<string>, side: SideOfChange): Promise<Unread[]> {
  const { dependencies } = await readChart(side.checkout, folder)
  const names = dependencies.flatMap(({ as, name }) => [as, name])
  const misspelt = dependencies.flatMap((dependency) => {
    const conditions = dependency.condition.split(',').map((one) => one.trim())
    return conditions.flatMap((condition) => {
      const [key = '', ...rest] = condition.split('.')
      const meant = names.includes(key) ? undefined : oneEditFrom(key, [...new Set([dependency.as, dependency.name])])
      return meant === undefined ? [] : [{ dependency, condition, meant: [meant, ...rest].join('.') }]
    })
  })
  if (misspelt.length === 0) return []
  const contents = await side.checkout.read([...files].filter((file) => side.checkout.has(file)))
  const all = [...contents.values()].map(readValues)
  // A file that cannot be read may have the key; its release reports it.
  const read = all.flatMap((values) => ('reason' in values ? [] : [values]))
  if (read.length < all.length) return []
  const isSet = (keys: readonly string[]) => read.some((values) => hasPath(values, keys))
  return misspelt.filter(({ condition, meant }) => !isSet(condition.split('.').slice(0, 1)) && isSet(meant.split('.')))
}

function hasPath({ node, resolve }: Values, keys: readonly string[]): boolean {
  let at: Node | undefined = node
  for (const key of keys) {
    const map: Node | undefined = isAlias(at) ? resolve(at) : at
    at = isMap(map) ? findPair(map, key, resolve)?.value : undefined
    if (!at) return false
  }
  return true
}

function findingOf({ dependency, condition, meant }: Unread, folder: string): Finding {
  const { as, at } = dependency
  return gateFinding('source/value-unread', 'unread', 'warning', {
    side: 'head',
    path: at.path,
    region: at.region,
    keys: [folder, as, condition],
    status: 'introduced',
    text: `The condition ${condition} of the dependency ${as} of ${folder} begins with a key that no values of this chart have, so helm ignores it, and ${meant} of these values does not switch ${as}. Write condition: ${meant}.`,
  })
}
