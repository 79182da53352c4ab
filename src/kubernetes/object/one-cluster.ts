import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'

/** Whether two objects are likely of one cluster: where clusters are unknown, another folder of the repository may be for another one. */
export function areLikelyOfOneCluster(one: Manifest, other: Manifest, { cluster }: Snapshot): boolean {
  return cluster !== '' || topOf(one) === topOf(other)
}

function topOf({ origin: { path } }: Manifest): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}
