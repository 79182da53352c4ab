import { readApplication } from '../../gitops/application'
import { readFluxKustomization } from '../../gitops/flux-kustomization'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'

export const deployerKinds = [gitOpsKind.application, gitOpsKind.helmRelease, gitOpsKind.fluxKustomization] as const

/** An object by which Argo CD or Flux deploys a folder of this repository. */
export interface Deployer {
  readonly manifest: Manifest
  /** The field that names the folder. */
  readonly at: Cursor
  /** Whether it deletes objects that it deployed and that are removed from its source. */
  readonly prunes: boolean
  /** Whether its deletion deletes the objects that it deployed. */
  readonly cascades: boolean
  /** The mark of objects that it does not delete, neither when they are gone from its source nor with itself. */
  readonly guard: string
  readonly lasting: string
  /** The setting that removes the cascade, in words. */
  readonly loosen: string
}

/** The deployers that a manifest is; an Application may deploy several folders. */
export function deployersIn(manifest: Manifest): Deployer[] {
  const { root } = manifest
  switch (groupKindOf(manifest.ref)) {
    case gitOpsKind.application: {
      const { prunes, cascades, sources } = readApplication(root)
      const argo = {
        manifest,
        prunes,
        cascades,
        guard: 'argocd.argoproj.io/sync-options: Prune=false',
        lasting: 'argocd.argoproj.io/sync-options: Delete=false',
        loosen: 'remove its finalizer resources-finalizer.argocd.argoproj.io',
      }
      return sources.filter(({ path }) => path.string !== undefined).map(({ path: at }) => ({ ...argo, at }))
    }
    case gitOpsKind.fluxKustomization: {
      const { path: at, prunes, cascades } = readFluxKustomization(root)
      const guard = 'kustomize.toolkit.fluxcd.io/prune: disabled'
      return [
        {
          manifest,
          at,
          prunes,
          cascades,
          guard,
          lasting: guard,
          loosen: 'set its deletionPolicy: Orphan',
        },
      ]
    }
    case gitOpsKind.helmRelease: {
      // Helm uninstalls with the object, and an upgrade deletes what the chart no longer contains.
      const { chart, suspended } = readHelmRelease(root)
      const { chart: at } = chart
      const guard = 'helm.sh/resource-policy: keep'
      return [
        {
          manifest,
          at,
          prunes: true,
          cascades: !suspended,
          guard,
          lasting: guard,
          loosen: 'suspend it and remove its finalizers',
        },
      ]
    }
    default:
      return []
  }
}

/** Whether a deployer deploys the file or the source of a manifest. */
export function deploys({ at, manifest }: Deployer, { origin }: Manifest): boolean {
  const place = (at.string ?? '').replace(/^(?:\.?\/)+/, '').replace(/(?<!\/)\/+$/, '') || '.'
  if (origin.kind === 'rendered') return (origin.source.path || '.') === place
  // Flux generates a Kustomization for a folder without one, so only Argo CD deploys plain files. A path at the root
  // may be that of any repository, most likely of another one.
  return manifest.ref.kind === 'Application' && origin.path.startsWith(`${place}/`)
}
