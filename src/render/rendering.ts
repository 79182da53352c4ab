import type { Region } from '../region'
import type { InflatedChart } from '../sources/inflated-chart'
import type { RemoteEntry } from '../sources/kustomization'

/** A piece of a rendering: what one template, or one object of a Kustomization, came to. */
export interface Piece {
  /** The file of the repository that a reader can open for it. */
  readonly path: string
  /** Its template as helm names it, `chart/templates/ingress.yaml`; empty for a Kustomization's. */
  readonly template: string
  readonly text: string
}

/** Why a source could not be rendered, at the place to look at. */
export interface Failure {
  readonly reason: string
  readonly path: string
  readonly region: Region
  /** It is the tool that is missing or broken, not anything in the repository. */
  readonly missing?: 'helm' | 'kustomize'
  /** What it takes in from elsewhere: without it nothing can be said of the rest. */
  readonly remote?: readonly RemoteEntry[]
  /** It misses what a chart would have brought that was left out, as it is not in the repository. */
  readonly leftOut?: true
  /** The tool was ended, or said nothing to the point: what fails so at both sides need not fail for one reason. */
  readonly ended?: true
}

/** What a source rendered to, without what it takes from elsewhere; or why it did not render. */
export type Rendering = (
  | { readonly pieces: readonly Piece[]; readonly remote?: readonly RemoteEntry[] }
  | { readonly failure: Failure }
) & {
  /** The charts that a Kustomization inflates; those that are not in the repository were left out. */
  readonly charts?: readonly InflatedChart[]
  /** The files of ConfigMaps and Secrets that a Kustomization would fetch, and that were left out. */
  readonly data?: readonly RemoteEntry[]
}

/** A line of a file, as a region. */
export function lineRegion(line: number, column = 1): Region {
  return { startLine: line, startColumn: column, endLine: line, endColumn: column }
}
