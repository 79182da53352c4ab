import { hookAnnotationOf, hookFateOf } from '../gitops/argo-hook'
import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { madeBySet } from '../manifest/resource-set'
import { nameSourcesOfSet } from './argocd/application-set'
import { nameSourcesOf } from './argocd/argocd'
import { GitOpsSources, type RepositoryIndex } from './common/gitops-sources'
import { nameFluxSources } from './flux/flux'
import { KnownInputs } from './known-inputs'

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
  const inputs = new KnownInputs(manifests, surroundings.kustomizations)
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
      case gitOpsKind.resourceSet:
        listUnknownParts(manifest, inputs.ofSet(manifest), named)
        break
      case gitOpsKind.inputProvider:
        if (!inputs.ofProvider(manifest))
          named.skip(manifest, 'set-inputs', 'the objects that ResourceSets make of its inputs are unknown here')
        break
    }
  }
  nameFluxSources(manifests, patches, named)
  return named
}

/** Lists the templates of a ResourceSet whose objects are unknown. */
function listUnknownParts(manifest: Manifest, areInputsKnown: boolean, named: GitOpsSources): void {
  const { object, origin } = manifest
  const { unknown } = madeBySet(object)
  // A rendering has the inputs of providers in other files.
  for (const { cause, node, reason } of unknown.filter((one) => !(areInputsKnown && one.cause === 'set-inputs')))
    named.skip(manifest, cause, reason, { at: { path: origin.path, region: object.regionOf(node) } })
}

/** Lists an object that Argo CD deletes and makes again at each sync. */
function listHook(manifest: Manifest, named: GitOpsSources): void {
  const { root } = manifest
  if (['plain', 'skipped'].includes(hookFateOf(root, true))) return
  const reason = 'it is a hook of Argo CD'
  named.skip(manifest, 'hook', reason, { at: named.siteOf(manifest, hookAnnotationOf(root)) })
}
