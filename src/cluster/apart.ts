import { type Declarations, declaredFor, layoutFolderOf } from './clusters'
import { ancestors } from './folders'

/**
 * The clusters that something may be deployed to, as far as they are known before its objects are: names, or, for a
 * path, a folder above it.
 */
export interface Whereabouts {
  readonly names: readonly string[]
  /** The path itself, or the folder of its layout. */
  readonly path?: string
  /** The folder that the layout gives to a cluster: then it is this one, or one in it. */
  readonly layout?: string | undefined
  /** The folder of the path that is taken for a cluster, if the layout does not give it to a larger one; '' if none is. */
  readonly folder?: string | undefined
}

/** @param destination a cluster, or a file that decides which one it is */
export function whereaboutsOf(
  destination: { readonly cluster: string } | { readonly path: string },
  { base, head, folders }: Pick<Declarations, 'base' | 'head' | 'folders'>,
): Whereabouts {
  if ('cluster' in destination) return { names: [destination.cluster] }
  const { path } = destination
  const names = declaredFor(path, base)
  if (names.length > 0) return { names }
  const layout = layoutFolderOf(path)
  // Only a new file is in a cluster that the head declares.
  const known = { names: declaredFor(path, head), path: layout === undefined ? path : `${layout}/`, layout }
  if (!folders) return known
  const folder = ancestors(path).findLast((one) => folders.has(one)) ?? ''
  return { ...known, folder: folder.length > (layout ?? '').length ? folder : '' }
}

/** Whether two things are certainly in different clusters. */
export function areApart(one: Whereabouts, other: Whereabouts): boolean {
  if (one.names.some((name) => other.names.includes(name))) return false
  if (mayBeNamed(one, other) || mayBeNamed(other, one)) return false
  return !mayShareFolder(one, other) || areInOtherFolders(one.folder, other.folder)
}

/** Whether the folder of one may have the name of the other. */
function mayBeNamed({ path, layout }: Whereabouts, { names }: Whereabouts): boolean {
  if (path === undefined) return false
  return names.some((name) => name === '' || isIn(path, name) || (layout !== undefined && isIn(name, layout)))
}

function mayShareFolder(one: Whereabouts, other: Whereabouts): boolean {
  if (one.path === undefined || other.path === undefined) return false
  if (one.layout === undefined || other.layout === undefined) return one.layout === other.layout
  return one.layout === other.layout || isIn(one.layout, other.layout) || isIn(other.layout, one.layout)
}

/** What is in no such folder is in none of them. Of two folders, one in the other, it is not known which has the objects. */
function areInOtherFolders(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false
  return one === '' || other === '' || (!isIn(one, other) && !isIn(other, one))
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}
