import path from 'node:path/posix'
import { append } from '../append'
import type { NotInspected } from '../deployers/common/gitops-sources'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { textAt } from '../gitops/text'
import { nameOf } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'

/** A Kustomization of Flux whose folder is not at the root of this repository, but below a folder around its own file. */
interface Below {
  readonly entry: NotInspected
  readonly folder: NonNullable<NotInspected['folder']>
  readonly source: string
  readonly root: string
}

/** So many folders that are there below another one show that the paths are of a tree that was moved there. */
const fewest = 3

/**
 * Trees of Flux that a change brings into a folder of the repository, with paths as if the folder were its root. Where no
 * file defines their GitRepository, it may be another repository: so this is said once for each tree, as a warning.
 */
export function foldersBelow(base: SideOfChange, head: SideOfChange): Finding[] {
  const known = new Set(belowIn(base).map(keyOf))
  const trees = new Map<string, Below[]>()
  for (const one of belowIn(head)) append(trees, keyOf(one), one)
  return [...trees.values()].flatMap((tree) => {
    const [first] = [...tree].sort((a, b) => a.folder.place.length - b.folder.place.length)
    const others = new Set(tree.map(({ folder }) => folder.place)).size - 1
    if (!first || known.has(keyOf(first)) || others + 1 < fewest || isOfOther(tree, head)) return []
    return [findingOf(first, others)]
  })
}

function findingOf({ entry: { manifest }, folder: { place, at }, source, root }: Below, others: number): Finding {
  const isWritten = manifest.origin.kind === 'file' && manifest.origin.path === at.path
  return gateFinding('source/path-missing', 'below', 'warning', {
    side: 'head',
    ...at,
    ...(isWritten ? { fileText: manifest.object.lines } : {}),
    object: manifest.ref,
    keys: [source, root],
    status: 'introduced',
    text: `${nameOf(manifest.ref)} takes ${place} of GitRepository ${source}, which no file here defines. This repository has no ${place} at its root: it and the ${others} other folders that Kustomizations take of ${source} are below ${root}. If ${source} is this repository, Flux finds none of them and deploys nothing. Write ${root}/${place} there, and the others alike, or have the GitRepository take another repository whose root is this folder.`,
  })
}

/** Whether a Kustomization of the same tree takes a folder that is not in the tree. */
function isOfOther([first]: readonly Below[], { discovery, checkout }: SideOfChange): boolean {
  return discovery.notInspected.some((entry) => {
    const { folder, manifest } = entry
    if (!first || !folder || sourceOf(entry) !== first.source) return false
    const isInTree = manifest.origin.path.startsWith(`${first.root}/`)
    return isInTree && checkout.tree.at(path.join(first.root, folder.place)).length === 0
  })
}

function belowIn({ discovery, checkout: { tree } }: SideOfChange): Below[] {
  return discovery.notInspected.flatMap((entry) => {
    const { folder, manifest } = entry
    if (!folder || tree.at(folder.place).length > 0) return []
    const root = foldersAround(manifest.origin.path).find((one) => tree.at(path.join(one, folder.place)).length > 0)
    return root === undefined ? [] : [{ entry, folder, source: sourceOf(entry), root }]
  })
}

/** The folders around a file, the nearest first, without the root of the repository. */
function foldersAround(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
}

function sourceOf({ manifest: { root, ref } }: NotInspected): string {
  const { sourceRef } = readFluxKustomization(root)
  const namespace = textAt(sourceRef.at('namespace')) || ref.namespace
  return `${namespace ? `${namespace}/` : ''}${textAt(sourceRef.at('name'))}`
}

function keyOf({ source, root }: Below): string {
  return JSON.stringify([source, root])
}
