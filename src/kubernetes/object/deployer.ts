import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'

export const deployerKinds = [
  'Application.argoproj.io',
  'HelmRelease.helm.toolkit.fluxcd.io',
  'Kustomization.kustomize.toolkit.fluxcd.io',
] as const

/** An object by which Argo CD or Flux deploys a folder of this repository. */
export interface Deployer {
  readonly manifest: Manifest
  /** Where it names the folder. */
  readonly at: Cursor
  /** Whether it deletes objects that it deployed and that are gone from its source. */
  readonly prunes: boolean
  /** Whether its deletion deletes what it deployed. */
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
  const spec = root.at('spec')
  switch (groupKindOf(manifest.ref)) {
    case 'Application.argoproj.io': {
      // Source: https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/
      const finalizers = [...root.at('metadata', 'finalizers').items()]
      const argo = {
        manifest,
        prunes: spec.at('syncPolicy', 'automated', 'prune').value === true,
        cascades: finalizers.some(({ string }) => string?.startsWith('resources-finalizer.argocd.argoproj.io')),
        guard: 'argocd.argoproj.io/sync-options: Prune=false',
        lasting: 'argocd.argoproj.io/sync-options: Delete=false',
        loosen: 'remove its finalizer resources-finalizer.argocd.argoproj.io',
      }
      const paths = [spec, ...spec.at('sources').items()].map((one, index) =>
        index === 0 ? one.at('source', 'path') : one.at('path'),
      )
      return paths.filter(({ string }) => string !== undefined).map((at) => ({ ...argo, at }))
    }
    case 'Kustomization.kustomize.toolkit.fluxcd.io': {
      // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#deletion-policy
      const prunes = spec.at('prune').value === true
      const deletion = spec.at('deletionPolicy').string ?? 'MirrorPrune'
      const cascades = deletion === 'MirrorPrune' ? prunes : deletion !== 'Orphan'
      const guard = 'kustomize.toolkit.fluxcd.io/prune: disabled'
      return [
        {
          manifest,
          at: spec.at('path'),
          prunes,
          cascades,
          guard,
          lasting: guard,
          loosen: 'set its deletionPolicy: Orphan',
        },
      ]
    }
    case 'HelmRelease.helm.toolkit.fluxcd.io': {
      // Helm uninstalls with the object, and an upgrade deletes what the chart no longer contains.
      const at = spec.at('chart', 'spec', 'chart')
      const guard = 'helm.sh/resource-policy: keep'
      return [
        {
          manifest,
          at,
          prunes: true,
          cascades: true,
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
  // Flux makes a Kustomization of a folder that has none, so only Argo CD deploys files as they are. The root is one of any
  // repository, most likely of another.
  return manifest.ref.kind === 'Application' && origin.path.startsWith(`${place}/`)
}
