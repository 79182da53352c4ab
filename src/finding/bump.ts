import type { BroughtRow } from '../kubernetes/versions/brought'

/** A release whose chart has another version, and what that brings. */
export interface Bump {
  readonly chart: string
  /** Where a chart that is not in the repository is fetched from. */
  readonly repository?: string
  readonly release: string
  readonly namespace: string
  readonly from: string
  readonly to: string
  /** The file that asks for the version. */
  readonly path: string
  readonly rows: readonly BroughtRow[]
  /** How many rows are left out. */
  readonly more: number
}
