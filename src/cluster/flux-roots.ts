import { identityOf, type ObjectRef } from '../manifest/manifest'
import type { FileObjects } from './clusters'
import { ancestors, sideBits } from './folders'

/** The kinds by which Flux gets this repository: a cluster has one of a name. */
const isRoot = ({ group, kind }: ObjectRef) =>
  (group === 'source.toolkit.fluxcd.io' && kind === 'GitRepository') ||
  (group === 'fluxcd.controlplane.io' && kind === 'FluxInstance')

const isDeployer = ({ group, kind }: ObjectRef) => group === 'kustomize.toolkit.fluxcd.io' && kind === 'Kustomization'

/** Fewer are the beginnings of a cluster that the folder beside it goes on with. */
const fewestDeployers = 2

/**
 * Sibling folders with the same root of Flux, each with Kustomizations of Flux of its own: one cluster cannot have both
 * roots, however little else the folders share.
 *
 * @returns the folders, with the sides on which they are such
 */
export function foldersWithOwnFlux(files: readonly FileObjects[]): Map<string, number> {
  const roots = new Map<string, Map<string, number>>()
  const deployers = new Map<string, Set<string>>()
  for (const { path, sides, refs } of files) {
    const bits = sides.reduce((all, side) => all | sideBits[side], 0)
    for (const ref of refs) {
      if (isDeployer(ref))
        for (const folder of ancestors(path)) added(deployers, folder, new Set()).add(identityOf(ref))
      if (!isRoot(ref)) continue
      const identity = identityOf(ref)
      for (const folder of ancestors(path)) {
        const parent = folder.slice(0, folder.lastIndexOf('/') + 1)
        const holders = added(roots, `${parent}\n${identity}`, new Map<string, number>())
        holders.set(folder, (holders.get(folder) ?? 0) | bits)
      }
    }
  }
  const found = new Map<string, number>()
  for (const holders of roots.values()) {
    const own = [...holders].filter(([folder]) => (deployers.get(folder)?.size ?? 0) >= fewestDeployers)
    for (const bit of [sideBits.base, sideBits.head]) {
      const there = own.filter(([, bits]) => (bits & bit) !== 0)
      if (there.length < 2) continue
      for (const [folder] of there) found.set(folder, (found.get(folder) ?? 0) | bit)
    }
  }
  return found
}

function added<T>(map: Map<string, T>, key: string, fresh: T): T {
  const known = map.get(key) ?? fresh
  map.set(key, known)
  return known
}
