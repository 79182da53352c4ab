import type { PackageRequest } from '../../fetch/asked-once'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import type { PackedFiles, Source } from '../../sources/source'

/** A request for a chart, and the chart's place in the result: a folder of a Git repository, or all of it. */
export interface WantedChart {
  readonly request: PackageRequest
  readonly folder: string
  /** Which of the fetched files its deployer gets, where it does not get all. */
  readonly packed?: (files: ReadonlyMap<string, Uint8Array>) => Pick<PackedFiles, 'has'>
}

/** A release of a chart that is not in this repository, with all that rendering needs once the chart is fetched. */
export interface ChartElsewhere {
  /** Equal on both sides of a change for the same release. */
  readonly id: string
  /** The object that installs it. */
  readonly manifest: Manifest
  readonly release: string
  readonly namespace: string
  /** Undefined if the place or some of the values are unknown. */
  readonly wanted: () => WantedChart | undefined
  /** The cursors of version and place. */
  readonly version: Cursor
  readonly place: Cursor
  /** Why it is not rendered although its chart may be fetched: some of its values are only in the cluster. */
  readonly valuesLacking?: () => string | undefined
  /** Which of its values are placeholders, as only the cluster has them. */
  readonly valuesReplaced?: () => string | undefined
  /** The inputs of the installation: equal if nothing differs. */
  readonly inputs: readonly string[]
  /**
   * @param chart the folder of the chart in the checkout
   * @returns the sources that the release is, one for each cluster; undefined where some of its values are unknown, and
   *   the reason where the folder is not rendered
   */
  sources(chart: string, checkout: Checkout): readonly Source[] | NotRendered | undefined
  /** Whether its folder may be a Kustomization, or no chart at all: that is known once it is fetched. */
  readonly mayBeNoChart?: true
}

/** Why a fetched folder is not rendered: a clause that ends a sentence. */
export interface NotRendered {
  readonly reason: string
}

/** The name of a chart as messages have it. */
export function nameOfWanted({ request, folder }: WantedChart): string {
  return (request.kind === 'chart' && request.chart) || folder || (request.repository.split('/').at(-1) ?? '')
}
