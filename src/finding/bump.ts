import type { BroughtRow } from '../kubernetes/versions/brought'

/** A release whose chart has another version, and the changes that it brings. */
export interface Bump {
  readonly chart: string
  /** The repository of a chart that is not in this repository. */
  readonly repository?: string
  readonly release: string
  readonly namespace: string
  readonly from: string
  readonly to: string
  /** The file that asks for the version. */
  readonly path: string
  readonly rows: readonly BroughtRow[]
  /** The number of rows that are left out. */
  readonly more: number
}

/** Each once, by file, release and namespace. */
export function sortBumps(bumps: readonly Bump[]): Bump[] {
  const keyOf = ({ path, release, namespace }: Bump) => JSON.stringify([path, release, namespace])
  const distinct = new Map(bumps.map((bump) => [JSON.stringify(bump), bump]))
  return [...distinct.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
}
