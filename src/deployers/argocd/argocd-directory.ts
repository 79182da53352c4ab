import type { ApplicationSource } from '../../gitops/application'
import { matchesArgoGlob } from '../../gitops/argo-glob'
import { textAt } from '../../gitops/text'
import { abridged } from '../../listing'
import { startOf } from '../../region'
import { isDirectoryFile } from '../common/argocd-files'
import type { GitOpsSources, PlainOwner } from '../common/gitops-sources'
import { discoveredType } from './source-type'

/**
 * The files of a folder that Argo CD applies as they are. They are judged file by file; their owner matters when a
 * change takes the last one away. https://argo-cd.readthedocs.io/en/stable/user-guide/directory/
 */
export function namePlainFiles(
  place: string,
  { directory }: ApplicationSource,
  owner: PlainOwner,
  named: GitOpsSources,
): void {
  const { manifest, name } = owner
  const { unfollowedLinks } = named
  const { checkout, argoFiles } = named.repositoryIndex
  const start = place === '' ? 0 : place.length + 1
  const [include, exclude] = [textAt(directory.at('include')), textAt(directory.at('exclude'))]
  const recurses = directory.at('recurse').value === true
  named.directories.add(place)
  const taken: string[] = []
  const others: string[] = []
  for (const file of checkout.below(place)) {
    const inPlace = file.slice(start)
    if (!recurses && inPlace.includes('/')) continue
    if (exclude && matchesArgoGlob(exclude, inPlace)) continue
    if (include && !matchesArgoGlob(include, inPlace)) continue
    if (!isDirectoryFile(file)) {
      others.push(file)
      continue
    }
    if (argoFiles.skipped.has(file)) continue
    if (file.endsWith('.jsonnet')) {
      const reason = `it deploys ${file}, and the gate does not run Jsonnet`
      named.skip(manifest, 'jsonnet', reason, { at: { path: file, region: startOf(1) } })
      continue
    }
    taken.push(file)
    const to = checkout.tree.resolved.get(file)
    named.take(file, owner)
    if (to === undefined) continue
    // Argo CD reads a file through a link, and enters no folder through one.
    if (checkout.tree.entries.has(to)) named.take(to, owner)
    else unfollowedLinks.set(file, `${name} does not follow ${file} to a folder`)
  }
  if (directory.at('disableExtensionFilter').value === true && others.length > 0)
    named.skip(manifest, 'file-names', `it deploys files of any name, and ${abridged(others)} is not read`, {
      at: named.siteOf(manifest, directory.at('disableExtensionFilter')),
    })
  if (discoveredType(place, checkout) !== 'directory') named.asDirectories.set(place, taken)
}
