import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { type Label, meets, writtenLabel } from './label-answer'
import { isOpenBesideAdmins, labelOfNamespace, labelOfPods, maySelectPods } from './pod-isolation'
import { opens, type PodPort, type PolicyPort, type PolicyPorts } from './policy-port'
import type { RouteClient } from './route-clients'

/** The policies of administrators, which are for the Pods of all namespaces. */
export const adminPolicyKinds: readonly GroupKind[] = [
  'AdminNetworkPolicy.policy.networking.k8s.io',
  'BaselineAdminNetworkPolicy.policy.networking.k8s.io',
  'ClusterNetworkPolicy.policy.networking.k8s.io',
]

type Tier = 'Admin' | 'Baseline'

/** A rule of a policy for one direction. */
interface AdminRule {
  readonly policy: Manifest
  readonly at: Cursor
  readonly direction: 'ingress' | 'egress'
  readonly tier: Tier
  /** The lowest comes first; NaN where it is not known. */
  readonly priority: number
  readonly index: number
}

/** The Pods at one end of a connection. */
interface End {
  readonly namespace: string
  readonly labelOf: (key: string) => Label
}

/** A rule by which administrators deny a connection, and whether that is before NetworkPolicies are asked. */
export interface AdminDenial {
  readonly at: Cursor
  readonly tier: Tier
}

/**
 * The denial of the connections of a client to a port of Pods; undefined where none is certain. Rules of the first tier come
 * before NetworkPolicies, and those of the other one are for Pods that no NetworkPolicy selects. Source:
 * kubernetes-sigs/network-policy-api at 0eec1b0e5fa9, apis/v1alpha2/clusternetworkpolicy_types.go, ClusterNetworkPolicySpec, and
 * apis/v1alpha1/adminnetworkpolicy_types.go
 */
export function deniedByAdmins(
  workload: Manifest,
  port: PodPort,
  client: RouteClient,
  snapshot: Snapshot,
): AdminDenial | undefined {
  const all = rulesIn(snapshot)
  const { namespace } = workload.ref
  const isOnNode = podOf(workload).at('spec', 'hostNetwork').value === true
  if (all.length === 0 || namespace === '' || isOnNode || isOpenBesideAdmins(namespace, snapshot)) return undefined
  const labels = podOf(workload).at('metadata', 'labels')
  const pods: End = { namespace, labelOf: (key) => writtenLabel(labels.at(key)) }
  const from: End = { namespace: client.namespace, labelOf: (key) => labelOfPods(key, client.labels) }
  const met = all.flatMap((rule) => {
    const [subject, peer] = rule.direction === 'ingress' ? [pods, from] : [from, pods]
    const answer = meetsRule(rule, subject, peer, port, snapshot)
    return answer === false ? [] : [{ rule, answer }]
  })
  const ofTier = (tier: Tier, direction: AdminRule['direction']) =>
    denialAmong(met.filter(({ rule }) => rule.tier === tier && rule.direction === direction))
  const first = ofTier('Admin', 'ingress') ?? ofTier('Admin', 'egress')
  if (first) return { at: first, tier: 'Admin' }
  const mayAllow = met.some(
    ({ rule: { tier, direction, at } }) =>
      tier === 'Admin' && direction === 'ingress' && at.at('action').string !== 'Pass',
  )
  if (mayAllow || maySelectPods(workload, snapshot)) return undefined
  const last = ofTier('Baseline', 'ingress')
  return last && { at: last, tier: 'Baseline' }
}

/** The rule that denies for certain: none that may say otherwise comes before it, or has its priority. */
function denialAmong(rules: readonly { rule: AdminRule; answer: true | undefined }[]): Cursor | undefined {
  const denies = ({ at }: AdminRule) => at.at('action').string === 'Deny'
  const others = rules.filter(({ rule }) => !denies(rule)).map(({ rule }) => rule)
  const isAfter = (other: AdminRule, one: AdminRule) =>
    other.policy === one.policy
      ? other.index > one.index
      : other.policy.ref.kind === one.policy.ref.kind && other.priority > one.priority
  const found = rules.find(
    ({ rule, answer }) => answer && denies(rule) && others.every((other) => isAfter(other, rule)),
  )
  return found?.rule.at
}

