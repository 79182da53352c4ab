import path from 'node:path/posix'
import type { Checkout } from '../../revision/checkout'
import { manifestName } from '../../revision/tree'
import { placeInArtifact } from '../../sources/kustomization'
import { substituted } from '../../sources/substitution'

/** The number of folders of one path that are judged. */
export const mostFolders = 100

/** The folders that a path may mean, and whether there are more. */
export interface PossibleFolders {
  readonly folders: readonly string[]
  readonly hasMore: boolean
}

/**
 * The folders with manifests that a path with variables may mean where no value is known: a variable is any name, or a
 * part of one, and the same everywhere in the path.
 *
 * @returns undefined for a path without variables
 */
export function foldersFor(written: string, checkout: Checkout): PossibleFolders | undefined {
  const filled = substituted(written, {})
  const variables = [...filled.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  if (variables.length === 0) return undefined
  // Several variables between two slashes can be split in many ways: one such pair is enough for any layout.
  const segments = filled.split('/').filter((segment) => segment.includes('${'))
  if (variables.length > segments.length + 1) return undefined
  const place = placeInArtifact(filled)
  if (place === undefined) return undefined
  const pattern = patternOf(place)
  const found = foldersOfManifests(checkout).filter((folder) => pattern.test(folder))
  return { folders: found.slice(0, mostFolders), hasMore: found.length > mostFolders }
}

const foldersOfTrees = new WeakMap<object, readonly string[]>()

/** The folders that have manifests, sorted: each of hundreds of paths is compared with all. */
function foldersOfManifests({ tree }: Checkout): readonly string[] {
  const known = foldersOfTrees.get(tree)
  if (known) return known
  const folders = new Set<string>()
  for (const file of tree.entries.keys())
    if (manifestName.test(file)) folders.add(file.includes('/') ? path.dirname(file) : '')
  const sorted = [...folders].sort()
  foldersOfTrees.set(tree, sorted)
  return sorted
}

/** The same variable is the same text; none crosses a slash. */
function patternOf(place: string): RegExp {
  const known = new Map<string, number>()
  const parts = place.split(/\$\{(\w+)\}/)
  const pieces = parts.map((part, index) => {
    if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const before = known.get(part)
    if (before !== undefined) return `\\${before}(?!\\d)`
    known.set(part, known.size + 1)
    return '([^/]+)'
  })
  return new RegExp(`^${pieces.join('')}$`)
}
