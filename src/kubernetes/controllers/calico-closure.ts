import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { meetsCalico } from './calico-selector'
import { type Label, meets, writtenLabel } from './label-answer'
import { networkPolicyKind, trafficPortsOf } from './network-policy'
import { isOpenBesidePlugins, labelOfNamespace } from './pod-isolation'
import { opens, type PodPort, portsOfRule } from './policy-port'

export const calicoPolicyKinds: readonly GroupKind[] = [
  'NetworkPolicy.crd.projectcalico.org',
  'NetworkPolicy.projectcalico.org',
  'GlobalNetworkPolicy.crd.projectcalico.org',
  'GlobalNetworkPolicy.projectcalico.org',
]

/** A policy that may apply to some Pods. */
interface Applied {
  readonly policy: Manifest
  readonly isCertain: boolean
  readonly tier: string
  /** The lowest comes first; NaN where it is not known. */
  readonly order: number
  readonly rules: readonly Rule[]
}

type Rule = 'denies' | 'mayLetIn' | 'other'

const ofKubernetes = { tier: 'default', order: 1000 }

/**
 * The policies of Calico that let no client reach the Pods of a workload, for certain: one denies all before another one may let
 * them in, or the policies of the default tier have no rule that does. Those of other tiers may come first. Sources:
 * https://docs.tigera.io/calico/latest/reference/resources/globalnetworkpolicy,
 * https://docs.tigera.io/calico/latest/reference/resources/tier
 */
export function closedByCalico(workload: Manifest, snapshot: Snapshot): Manifest[] {
  const { namespace } = workload.ref
  if (namespace === '') return []
  const ports = trafficPortsOf(workload)
  const labels = podOf(workload).at('metadata', 'labels')
  const own = calicoPolicyKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((policy): Applied[] => {
      const answer = appliesTo(policy, namespace, labels, snapshot)
      if (answer === false) return []
      const { root } = policy
      const tier = root.at('spec', 'tier').string ?? 'default'
      const rules = [...root.at('spec', 'ingress').items()].map((rule) => readRule(rule, ports))
      return [{ policy, isCertain: answer === true, tier, order: orderOf(root.at('spec', 'order')), rules }]
    })
  const certain = own.filter(({ isCertain }) => isCertain)
  if (certain.length === 0 || isOpenBesidePlugins(namespace, workload, snapshot)) return []
  const all = [...own, ...networkPoliciesFor(namespace, labels, ports, snapshot)]
  const openers = all.filter(({ rules }) => rules.includes('mayLetIn'))
  const denying = certain.filter((one) => isDeniedBy(one, openers))
  const closing = openers.length === 0 ? certain.filter(({ tier }) => tier === 'default') : []
  return [...new Set([...denying, ...closing])].map(({ policy }) => policy)
}

/** Whether a policy denies all before another one, or a rule of its own, may let clients in. */
function isDeniedBy(one: Applied, openers: readonly Applied[]): boolean {
  const denial = one.rules.indexOf('denies')
  if (denial === -1) return false
  const isBefore = (other: Applied) =>
    other === one ? one.rules.indexOf('mayLetIn') < denial : other.tier !== one.tier || !(other.order > one.order)
  return !openers.some(isBefore)
}

/** A policy without an order is the last one. */
function orderOf(at: Cursor): number {
  if (!at.exists) return Number.POSITIVE_INFINITY
  return typeof at.value === 'number' ? at.value : Number.NaN
}

/** Whether a policy applies to traffic that comes in to Pods; undefined where it may. */
function appliesTo(policy: Manifest, namespace: string, labels: Cursor, snapshot: Snapshot): boolean | undefined {
  const spec = policy.root.at('spec')
  const types = [...spec.at('types').items()].map(({ string }) => string)
  const isForIngress =
    types.length > 0 ? types.includes('Ingress') : spec.at('ingress').exists || !spec.at('egress').exists
  // Those are for the nodes.
  const isForNodes = ['preDNAT', 'doNotTrack'].some((key) => spec.at(key).value === true)
  if (!isForIngress || isForNodes) return false
  const isGlobal = policy.ref.kind === 'GlobalNetworkPolicy'
  if (!isGlobal && policy.ref.namespace !== '' && policy.ref.namespace !== namespace) return false
  const answers = [
    isGlobal || policy.ref.namespace !== '' ? true : undefined,
    meetsAt(spec.at('selector'), (key) => labelOfPods(key, namespace, labels)),
    meetsAt(spec.at('namespaceSelector'), (key) => labelOfSpace(key, namespace, snapshot)),
    spec.at('serviceAccountSelector').string ? undefined : true,
  ]
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}

