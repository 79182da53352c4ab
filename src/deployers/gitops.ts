import { hookAnnotationOf, hookFateOf } from '../gitops/argo-hook'
import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { nameSourcesOfSet } from './argocd/application-set'
import { nameSourcesOf } from './argocd/argocd'
import { GitOpsSources, type RepositoryIndex } from './common/gitops-sources'
import { nameFluxSources } from './flux/flux'

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
  for (const manifest of manifests) {
    const kind = groupKindOf(manifest.ref)
    if (kind === gitOpsKind.application || kind === gitOpsKind.applicationSet) {
      named.usesArgo = true
      listHook(manifest, named)
    }
    switch (kind) {
      case gitOpsKind.application:
        nameSourcesOf(manifest, manifest.root, named)
        break
      case gitOpsKind.applicationSet:
        nameSourcesOfSet(manifest, named)
        break
    }
  }
  nameFluxSources(manifests, patches, named)
  return named
}

/** Lists an object that Argo CD deletes and makes again at each sync. */
function listHook(manifest: Manifest, named: GitOpsSources): void {
  const { root } = manifest
  if (['plain', 'skipped'].includes(hookFateOf(root, true))) return
  const reason = 'it is a hook of Argo CD'
  named.skip(manifest, 'hook', reason, { at: named.siteOf(manifest, hookAnnotationOf(root)) })
}
