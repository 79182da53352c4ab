import type { PackageRequest } from '../../fetch/asked-once'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import type { HelmSource, PackedFiles } from '../../sources/source'

/** What to ask for, and where the chart is in it: in a folder of a Git repository, or else the whole. */
export interface WantedChart {
  readonly request: PackageRequest
  readonly folder: string
  /** Which of the fetched files its deployer gets, where it does not get all. */
  readonly packed?: (files: ReadonlyMap<string, Uint8Array>) => Pick<PackedFiles, 'has'>
}

/** A release of a chart that is not in this repository, with what it takes to render it once the chart is there. */
export interface ChartElsewhere {
  /** Equal on both sides of a change for the same release. */
  readonly id: string
  /** The object that installs it. */
  readonly manifest: Manifest
  readonly release: string
  readonly namespace: string
  /** Nothing where the place is unknown, or some of its values. */
  readonly wanted: () => WantedChart | undefined
  /** Where the version and the place are written. */
  readonly version: Cursor
  readonly place: Cursor
  /** What it is installed by: equal where nothing differs. */
  readonly inputs: readonly string[]
  /**
   * @param chart the folder of the chart in the checkout
   * @returns the sources that the release is, one for each cluster; undefined where some of its values are unknown
   */
  sources(chart: string, checkout: Checkout): readonly HelmSource[] | undefined
}

/** The name of a chart as messages have it. */
export function nameOfWanted({ request, folder }: WantedChart): string {
  return (request.kind === 'chart' && request.chart) || folder || (request.repository.split('/').at(-1) ?? '')
}
