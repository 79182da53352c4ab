import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { nameSourcesOfSet } from './application-set'
import { nameSourcesOf } from './argocd'
import { FluxObjects } from './flux'
import { GitOpsSources, type RepositoryIndex } from './gitops-sources'

/**
 * Reads the sources that the Argo CD and Flux objects of one side deploy.
 *
 * @param patches objects of that form that are only patches of others
 */
export function readGitOps(
  manifests: readonly Manifest[],
  patches: readonly Manifest[],
  surroundings: RepositoryIndex,
): GitOpsSources {
  const named = new GitOpsSources(surroundings)
  const flux = new FluxObjects(manifests, patches, named)
  for (const manifest of manifests) {
    const kind = groupKindOf(manifest.ref)
    if (kind === gitOpsKind.application || kind === gitOpsKind.applicationSet) named.usesArgo = true
    switch (kind) {
      case gitOpsKind.application:
        nameSourcesOf(manifest, manifest.root, named)
        break
      case gitOpsKind.applicationSet:
        nameSourcesOfSet(manifest, named)
        break
    }
  }
  flux.read()
  return named
}
