import { append } from '../../append'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { type Label, meets, writtenLabel } from './label-answer'
import { networkPolicyKind } from './network-policy'
import type { RouteClient } from './route-clients'

/** Kinds whose objects let traffic in besides NetworkPolicies, or make these: what they do is not read. */
export const otherPolicyKinds: readonly GroupKind[] = [
  'CiliumNetworkPolicy.cilium.io',
  'CiliumClusterwideNetworkPolicy.cilium.io',
  'NetworkPolicy.crd.projectcalico.org',
  'NetworkPolicy.projectcalico.org',
  'GlobalNetworkPolicy.crd.projectcalico.org',
  'GlobalNetworkPolicy.projectcalico.org',
  'AdminNetworkPolicy.policy.networking.k8s.io',
  'ClusterNetworkPolicy.policy.networking.k8s.io',
  'ClusterPolicy.kyverno.io',
  'Policy.kyverno.io',
  'GeneratingPolicy.policies.kyverno.io',
  'Tenant.capsule.clastix.io',
]

/** The way in to Pods that NetworkPolicies isolate: those that select them, and their rules together. */
export interface Isolation {
  readonly policies: readonly [Manifest, ...Manifest[]]
  readonly rules: readonly Cursor[]
}

/**
 * The NetworkPolicies that isolate the Pods of a workload; undefined where none does, or where others may let traffic in.
 * Network plugins take Pods on the network of their node for the node, which no policy isolates. Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#the-two-sorts-of-pod-isolation
 */
export function isolationOf(workload: Manifest, snapshot: Snapshot): Isolation | undefined {
  const index = indexOf(snapshot)
  const { namespace } = workload.ref
  if (namespace === '' || index.isOpenTo(namespace) || index.mayBeBeside(workload)) return undefined
  if (podOf(workload).at('spec', 'hostNetwork').value === true) return undefined
  const labels = podOf(workload).at('metadata', 'labels')
  const answers = index.near(namespace, labels).map((policy) => ({ policy, answer: selectsPods(policy, labels) }))
  const selecting = answers.filter(({ answer }) => answer !== false).map(({ policy }) => policy)
  const [first, ...more] = answers.filter(({ answer }) => answer === true).map(({ policy }) => policy)
  const rules = selecting.flatMap(({ root }) => [...root.at('spec', 'ingress').items()])
  return first && { policies: [first, ...more], rules }
}

/** Whether a NetworkPolicy may select the Pods of a workload. */
export function maySelectPods(workload: Manifest, snapshot: Snapshot): boolean {
  const index = indexOf(snapshot)
  const labels = podOf(workload).at('metadata', 'labels')
  const near = index.near(workload.ref.namespace, labels)
  return index.mayBeBeside(workload) || near.some((policy) => selectsPods(policy, labels) !== false)
}

/** Whether objects of other kinds than those of Kubernetes, or than policies of administrators, may let traffic in to a namespace. */
export function isOpenBesideAdmins(namespace: string, snapshot: Snapshot): boolean {
  return indexOf(snapshot).isOpenBesideAdmins(namespace)
}

/** Whether objects of other kinds than those of Kubernetes and Cilium, or ones without a namespace, may let traffic in to Pods. */
export function isOpenToOthers(namespace: string, pods: Manifest, snapshot: Snapshot): boolean {
  const index = indexOf(snapshot)
  return index.isOpenBesideCilium(namespace) || index.mayBeBeside(pods)
}

/** The same for objects of other kinds than those of Kubernetes, Cilium and Calico. */
export function isOpenBesidePlugins(namespace: string, pods: Manifest, snapshot: Snapshot): boolean {
  const index = indexOf(snapshot)
  return index.isOpenBesidePlugins(namespace) || index.mayBeBeside(pods)
}

interface Policies {
  /** Whether an object that is not read may let traffic in to Pods of a namespace. */
  isOpenTo(namespace: string): boolean
  /** The same, without the policies of Cilium. */
  isOpenBesideCilium(namespace: string): boolean
  /** The same, without the policies of Cilium and Calico. */
  isOpenBesidePlugins(namespace: string): boolean
  /** The same, without the policies of administrators. */
  isOpenBesideAdmins(namespace: string): boolean
  /** Whether a policy without a namespace may be in that of a workload. */
  mayBeBeside(workload: Manifest): boolean
  /** The policies of a namespace, without those that ask for a label which the Pods do not have. */
  near(namespace: string, labels: Cursor): readonly Manifest[]
}

const indexes = new WeakMap<Snapshot, Policies>()

function indexOf(snapshot: Snapshot): Policies {
  const index = indexes.get(snapshot) ?? indexed(snapshot)
  indexes.set(snapshot, index)
  return index
}

function indexed(snapshot: Snapshot): Policies {
  const near = new Map<string, Manifest[]>()
  const [folders, above] = [new Set<string>(), new Set<string>()]
  for (const policy of snapshot.ofKind(networkPolicyKind).filter(isolates)) {
    if (policy.ref.namespace === '' || isPlaceholder(policy.ref.namespace)) {
      folders.add(folderOf(policy))
      for (const folder of foldersAbove(policy)) above.add(folder)
    } else append(near, keyOf(policy.ref.namespace, firstLabelOf(policy)), policy)
  }
  const openedBy = (kinds: readonly GroupKind[]) => {
    const open = new Set(kinds.flatMap((kind) => snapshot.ofKind(kind).filter(mayLetIn).map(scopeOf)))
    return (namespace: string) => open.has('') || open.has(namespace)
  }
  return {
    isOpenTo: openedBy(otherPolicyKinds),
    isOpenBesideCilium: openedBy(otherPolicyKinds.filter((kind) => !kind.endsWith('.cilium.io'))),
    isOpenBesidePlugins: openedBy(
      otherPolicyKinds.filter((kind) => !/\.(?:cilium\.io|projectcalico\.org)$/.test(kind)),
    ),
    isOpenBesideAdmins: openedBy(otherPolicyKinds.filter((kind) => !kind.endsWith('.policy.networking.k8s.io'))),
    mayBeBeside: (workload) =>
      above.has(folderOf(workload)) || foldersAbove(workload).some((folder) => folders.has(folder)),
    near: (namespace, labels) => {
      const keys = [...labels.entries()].map(([key, { string }]) => keyOf(namespace, [key, string ?? '']))
      return [keyOf(namespace, undefined), ...keys].flatMap((key) => near.get(key) ?? [])
    },
  }
}

