import type { Snapshot } from '../../cluster/snapshot'
import { isOwnCluster, readApplication } from '../../gitops/application'
import { type FluxKustomization, readFluxKustomization } from '../../gitops/flux-kustomization'
import { type HelmRelease, readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, type Manifest } from '../../manifest/manifest'

/**
 * Whether two objects are in one namespace. If none is written, a tool or the command line sets it, folder by folder,
 * so two such objects count only when the folder of one contains the other.
 */
export function shareNamespace(a: Manifest, b: Manifest): boolean {
  return a.ref.namespace === b.ref.namespace && mayShareNamespace(a, b)
}

/** Whether two objects may be in one namespace: as above, and where only one of them has it written. */
export function mayShareNamespace(a: Manifest, b: Manifest): boolean {
  if (a.ref.namespace !== '' && b.ref.namespace !== '') return a.ref.namespace === b.ref.namespace
  const [one, other] = [folderOf(a), folderOf(b)]
  return one.startsWith(other) || other.startsWith(one)
}

function folderOf({ origin }: Manifest): string {
  return origin.path.slice(0, origin.path.lastIndexOf('/') + 1)
}

/**
 * A label of a Namespace. The API server sets the one with its name itself. Source:
 * https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name
 */
export function labelOfNamespace({ ref, root }: Manifest, key: string): string | undefined {
  return key === 'kubernetes.io/metadata.name' ? ref.name : root.at('metadata', 'labels', key).string
}

/**
 * The contents of a namespace: the objects in it, and the installations of Argo CD and Flux objects of its cluster into
 * it.
 */
export function heldBy(namespace: string, snapshot: Snapshot): readonly Manifest[] {
  return snapshot.manifests.filter(
    (manifest) => manifest.ref.namespace === namespace || installsInto(manifest) === namespace,
  )
}

/** The namespace of its own cluster into which an object of Argo CD or Flux installs. */
function installsInto({ ref, root }: Manifest): string | undefined {
  switch (groupKindOf(ref)) {
    case gitOpsKind.application: {
      const { cluster, namespace } = readApplication(root).destination
      return isOwnCluster(cluster) ? namespace.string : undefined
    }
    case gitOpsKind.helmRelease:
      return intoOwnCluster(readHelmRelease(root))
    case gitOpsKind.fluxKustomization:
      return intoOwnCluster(readFluxKustomization(root))
    default:
      return undefined
  }
}

function intoOwnCluster({ kubeConfig, targetNamespace }: HelmRelease | FluxKustomization): string | undefined {
  return kubeConfig.exists ? undefined : targetNamespace.string
}
