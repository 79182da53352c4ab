import path from 'node:path/posix'
import { readApplication } from '../../gitops/application'
import { readFluxKustomization } from '../../gitops/flux-kustomization'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, Manifest } from '../../manifest/manifest'
import { pruneGuards } from './prune'

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
    case gitOpsKind.application:
      return deployersOfApplication(manifest)
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

function deployersOfApplication(manifest: Manifest): Deployer[] {
  const { prunes, cascades, sources } = readApplication(manifest.root)
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

/** The deployers that the Applications of an ApplicationSet are, for folders of this repository. */
export function deployersMadeBy(set: Manifest): Deployer[] {
  const { object, side, origin, clusters } = set
  return (object.makes ?? []).flatMap((one) => {
    const application = new Manifest(one, side, origin, clusters)
    return deployersOfApplication(application)
      .filter(({ at }) => one.foldersHere?.has(at.string ?? ''))
      .map((deployer): Deployer => ({ ...deployer, ...deletionBy(set, application.root) }))
  })
}

/**
 * Whether the deletion of an Application of a set deletes what it deployed, and what keeps it from that. Where a template has
 * no finalizer, Argo CD adds the one that cascades. Source:
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Application-Deletion/
 *
 * @param application the Application, or the template
 */
export function deletionBy({ root }: Manifest, application: Cursor): Pick<Deployer, 'cascades' | 'loosen'> {
  const isOwn = [...application.at('metadata', 'finalizers').items()].length > 0
  const preserves = root.at('spec', 'syncPolicy', 'preserveResourcesOnDeletion').value === true
  const first = isOwn ? 'remove the finalizers of its template and ' : ''
  return {
    cascades: isOwn ? readApplication(application).cascades : !preserves,
    loosen: `${first}set its spec.syncPolicy.preserveResourcesOnDeletion: true`,
  }
}

/** Whether a deployer deploys the file or the source of a manifest. */
export function deploys(deployer: Deployer, { origin }: Manifest): boolean {
  const place = folderOf(deployer)
  const { manifest } = deployer
  if (origin.kind === 'rendered') return (origin.source.path || '.') === place
  // Flux generates a Kustomization for a folder without one, so only Argo CD deploys plain files. A path at the root
  // may be that of any repository, most likely of another one.
  return manifest.ref.kind === 'Application' && origin.path.startsWith(`${place}/`)
}

/** The folder that a deployer names; `.` for the root, at which `..` stops, as Flux joins it. */
export function folderOf({ at }: Pick<Deployer, 'at'>): string {
  return (
    path
      .join('/', at.string ?? '')
      .split('/')
      .filter(Boolean)
      .join('/') || '.'
  )
}

/** Whether an object has the mark with which it outlives its deployer. */
export function outlives(manifest: Manifest, { lasting }: Pick<Deployer, 'lasting'>): boolean {
  return pruneGuards(manifest).some(({ mark }) => mark.replace('confirm', 'false') === lasting)
}
