import path from 'node:path/posix'
import type { Manifest } from '../../manifest/manifest'
import { ignorableKustomization, type Kustomization } from '../../sources/kustomization'
import { madeKustomization } from '../../sources/made-kustomization'
import type { PackedFiles } from '../../sources/source'
import type { GitOpsSources } from '../common/gitops-sources'

/**
 * The Kustomization that Flux makes of a folder that has none: of all manifests below it, and of the folders that have
 * one, whole. https://fluxcd.io/flux/components/kustomize/kustomizations/#generate-kustomizationyaml
 *
 * @param manifest the object of Flux that it is generated for
 * @param artifact the files that Flux has of the repository
 */
export function generateKustomization(
  place: string,
  manifest: Manifest,
  artifact: PackedFiles,
  named: GitOpsSources,
): Kustomization {
  const { checkout, kustomizations } = named.repositoryIndex
  const members = new Set<string>()
  for (const file of checkout.below(place)) {
    if (checkout.tree.resolved.has(file)) {
      // https://fluxcd.io/flux/components/source/gitrepositories/ archives regular files alone.
      named.unfollowedLinks.set(file, `Flux ignores symbolic links, and ${file} is one`)
      continue
    }
    const above = foldersBetween(place, file)
    const own = above.find((folder) => {
      const its = kustomizations.get(folder)?.file ?? ignorableKustomization(folder, checkout)
      return its !== undefined && artifact.has(its)
    })
    // A chart's templates are not manifests; repositories with charts below such a folder exclude them from the Flux
    // source.
    const chart = above.some((folder) => checkout.has(path.join(folder, 'Chart.yaml')))
    if (own !== undefined) {
      if (!named.isIgnored(own)) members.add(own)
      continue
    }
    if (chart) continue
    if (!artifact.has(file)) {
      if (/\.ya?ml$/.test(file)) named.ignoredByFlux.set(file, 'its source excludes it, so Flux does not get it')
      continue
    }
    if (/\.json$/.test(file)) {
      named.ignoredByFlux.set(file, `Flux reads only YAML in ${place || 'the root'}, which has no Kustomization`)
    } else if (/\.ya?ml$/.test(file)) {
      if (checkout.tree.files.has(file)) members.add(file)
      if (checkout.tree.ignorableAt(file).length > 0) named.ignorable.add(file)
    }
  }
  return madeKustomization(place, manifest.origin.path, { members: [...members].sort() })
}

/** The folders above a file and below (or at) another folder, the upper first, without that one itself. */
function foldersBetween(start: string, file: string): string[] {
  const found: string[] = []
  for (let end = file.indexOf('/', start === '' ? 0 : start.length + 1); end !== -1; end = file.indexOf('/', end + 1))
    found.push(file.slice(0, end))
  return found
}
