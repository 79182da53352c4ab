import { type GroupKind, groupKindOf, identityOf, type Manifest, type ObjectRef } from './manifest'

/** All manifests of one revision and cluster that were read, indexed. */
export class Snapshot {
  private readonly byIdentity = new Map<string, Manifest[]>()
  private readonly byKind = new Map<GroupKind, Manifest[]>()

  constructor(
    readonly cluster: string,
    readonly manifests: readonly Manifest[],
  ) {
    for (const manifest of manifests) {
      push(this.byIdentity, identityOf(manifest.ref), manifest)
      push(this.byKind, groupKindOf(manifest.ref), manifest)
    }
  }

  /** The occurrences of one identity; more than one are copies of one object. */
  get(ref: ObjectRef): readonly Manifest[] {
    return this.byIdentity.get(identityOf(ref)) ?? []
  }

  ofKind(kind: GroupKind): readonly Manifest[] {
    return this.byKind.get(kind) ?? []
  }
}

function push(map: Map<string, Manifest[]>, key: string, manifest: Manifest): void {
  const list = map.get(key)
  if (list) list.push(manifest)
  else map.set(key, [manifest])
}

/** One snapshot for each cluster that any of the manifests is deployed to, by cluster name. */
export function snapshotsOf(manifests: readonly Manifest[]): Map<string, Snapshot> {
  const byCluster = new Map<string, Manifest[]>()
  for (const manifest of manifests) for (const cluster of manifest.clusters) push(byCluster, cluster, manifest)
  return new Map([...byCluster].map(([cluster, list]) => [cluster, new Snapshot(cluster, list)]))
}
