import { minVersion, satisfies, subset, valid, validRange } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { type AddOnFacts, addOnFacts } from './add-on-facts'
import { chartNamed } from './chart-named'
import { releaseKinds } from './chart-release'
import { ChartSettings } from './chart-settings'
import { ReleaseValues } from './release-values'
import { remoteReleasesOf } from './remote-release'

/** A release of the chart of a program beside the controllers: only its values are known. */
export interface AddOnRelease {
  readonly facts: AddOnFacts
  readonly manifest: Manifest
  readonly version: string
  readonly settings: ChartSettings
}

/**
 * Reads the releases of one such chart that an object installs to its own cluster; rendered releases are not read from
 * their values, nor those of a version that is not known.
 */
export function addOnReleasesOf(manifest: Manifest, chart: string, snapshot: Snapshot): AddOnRelease[] {
  if (!releaseKinds.includes(groupKindOf(manifest.ref)) || !manifest.object.content.includes(chart)) return []
  const { rendered } = manifest.object.context ?? {}
  return remoteReleasesOf(manifest, snapshot).flatMap((release): AddOnRelease[] => {
    const { name, namespace, layers, elsewhere, clusters } = release
    const facts = chartNamed(addOnFacts, release.chart, release.repository)
    const version = facts?.name === chart ? versionIn(release.version, facts) : undefined
    if (!facts || !version || rendered?.has(name) || clusters.join() !== manifest.clusters.join()) return []
    const [place = manifest.root] = layers.flatMap((layer) => ('hidden' in layer ? [] : [layer.root]))
    const values = new ReleaseValues(place, layers, elsewhere)
    const settings = new ChartSettings(facts, { name, namespace, version, values, parts: [] })
    return [{ facts, manifest, version, settings }]
  })
}

/** The version that is written; of a range the newest that was read, or one of the only minor release that it includes. */
function versionIn(written: string, { newest }: AddOnFacts): string | undefined {
  const exact = valid(written)
  if (exact) return exact
  const range = validRange(written || '*')
  if (!range) return undefined
  if (satisfies(newest, range)) return newest
  const first = minVersion(range)?.version
  return first && subset(range, `~${first}`) ? first : undefined
}
