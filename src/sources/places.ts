import path from 'node:path/posix'
import { heldFolderOf } from '../revision/held-files'
import type { Tree } from '../revision/tree'

/**
 * A path as a file in a folder writes it, from the repository's root; undefined when it leads out of it, or out of the
 * fetched files that the folder is one of.
 */
export function inside(folder: string, written: string): string | undefined {
  if (written === '' || path.isAbsolute(written) || written.includes('://') || isUrl(written)) return undefined
  const place = path.join(folder, written).replace(/\/$/, '')
  if (place === '..' || place.startsWith('../')) return undefined
  if (heldFolderOf(place) !== heldFolderOf(folder)) return undefined
  return place === '.' ? '' : place
}

/**
 * The place in an artifact of Flux that a field of an object names, from the root of the artifact. Flux joins the two as a
 * chroot does (`SecureJoin`), so that `..` stops at the root.
 * https://github.com/fluxcd/kustomize-controller/blob/v1.7.3/internal/controller/kustomization_controller.go (spec.path)
 * https://github.com/fluxcd/source-controller/blob/v1.7.4/internal/helm/chart/builder_local.go (spec.chart, its valuesFiles)
 */
export function placeInArtifact(written: string): string | undefined {
  if (written === '' || written.includes('://') || isUrl(written)) return undefined
  return inside('', path.join('/', written).slice(1) || '.')
}

/** Whether Go would fetch it from a server: the scheme of a URL alone decides. */
export function isUrl(written: string): boolean {
  return /^\s*https?:/i.test(written)
}

/** Whether an entry of `resources:` names a place outside the repository, in the forms that kustomize accepts. */
export function isRemote(written: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|git::|gh:|[^/]+@|(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)[/:])|[?&]ref=/i.test(
    written,
  )
}

/** The target of a path, following the symbolic links on it. */
export function realPlace({ resolved }: Pick<Tree, 'resolved'>, place: string): string {
  let real = place
  // A link's target is resolved whole, so that one walk along the path is enough where links are sound.
  for (let hops = 0; hops < 20; hops++) {
    const link = linksOn({ resolved }, real)[0]
    if (link === undefined) return real
    real = path.join(resolved.get(link) ?? '', real.slice(link.length + 1))
    if (real === '.') real = ''
  }
  return real
}

/** The symbolic links on a path, including its end, the topmost first. */
export function linksOn({ resolved }: Pick<Tree, 'resolved'>, place: string): string[] {
  if (resolved.size === 0) return []
  const found: string[] = []
  for (let end = place.indexOf('/'); ; end = place.indexOf('/', end + 1)) {
    const prefix = end === -1 ? place : place.slice(0, end)
    if (resolved.has(prefix)) found.push(prefix)
    if (end === -1) return found
  }
}