const known = new WeakMap<Snapshot, readonly AdminRule[]>()

function rulesIn(snapshot: Snapshot): readonly AdminRule[] {
  const rules = known.get(snapshot) ?? adminPolicyKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(rulesOf)
  known.set(snapshot, rules)
  return rules
}

function rulesOf(policy: Manifest): AdminRule[] {
  const spec = policy.root.at('spec')
  const given = spec.at('priority').value
  const priority = typeof given === 'number' ? given : Number.NaN
  const isOfBase = policy.ref.kind === 'BaselineAdminNetworkPolicy' || spec.at('tier').string === 'Baseline'
  const tier = isOfBase ? 'Baseline' : 'Admin'
  return (['ingress', 'egress'] as const).flatMap((direction) =>
    [...spec.at(direction).items()].map((at, index) => ({ policy, at, direction, tier, priority, index })),
  )
}

/** Whether a rule is for a connection; undefined where it may be. */
function meetsRule(
  { policy, at, direction }: AdminRule,
  subject: End,
  peer: End,
  port: PodPort,
  snapshot: Snapshot,
): boolean | undefined {
  const peers = [...at.at(direction === 'ingress' ? 'from' : 'to').items()]
  const each = peers.map((one) => selectsEnd(one, peer, snapshot))
  const isPeer = each.includes(true) || (each.length === 0 || each.includes(undefined) ? undefined : false)
  const answers = [selectsEnd(policy.root.at('spec', 'subject'), subject, snapshot), isPeer, opens(portsOf(at), port)]
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}

/** Whether `namespaces` or `pods` has Pods; undefined where it may, and for networks and nodes. */
function selectsEnd(at: Cursor, { namespace, labelOf }: End, snapshot: Snapshot): boolean | undefined {
  const isNear = (selector: Cursor) => meets(selector, (key) => labelOfNamespace(key, namespace, snapshot))
  if (at.at('namespaces').exists) return isNear(at.at('namespaces'))
  const pods = at.at('pods')
  if (!pods.exists) return undefined
  const answers = [isNear(pods.at('namespaceSelector')), meets(pods.at('podSelector'), labelOf)]
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}

/** The ports of a rule, as the older API has them in `ports`, and the newer one in `protocols`. */
function portsOf(rule: Cursor): PolicyPorts {
  const [ports, protocols] = [rule.at('ports'), rule.at('protocols')]
  const entries = [...ports.items(), ...protocols.items()]
  if (entries.length === 0) return ports.exists || protocols.exists ? 'unread' : undefined
  return entries.flatMap(portAt)
}

function portAt(entry: Cursor): PolicyPort[] {
  const name = [entry.at('namedPort'), entry.at('destinationNamedPort')].find(({ exists }) => exists)
  if (name) return [{ at: name, port: name.string, last: undefined }]
  if (entry.at('udp').exists || entry.at('sctp').exists) return []
  const asked = entry.at('tcp', 'destinationPort')
  const [one, range] = [
    entry.at('portNumber'),
    entry.at('portRange').exists ? entry.at('portRange') : asked.at('range'),
  ]
  if (![undefined, 'TCP'].includes((one.exists ? one : range).at('protocol').string)) return []
  const at = [one.at('port'), asked.at('number'), range.at('start')].find(({ exists }) => exists)
  const [first, last] = [at?.value, range.at('end').value]
  if (!at || typeof first !== 'number') return [{ at: entry, port: undefined, last: undefined }]
  return [{ at, port: first, last: typeof last === 'number' ? last : undefined }]
}