function keyOf(namespace: string, label: readonly [string, string] | undefined): string {
  return JSON.stringify([namespace, label])
}

/** A label that the Pods of a policy have; undefined where it may be any. */
function firstLabelOf({ root }: Manifest): [string, string] | undefined {
  const [first] = [...root.at('spec', 'podSelector', 'matchLabels').entries()]
  const value = first?.[1].string
  return first && value !== undefined && !isPlaceholder(value) ? [first[0], value] : undefined
}

function folderOf({ origin }: Manifest): string {
  return origin.path.slice(0, origin.path.lastIndexOf('/') + 1)
}

/** `apps/web/`, `apps/` and the root of `apps/web/policy.yaml`. */
function foldersAbove(manifest: Manifest): string[] {
  const parts = folderOf(manifest).split('/').slice(0, -1)
  return ['', ...parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)]
}

/** An empty list of types is as none: https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/network-policy-v1/ */
function isolates({ root }: Manifest): boolean {
  const types = [...root.at('spec', 'policyTypes').items()].map(({ string }) => string)
  return types.length === 0 || types.includes('Ingress')
}

/** Whether an object of another kind may open Pods: a policy of Cilium or of administrators with rules for that, and all others. */
function mayLetIn({ ref, root, object }: Manifest): boolean {
  if (ref.group === 'policy.networking.k8s.io') {
    const rules = root.at('spec', 'ingress')
    // What is passed on goes to NetworkPolicies.
    const areClosing = [...rules.items()].every((one) => ['Deny', 'Pass'].includes(one.at('action').string ?? ''))
    return !areClosing || (rules.isSet && !rules.isList)
  }
  if (ref.group === 'cilium.io') return root.at('spec', 'ingress').exists || root.at('specs').exists
  return !ref.group.includes('kyverno') || object.content.includes('NetworkPolic')
}

function scopeOf({ ref }: Manifest): string {
  return ref.group.endsWith('cilium.io') || ref.group.endsWith('projectcalico.org') ? ref.namespace : ''
}

/** Whether a policy selects Pods; undefined where it may. */
function selectsPods({ root }: Manifest, labels: Cursor): boolean | undefined {
  const selector = root.at('spec', 'podSelector')
  return !selector.exists || meets(selector, (key) => writtenLabel(labels.at(key)))
}

/** Whether a rule lets in clients from where they are; undefined where it may. */
export function letsFrom(rule: Cursor, client: RouteClient, snapshot: Snapshot): boolean | undefined {
  const peers = [...rule.at('from').items()]
  if (peers.length === 0) return rule.at('from').exists && !rule.at('from').isList ? undefined : true
  const answers = peers.map((peer) => isPeer(peer, client, snapshot))
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}

function isPeer(peer: Cursor, client: RouteClient, snapshot: Snapshot): boolean | undefined {
  const { namespace, labels } = client
  const [spaces, pods] = [peer.at('namespaceSelector'), peer.at('podSelector')]
  if (!spaces.exists && !pods.exists) return undefined
  const inNamespace = spaces.exists
    ? meets(spaces, (key) => labelOfItsNamespace(key, client, snapshot))
    : peer.manifest.ref.namespace === namespace
  const ofPods = pods.exists ? meets(pods, (key) => labelOfPods(key, labels)) : true
  if (inNamespace === false || ofPods === false) return false
  return inNamespace && ofPods
}

/** A label of the namespace of a client. */
export function labelOfItsNamespace(key: string, { namespace, lost }: RouteClient, snapshot: Snapshot): Label {
  return lost?.has(key) ? { value: undefined } : labelOfNamespace(key, namespace, snapshot)
}

/** The label that Kubernetes gives each namespace. */
const nameLabel = 'kubernetes.io/metadata.name'

/** A label that the Namespace does not have in this repository may be put on it in the cluster. */
export function labelOfNamespace(key: string, namespace: string, snapshot: Snapshot): Label {
  if (key === nameLabel) return { value: namespace }
  const copies = snapshot.get({ group: '', kind: 'Namespace', namespace: '', name: namespace })
  const labels = copies.map(({ root }) => writtenLabel(root.at('metadata', 'labels', key)))
  const [first] = labels
  return first?.value !== undefined && labels.every((one) => one?.value === first.value) ? first : undefined
}

/** Labels that the cluster gives Pods, and a mesh. */
const givenLater: readonly string[] = [
  'istio.io/',
  'linkerd.io/',
  'k8s.aws/',
  'kubernetes.io/pod',
  'kubernetes.io/job',
].concat(['pod-template-hash', 'controller-revision-hash', 'pod-template-generation', 'job-name'])

/** A label of the Pods of a controller; undefined where the cluster or a chart writes it. */
export function labelOfPods(key: string, labels: Cursor | undefined): Label {
  return labels && !givenLater.some((part) => key.includes(part)) ? writtenLabel(labels.at(key)) : undefined
}
