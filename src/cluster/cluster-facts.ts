import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, type ObjectRef, ownGroup } from '../manifest/manifest'
import { describesInstallation, installerKinds, installerMarks, kubeProxyModeIn, kubernetesIn } from './installer'
import {
  factAt,
  type Inventory,
  type LiveIngressClass,
  type LiveLock,
  type LivePod,
  type LiveService,
  type NodeFacts,
  type StatedValue,
} from './inventory'
import { readInventory } from './inventory-reader'
import { newestOf } from './version'

/** A value that is stated of a cluster, and the cursor of the statement. */
export type Fact = StatedValue<Cursor>
/** A node that a description of the cluster states. */
export type ClusterNode = NodeFacts<Cursor>
/** A leader-election lock that a description of the cluster states. */
export type ClusterLock = LiveLock<Cursor>

/**
 * The kind of cluster descriptions: the config's entry and the documents of its inventory. All descriptions of one
 * cluster have one identity, so that a finding keeps its fingerprint when a node gets a new name, or a fact a better
 * place.
 */
export const clusterKind: GroupKind = `Cluster.${ownGroup}`

/** The identity of a cluster's descriptions: a cluster named like its folder uses the folder's own name. */
export function clusterRef(cluster: string): ObjectRef {
  return { group: ownGroup, kind: 'Cluster', namespace: '', name: cluster.slice(cluster.lastIndexOf('/') + 1) }
}

/** The kinds that a rule which asks for facts has to read. */
export const factKinds: readonly GroupKind[] = [clusterKind, ...installerKinds]

/** Strings in the files of installers: a rule that reads facts names them as partners of the objects it judges. */
export const factMarks: readonly string[] = installerMarks

/** Whether this describes a cluster and is no object that is deployed to it. */
export function describesCluster({ ref }: Manifest): boolean {
  return groupKindOf(ref) === clusterKind
}

/**
 * Whether an object states facts of its cluster: a rule then names as partners all objects that the fact may affect.
 */
export function statesFacts(manifest: Manifest): boolean {
  return describesCluster(manifest) || describesInstallation(manifest)
}

/**
 * The facts of a cluster, as one side of a change describes it. Each fact comes from the strongest place that states
 * it: the inventory, then the config, then the installers' settings in the cluster's own files. Other facts are
 * undefined.
 */
export class ClusterFacts {
  /** The API server's version, as it is written: `v1.30.4-eks-a737599`. */
  readonly kubernetes: Fact | undefined
  /** `iptables`, `ipvs` or `nftables`. */
  readonly kubeProxyMode: Fact | undefined
  /** The nodes; one without a name represents all of them when only the config gives a kernel. */
  readonly nodes: readonly ClusterNode[]
  readonly takenAt: Fact | undefined
  readonly locks: readonly ClusterLock[]
  readonly pods: readonly LivePod<Cursor>[]
  readonly services: readonly LiveService<Cursor>[]
  readonly ingressClasses: readonly LiveIngressClass<Cursor>[]

  /**
   * @param descriptions the cluster's entry of the config and the objects of its inventory
   * @param manifests the manifests deployed to the cluster, as far as they were read
   */
  constructor(descriptions: readonly Manifest[], manifests: readonly Manifest[]) {
    const declared = descriptions.filter(isDeclaration)
    const inventory: Inventory<Cursor> = readInventory(
      descriptions.filter((manifest) => !isDeclaration(manifest)).map(({ root }) => root),
    )
    const declaredFact = (key: string) => declared.flatMap(({ root }) => factAt(root.at(key)) ?? [])[0]
    this.kubernetes =
      inventory.kubernetes ??
      declaredFact('kubernetes') ??
      kubernetesIn(manifests) ??
      // No kubelet is newer than its API server, so it is at least of this version.
      newestOf(inventory.nodes.flatMap(({ kubelet }) => kubelet ?? []))
    this.kubeProxyMode = inventory.kubeProxyMode ?? declaredFact('kubeProxyMode') ?? kubeProxyModeIn(manifests)
    this.nodes = withKernel(inventory.nodes, declaredFact('kernel'))
    this.takenAt = inventory.takenAt
    this.locks = inventory.locks
    this.pods = inventory.pods
    this.services = inventory.services
    this.ingressClasses = inventory.ingressClasses
  }
}

/** The config's entry has no kind; every object of an inventory has one. */
function isDeclaration({ root }: Manifest): boolean {
  return !root.at('kind').exists
}

/** The config's kernel is every node's, unless the inventory knows better. */
function withKernel(nodes: readonly ClusterNode[], kernel: Fact | undefined): readonly ClusterNode[] {
  if (!kernel || nodes.some((node) => node.kernel)) return nodes
  return nodes.length > 0 ? nodes.map((node) => ({ ...node, kernel })) : [{ name: undefined, at: kernel.at, kernel }]
}
