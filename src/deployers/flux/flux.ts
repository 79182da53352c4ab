import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import type { GitOpsSources } from '../common/gitops-sources'
import { FluxKustomizations } from './flux-kustomizations'
import { FluxOwners } from './flux-owners'
import { FluxReferences } from './flux-references'
import { FluxReleases } from './flux-releases'

/**
 * Adds the sources of the Flux objects of one side. A suspended object is read like any other: what it deployed stays
 * in the cluster, and a change takes effect when it is resumed.
 *
 * @param patches objects of that form that are only patches of others
 */
export function nameFluxSources(
  manifests: readonly Manifest[],
  patches: readonly Manifest[],
  named: GitOpsSources,
): void {
  const ofKind = (kind: string, all: readonly Manifest[]) => all.filter(({ ref }) => groupKindOf(ref) === kind)
  const references = new FluxReferences(manifests, named)
  const trees = ofKind(gitOpsKind.fluxKustomization, manifests)
  const charts = ofKind(gitOpsKind.helmRelease, manifests)
  named.usesFlux = trees.length > 0 || (charts.length > 0 && !manifests.some(isOfArgo))
  const kustomizations = new FluxKustomizations(trees, references, named)
  const owners = new FluxOwners(kustomizations.read(), named)
  kustomizations.deploy(owners)
  const releases = new FluxReleases(references, owners, named)
  releases.deploy(charts, ofKind(gitOpsKind.helmRelease, patches))
}

function isOfArgo({ ref }: Manifest): boolean {
  return [gitOpsKind.application, gitOpsKind.applicationSet].some((kind) => kind === groupKindOf(ref))
}
