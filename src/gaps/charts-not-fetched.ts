import { type ChartElsewhere, nameOfWanted, type WantedChart } from '../deployers/common/chart-elsewhere'
import type { FetchFault } from '../fetch/connection/fetching'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { nameOf } from '../manifest/manifest'
import type { ReleaseAccount } from '../sides/side'
import type { DeclarationSite } from '../sources/source'
import { hiddenVersion } from './entries-not-fetched'

/** A release whose chart could not be fetched. */
export interface MissedChart {
  readonly release: ChartElsewhere
  readonly wanted: WantedChart
  readonly fault: FetchFault
  /** The line that names the place to fetch from. */
  readonly place: DeclarationSite
  /** The line of the version. */
  readonly version: DeclarationSite
}

/** The reason why a release is judged by its values alone; undefined if nothing is fetched at all. */
export function accountOf(
  { release, wanted, fault, place, version }: MissedChart,
  side: 'base' | 'head',
): Exclude<ReleaseAccount, 'rendered'> | undefined {
  const { request } = wanted
  const { repository, kind } = request
  const { cause } = fault
  if (cause === 'fetch-off') return undefined
  const chart = `${release.mayBeNoChart ? '' : 'the chart '}${nameOfWanted(wanted)} of ${repository}`
  if (cause === 'place-new') {
    const lines = `\`network: {${kind === 'tree' ? 'git' : 'charts'}: ["${repository}"]}\``
    const reason = `${chart} was not fetched, because only this change names its place`
    const remedy = `To have it judged, first merge ${lines} into the config of this gate; or first merge the object that names the place, and install from it in a later change.`
    if (release.mayBeNoChart) return { cause: 'source-elsewhere', reason, remedy }
    return { cause, reason, placeAt: place, about: repository, remedy }
  }
  const which = side === 'base' ? `, as it was at the base,` : ''
  const files = [version.path, place.path]
  const reason = `${chart}${which} could not be fetched: ${fault.reason}`
  // Such repositories are often private, and no objects of them were judged before.
  if (release.mayBeNoChart && cause !== 'version-missing') return { cause: 'source-elsewhere', reason }
  return { cause, files, reason }
}

/**
 * The place does not have the version that a release of the head asks for: the cluster cannot install it either, unless
 * its credentials show it more.
 *
 * @param missedBefore whether the base asks for this version, or for another one that is missing, too
 */
export function missingVersion(
  { release, wanted, fault, version }: MissedChart,
  missedBefore: 'same' | 'other' | undefined,
): Finding {
  const { request } = wanted
  const { manifest } = release
  const asked = request.kind === 'chart' ? request.version || (request.tag ?? '') : ''
  return gateFinding('source/unrendered', 'version-missing', missedBefore === 'other' ? 'warning' : 'error', {
    side: 'head',
    path: version.path,
    region: version.region,
    status: missedBefore === 'same' ? 'existing' : 'introduced',
    object: manifest.ref,
    keys: [request.repository, nameOfWanted(wanted), asked],
    text:
      missedBefore === 'other'
        ? `${nameOf(manifest.ref)} cannot be installed here: ${fault.reason}. ${hiddenVersion}`
        : `${nameOf(manifest.ref)} cannot be installed, here or in the cluster: ${fault.reason}. Name a version that exists.`,
  })
}

/** A trial that requests something new shows nothing. */
export function notAsked({ manifest }: ChartElsewhere): Finding {
  return gateFinding('source/unrendered', 'not-asked', 'error', {
    side: 'head',
    path: manifest.origin.path,
    region: manifest.object.region,
    status: 'introduced',
    keys: [manifest.origin.path],
    text: `${nameOf(manifest.ref)} is not rendered, because its chart is not fetched for a trial.`,
  })
}
