import type { Cursor } from '../../manifest/cursor'
import { goField } from '../../sources/go-field'
import { fieldsOf, listOf, textOf } from '../../sources/untyped'

/** One way in which a bundle is deployed. */
export interface FleetTarget {
  /** The clusters that get it, in words; empty for all that no other target takes. */
  readonly clusters: string
  /** The maps of options, the last over the others: the bundle's own, and those of the target. */
  readonly options: readonly Cursor[]
  /** Whether other targets may already take all of its clusters. */
  readonly mayBeUnused: boolean
}

/** More targets than this in one file are no one's work. */
const maxTargets = 300

/**
 * The targets of a bundle: each customization, and the bundle as it is for the clusters that none of them takes.
 *
 * https://fleet.rancher.io/ref-fleet-yaml and cmd/controller/target/builder.go of rancher/fleet
 *
 * @returns the targets, and the entries that were not read
 */
export function fleetTargets(root: Cursor): { targets: FleetTarget[]; unread: { at: Cursor; reason: string }[] } {
  const lists = [goField(root, 'targets'), goField(root, 'targetCustomizations')]
  const entries = lists.flatMap((list) => [...list.items()])
  const unread = entries.slice(maxTargets, maxTargets + 1).map((at) => ({
    at,
    reason: `it has ${entries.length} targets; only the first ${maxTargets} are read`,
  }))
  const targets = new Map<string, FleetTarget>()
  const mode = textOf(goField(root, 'targetCustomizationMode').value)
  const [first] = entries
  if (mode.toLowerCase() === 'allmatches' && first)
    unread.push({
      at: first,
      reason: 'a cluster that several of its targets match gets all of them; each is judged alone',
    })
  for (const entry of entries.slice(0, maxTargets)) {
    const clusters = clustersOf(entry)
    // The first of several targets for the same clusters is used.
    if (clusters === undefined || targets.has(clusters)) continue
    const isDeployed = goField(entry, 'doNotDeploy').value !== true
    targets.set(clusters, { clusters, options: isDeployed ? [root, entry] : [], mayBeUnused: false })
    if (clusters === '') break
  }
  if (!targets.has('')) targets.set('', { clusters: '', options: [root], mayBeUnused: targets.size > 0 })
  return { targets: [...targets.values()].filter(({ options }) => options.length > 0), unread }
}

/** The clusters that a target takes, as kubectl writes selectors; undefined for one that takes none. */
function clustersOf(entry: Cursor): string | undefined {
  const [name, group] = ['clusterName', 'clusterGroup'].map((key) => textOf(goField(entry, key).value))
  const [selector, groups] = ['clusterSelector', 'clusterGroupSelector'].map((key) => goField(entry, key))
  if (!name && !group && !selector?.exists && !groups?.exists) return undefined
  const ofClusters = selector ? wordsOf(selector) : ''
  const ofGroups = groups ? wordsOf(groups) : ''
  return [name, group ? `group ${group}` : '', ofClusters, ofGroups ? `groups with ${ofGroups}` : '']
    .filter(Boolean)
    .join(', ')
}

function wordsOf(selector: Cursor): string {
  const labels = Object.entries(fieldsOf(goField(selector, 'matchLabels').value))
  const expressions = [...goField(selector, 'matchExpressions').items()].map((one) => {
    const [key, operator] = ['key', 'operator'].map((name) => textOf(goField(one, name).value))
    const values = listOf(goField(one, 'values').value).map(textOf)
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(', ')})`
  })
  return [...labels.map(([key, value]) => `${key}=${textOf(value)}`), ...expressions].join(', ')
}
