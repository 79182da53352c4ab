import type { Region } from '../region'
import type { InflatedChart } from '../sources/inflated-chart'
import type { RemoteEntry } from '../sources/kustomization'

/** A part of a rendering: the output of one template, or one object of a Kustomization. */
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
  /** Its remote entries, if it does not build without them. */
  readonly remote?: readonly RemoteEntry[]
  /** The missing target would come from a chart that was left out, because it is not in the repository. */
  readonly leftOut?: true
  /** The tool was ended, or gave no useful message: equal failures on both sides may have different reasons. */
  readonly ended?: true
}

/** The output of a source, without its remote entries; or why it did not render. */
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
