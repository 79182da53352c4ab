import path from 'node:path/posix'
import { chartsNameFolders, isBelow } from '../discovery/roots'
import type { Manifest } from '../manifest/manifest'
import { kustomizationNames } from '../revision/kustomization-file'
import { manifestName, type Tree } from '../revision/tree'
import type { SideOfChange } from '../sides/side'
import type { Sides } from './opening/open-sides'

/** The deployed folders, as far as the base's Argo CD and Flux objects show them. */
export interface Reach {
  /** Whether they name every deployed folder; otherwise a folder that nothing names may be deployed too. */
  readonly isKnown: boolean
  /** Whether an object is deployed, or may be; undefined if everything may be. */
  readonly isDeployed?: (manifest: Manifest) => boolean
}

/**
 * The folders that the base's objects name stay deployed, and the head's objects may name more. If one side has an
 * object that names unknown folders, everything may be deployed.
 */
export async function reachOf({ base, head }: Sides): Promise<Reach> {
  if (!base || !(await namesAllFolders(base)) || !(await namesAllFolders(head)) || !(await namesMost(base)))
    return { isKnown: false }
  const named = {
    base: base.discovery.roots.places,
    head: new Set([...base.discovery.roots.places, ...head.discovery.roots.places]),
  }
  // In a cluster's folder without named folders, another tool deploys.
  const folders = new Set([...named.base].flatMap(foldersOf))
  const isNamedIn = (cluster: string) => folders.has(cluster)
  const trees = { base: base.checkout.tree, head: head.checkout.tree }
  return {
    isKnown: true,
    isDeployed: ({ origin, side, clusters, evidence }) =>
      evidence === 'declared' ||
      (isBelow(named[side], placeOf(origin)) && !isLeftOut(origin, named[side], trees[side])) ||
      clusters.some((cluster) => cluster !== '' && !isNamedIn(cluster)),
  }
}

/** Whether the Argo CD and Flux objects of a side name every deployed folder. */
export async function namesAllFolders({ discovery: { roots }, checkout }: SideOfChange): Promise<boolean> {
  return roots.known && !(await chartsNameFolders(checkout))
}

/**
 * Whether the objects of a side name the larger part of its manifests, a chart counted as one. Otherwise they are no sign
 * of an archive: something else, such as kubectl, deploys the rest.
 */
async function namesMost({ discovery: { roots }, checkout }: SideOfChange): Promise<boolean> {
  const files = [...checkout.tree.entries.keys()].filter(
    (file) => manifestName.test(file) && !checkout.tree.ignores(file),
  )
  const charts = new Set(files.flatMap((file) => (path.basename(file) === 'Chart.yaml' ? path.dirname(file) : [])))
  const units = [...charts, ...files.filter((file) => !isBelow(charts, path.dirname(file)))]
  const others = units.filter((unit) => !isBelow(roots.places, unit))
  const named = units.length - others.length
  if (others.length <= named) return true
  const texts = await checkout.texts(others.filter((unit) => !charts.has(unit)))
  const manifests = [...texts.values()].filter((text) => /^kind:/m.test(text) && /^apiVersion:/m.test(text))
  return manifests.length + others.filter((unit) => charts.has(unit)).length <= named
}

/** The file of an object, or the folder that renders it. */
function placeOf(origin: Manifest['origin']): string {
  // A chart that was fetched is installed by an object of that file.
  if (origin.kind === 'file' || (origin.source.kind === 'helm' && origin.source.repository !== undefined))
    return origin.path
  return origin.source.path === '.' ? '' : origin.source.path
}

/**
 * Whether an object is rendered by a Kustomization that nothing names, below a folder that is built: what is built there
 * lists its folders, and that one is not among them.
 */
function isLeftOut(origin: Manifest['origin'], named: ReadonlySet<string>, { entries }: Tree): boolean {
  if (origin.kind !== 'rendered' || origin.source.kind !== 'kustomize' || named.has(origin.source.path)) return false
  const above = foldersOf(origin.source.path).findLast((folder) => named.has(folder))
  return above !== undefined && kustomizationNames.some((name) => entries.has(`${above}/${name}`))
}

/** A place and the folders above it. */
function foldersOf(place: string): string[] {
  return place.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
}
