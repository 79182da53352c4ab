import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { hasClients, networkRules, specsFor } from './cilium-closure'
import { type Label, meets, writtenLabel } from './label-answer'
import { networkPolicyKind } from './network-policy'
import {
  type Isolation,
  isOpenToOthers,
  isolationOf,
  labelOfItsNamespace,
  labelOfPods,
  letsFrom,
} from './pod-isolation'
import { opens, type PodPort, portsOfCiliumRule, portsOfRule } from './policy-port'
import type { RouteClient } from './route-clients'
import { closesByDefault, labelNamed, type SelectedPods } from './ways-in'

/** As `isolationOf`, with the policies of Cilium; undefined where others may let traffic in. */
export function isolationWithCilium(workload: Manifest, snapshot: Snapshot): Isolation | undefined {
  const alone = isolationOf(workload, snapshot)
  if (alone) return alone
  const { namespace } = workload.ref
  if (namespace === '' || isOpenToOthers(namespace, workload, snapshot)) return undefined
  if (podOf(workload).at('spec', 'hostNetwork').value === true) return undefined
  const labels = podOf(workload).at('metadata', 'labels')
  const pods: SelectedPods = { namespace, manifest: workload, labelOf: (key) => writtenLabel(labels.at(key)) }
  const specs = specsFor(pods, snapshot)
  const closing = specs.filter(({ at, isCertain }) => isCertain && closesByDefault(at)).map(({ policy }) => policy)
  const [first, ...more] = closing
  const rules = [...specs.flatMap(({ at }) => [...at.at('ingress').items()]), ...networkRules(pods, snapshot)]
  return first && { policies: [first, ...more], rules }
}

function isOfCilium({ manifest }: Cursor): boolean {
  return groupKindOf(manifest.ref) !== networkPolicyKind
}

/** The place where a rule has its clients. */
export function clientsAt(rule: Cursor): Cursor {
  return rule.at(isOfCilium(rule) ? 'fromEndpoints' : 'from')
}

/** The entries of ports of a rule, and their place. */
export function portsAt(rule: Cursor): { readonly at: Cursor; readonly entries: readonly Cursor[] } {
  const at = rule.at(isOfCilium(rule) ? 'toPorts' : 'ports')
  const entries = [...at.items()]
  return { at, entries: isOfCilium(rule) ? entries.flatMap((one) => [...one.at('ports').items()]) : entries }
}

/** The place where a policy selects Pods. */
export function selectorAt(policy: Manifest): Cursor {
  const spec = policy.root.at('spec')
  const at = spec.at(groupKindOf(policy.ref) === networkPolicyKind ? 'podSelector' : 'endpointSelector')
  return at.exists ? at : spec
}

/** Whether a rule of a NetworkPolicy or of Cilium opens a port; undefined where it may. */
export function opensPortOf(rule: Cursor, port: PodPort): boolean | undefined {
  return opens(isOfCilium(rule) ? portsOfCiliumRule(rule) : portsOfRule(rule), port)
}

/**
 * Whether a rule of a NetworkPolicy or of Cilium lets in clients from where they are; undefined where it may.
 * Source: https://docs.cilium.io/en/stable/security/policy/language/#endpoints-based
 */
export function letsClientIn(rule: Cursor, client: RouteClient, snapshot: Snapshot): boolean | undefined {
  if (!isOfCilium(rule)) return letsFrom(rule, client, snapshot)
  if (!hasClients(rule)) return false
  const given = [...rule.entries()].map(([key]) => key).filter((key) => key.startsWith('from'))
  if (given.length === 0) return true
  if (given.length > 1 || given[0] !== 'fromEndpoints') return undefined
  const answers = [...rule.at('fromEndpoints').items()].map((one) => isEndpoint(one, client, snapshot))
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}

const ofNamespace = 'io.kubernetes.pod.namespace'
const ofNamespaceLabels = 'io.cilium.k8s.namespace.labels.'

/** A selector that names no namespace is for that of its policy, if this has one: https://docs.cilium.io/en/stable/network/kubernetes/policy/#namespaces */
function isEndpoint(selector: Cursor, client: RouteClient, snapshot: Snapshot): boolean | undefined {
  const { namespace, labels } = client
  const { ref } = selector.manifest
  const keys = [
    ...[...selector.at('matchLabels').entries()].map(([key]) => key),
    ...[...selector.at('matchExpressions').items()].map((one) => one.at('key').string ?? ''),
  ].map(labelNamed)
  const namesNamespace = keys.some((key) => key === ofNamespace || key.startsWith(ofNamespaceLabels))
  if (!namesNamespace && ref.kind === 'CiliumNetworkPolicy' && ref.namespace !== namespace)
    return ref.namespace === '' ? undefined : false
  return meets(selector, (key): Label => {
    const name = labelNamed(key)
    if (name === ofNamespace) return { value: namespace }
    if (name.startsWith(ofNamespaceLabels))
      return labelOfItsNamespace(name.slice(ofNamespaceLabels.length), client, snapshot)
    return name.startsWith('io.cilium.') || name.startsWith('reserved:') ? undefined : labelOfPods(name, labels)
  })
}
