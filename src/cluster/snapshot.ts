import { append } from '../append'
import { type GroupKind, groupKindOf, identityOf, type Manifest, type ObjectRef } from '../manifest/manifest'
import { ClusterFacts } from './cluster-facts'

/** All manifests of one revision and cluster that were read, indexed. */
export class Snapshot {
  private readonly byIdentity = new Map<string, Manifest[]>()
  private readonly byKind = new Map<GroupKind, Manifest[]>()
  private byNamespace: ReadonlyMap<string, readonly Manifest[]> | undefined
  private known: ClusterFacts | undefined

  /**
   * @param descriptions the cluster's descriptions, apart from its manifests
   * @param hides whether a cluster has parts that were not inspected
   */
  constructor(
    readonly cluster: string,
    readonly manifests: readonly Manifest[],
    readonly descriptions: readonly Manifest[] = [],
    private readonly hides: (cluster: string) => boolean = () => false,
  ) {
    for (const manifest of manifests) {
      append(this.byIdentity, identityOf(manifest.ref), manifest)
      append(this.byKind, groupKindOf(manifest.ref), manifest)
    }
  }

  /** Whether all of the cluster's sources were inspected: only then is an object missing if it is not here. */
  get isWhole(): boolean {
    return !this.hides(this.cluster)
  }

  /** The facts of the cluster. A rule that uses them has `factKinds` among the kinds it reads. */
  get facts(): ClusterFacts {
    this.known ??= new ClusterFacts(this.descriptions, this.manifests)
    return this.known
  }

  /** The same objects in a cluster as another snapshot describes it. */
  describedBy({ facts }: Snapshot): Snapshot {
    const snapshot = new Snapshot(this.cluster, this.manifests, this.descriptions, this.hides)
    snapshot.known = facts
    return snapshot
  }

  /** The same cluster with further objects. */
  with(manifests: readonly Manifest[]): Snapshot {
    const snapshot = new Snapshot(this.cluster, [...this.manifests, ...manifests], this.descriptions, this.hides)
    snapshot.known = this.facts
    return snapshot
  }

  /** The same cluster without some objects. */
  without(isGone: (manifest: Manifest) => boolean): Snapshot {
    const manifests = this.manifests.filter((manifest) => !isGone(manifest))
    if (manifests.length === this.manifests.length) return this
    const snapshot = new Snapshot(this.cluster, manifests, this.descriptions, this.hides)
    snapshot.known = this.facts
    return snapshot
  }

  /** The same cluster with this one of the copies of an object, and no other. */
  withOnly(copy: Manifest): Snapshot {
    const copies = this.get(copy.ref)
    if (copies.every((other) => other === copy)) return this
    const others = new Set(copies.filter((other) => other !== copy))
    const manifests = this.manifests.filter((manifest) => !others.has(manifest))
    const snapshot = new Snapshot(this.cluster, manifests, this.descriptions, this.hides)
    snapshot.known = this.facts
    return snapshot
  }

  /** The occurrences of one identity; more than one are copies of one object. */
  get(ref: ObjectRef): readonly Manifest[] {
    return this.byIdentity.get(identityOf(ref)) ?? []
  }

  ofKind(kind: GroupKind): readonly Manifest[] {
    return this.byKind.get(kind) ?? []
  }

  /** The objects of a namespace; with an empty name, those that have none. */
  inNamespace(name: string): readonly Manifest[] {
    this.byNamespace ??= grouped(this.manifests, ({ ref }) => ref.namespace)
    return this.byNamespace.get(name) ?? []
  }
}

function grouped(manifests: readonly Manifest[], keyOf: (manifest: Manifest) => string): Map<string, Manifest[]> {
  const groups = new Map<string, Manifest[]>()
  for (const manifest of manifests) append(groups, keyOf(manifest), manifest)
  return groups
}

/** One snapshot for each cluster that any of the manifests is deployed to or describes, by cluster name. */
export function snapshotsOf(
  manifests: readonly Manifest[],
  descriptions: readonly Manifest[] = [],
  hides?: (cluster: string) => boolean,
): Map<string, Snapshot> {
  const deployed = byCluster(manifests)
  const described = byCluster(descriptions)
  const names = new Set([...deployed.keys(), ...described.keys()])
  return new Map(
    [...names].map((name) => [name, new Snapshot(name, deployed.get(name) ?? [], described.get(name), hides)]),
  )
}

function byCluster(manifests: readonly Manifest[]): Map<string, Manifest[]> {
  const found = new Map<string, Manifest[]>()
  for (const manifest of manifests) for (const cluster of manifest.clusters) append(found, cluster, manifest)
  return found
}