function meetsAt(at: Cursor, labelOf: (key: string) => Label): boolean | undefined {
  if (!at.exists) return true
  return at.string === undefined || isPlaceholder(at.string) ? undefined : meetsCalico(at.string, labelOf)
}

/** Calico gives Pods labels of its own, and those of their namespace and account with a prefix. */
function labelOfPods(key: string, namespace: string, labels: Cursor): Label {
  if (key === 'projectcalico.org/namespace') return { value: namespace }
  return /projectcalico\.org\/|^pcns\.|^pcsa\./.test(key) ? undefined : writtenLabel(labels.at(key))
}

function labelOfSpace(key: string, namespace: string, snapshot: Snapshot): Label {
  return key === 'projectcalico.org/name' ? { value: namespace } : labelOfNamespace(key, namespace, snapshot)
}

function readRule(rule: Cursor, ports: readonly PodPort[]): Rule {
  const action = rule.at('action').string?.toLowerCase()
  const [source, destination] = [rule.at('source'), rule.at('destination')]
  const listed = destination.at('ports').exists ? portsIn(destination.at('ports')) : undefined
  const isOther = !['', 'tcp', '6'].includes(`${rule.at('protocol').value ?? ''}`.toLowerCase())
  if (action === 'deny') {
    const keys = [...rule.entries()].map(([key]) => key)
    const isPlain = keys.every((key) => ['action', 'protocol', 'source', 'destination', 'metadata'].includes(key))
    const fromAll = [...source.entries()].every(([key, at]) => key === 'nets' && [...at.items()].some(isEverywhere))
    const toAll = [...destination.entries()].every(([key]) => key === 'ports')
    const onAll = !listed || (ports.length > 0 && ports.every((port) => opens(listed, port) === true))
    return isPlain && fromAll && toAll && onAll && !isOther ? 'denies' : 'other'
  }
  if (action === 'log' || isOther) return 'other'
  const isElsewhere = listed !== undefined && ports.length > 0 && ports.every((port) => opens(listed, port) === false)
  return isElsewhere ? 'other' : 'mayLetIn'
}

function isEverywhere({ string }: Cursor): boolean {
  return string === '0.0.0.0/0'
}

/** Numbers, ranges as `80:90`, and names. */
function portsIn(list: Cursor) {
  return [...list.items()].map((at) => {
    const [first, last] = `${at.value ?? ''}`.split(':')
    const port = first !== undefined && /^\d+$/.test(first) ? Number(first) : first || undefined
    return { at, port, last: last === undefined ? undefined : Number(last) }
  })
}

/** The NetworkPolicies that may select the Pods, which Calico puts in its default tier. */
function networkPoliciesFor(
  namespace: string,
  labels: Cursor,
  ports: readonly PodPort[],
  snapshot: Snapshot,
): Applied[] {
  const near = snapshot
    .ofKind(networkPolicyKind)
    .filter(({ ref }) => ref.namespace === '' || ref.namespace === namespace)
    .filter(({ root }) => {
      const selector = root.at('spec', 'podSelector')
      return !selector.exists || meets(selector, (key) => writtenLabel(labels.at(key))) !== false
    })
  return near.map((policy) => {
    const rules = [...policy.root.at('spec', 'ingress').items()].map((rule): Rule => {
      const isOpen = ports.length === 0 || ports.some((port) => opens(portsOfRule(rule), port) !== false)
      return isOpen ? 'mayLetIn' : 'other'
    })
    return { policy, isCertain: false, ...ofKubernetes, rules }
  })
}
