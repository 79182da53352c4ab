import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'

/**
 * Whether two objects are likely of one cluster: where clusters are unknown, another folder of the repository may be for another
 * one, unless one object of Argo CD or Flux deploys both.
 */
export function areLikelyOfOneCluster(one: Manifest, other: Manifest, { cluster }: Snapshot): boolean {
  const deployer = deployerOf(one)
  return cluster !== '' || topOf(one) === topOf(other) || (deployer !== undefined && deployer === deployerOf(other))
}

function deployerOf({ origin }: Manifest): string | undefined {
  return origin.kind === 'rendered' ? origin.deployer : undefined
}

function topOf({ origin: { path } }: Manifest): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}
