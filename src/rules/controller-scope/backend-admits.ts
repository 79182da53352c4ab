import { append } from '../../append'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { adminPolicyKinds, deniedByAdmins } from '../../kubernetes/controllers/admin-closure'
import {
  clientsAt,
  isolationWithCilium,
  letsClientIn,
  opensPortOf,
  portsAt,
  selectorAt,
} from '../../kubernetes/controllers/cilium-isolation'
import { marksOfControllers } from '../../kubernetes/controllers/controller'
import { networkPolicyKind } from '../../kubernetes/controllers/network-policy'
import { type Isolation, otherPolicyKinds } from '../../kubernetes/controllers/pod-isolation'
import type { PodPort } from '../../kubernetes/controllers/policy-port'
import { clientsOf, envoyElsewhere, type RouteClient } from '../../kubernetes/controllers/route-clients'
import { ciliumPolicyKind, clusterwidePolicyKind } from '../../kubernetes/controllers/ways-in'
import { type Backend, backendKinds, backendsOf, portsOfService } from '../../kubernetes/ingress/backend'
import { selectionMarks } from '../../kubernetes/object/service'
import { servingKinds, workloadsBehind } from '../../kubernetes/workload/serving-pods'
import { abridged, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

type Cut = Record<'policy' | 'pods' | 'route' | 'client' | 'port', string>

/** The kinds of routes whose requests are connections: a policy names UDP apart. */
const routeKinds = backendKinds.filter((kind) => !kind.includes('UDP'))

/** The kinds of policies whose rules are read. */
const nearPolicyKinds: readonly GroupKind[] = [networkPolicyKind, ciliumPolicyKind, clusterwidePolicyKind]
const readPolicyKinds: readonly GroupKind[] = [...nearPolicyKinds, ...adminPolicyKinds]

const policyKinds = [...new Set([networkPolicyKind, ...otherPolicyKinds, ...adminPolicyKinds])]

/** Policies have many forms, so all of them are read. */
const marksOfPolicies = [...new Set(policyKinds.map((kind) => kind.split('.')[0] ?? ''))]

/** Words of classes, of Gateways and of their controllers: routes name them, and do not have these. */
const marksOfClasses: readonly string[] = [
  'IngressClass',
  'GatewayClass',
  'gatewayClassName',
  'envoyproxy/gateway',
  ...envoyElsewhere,
]

/** Strings to look for the policies by that may ask for a label of a Namespace, and for what these let it reach. */
function* marksOfSpace({ ref, root }: Manifest): Generator<string> {
  const keys = [...root.at('metadata', 'labels').entries()].map(([key]) => key)
  if (keys.length > 0) yield* [...keys, ref.name, 'kind: Service']
}

/** The kinds of routes and policies that are in no namespace, or name the one of another object. */
const farKinds: readonly GroupKind[] = [...routeKinds, ...adminPolicyKinds]

/** Strings to look for the Pods of a policy by, one of which they have: labels of the Pods, or those of the namespace. */
function marksOfPods(policy: Manifest): string[] {
  const { ref } = policy
  if (adminPolicyKinds.includes(groupKindOf(ref))) return ['kind: Service']
  const labels = [...selectorAt(policy).at('matchLabels').entries()].flatMap(([, { string }]) => string ?? [])
  return labels.length > 0 ? labels : [ref.namespace].filter((name) => name !== '')
}

/** The kinds whose objects meet in one namespace, or where one names the namespace of the other. */
const nearKinds = [...routeKinds, ...nearPolicyKinds, 'Service', ...servingKinds, ...releaseKinds]

const messages = {
  // Source: https://network-policy-api.sigs.k8s.io/api-overview/
  barred: ({ policy, pods, route, client, port, reason }: Cut & { reason: string }) =>
    `${policy} denies ${client} the port ${port} of ${pods}, ${reason}. So the requests of ${route} get no answer. Put a rule that lets it in before this one, or leave these Pods out of the subject.`,
  // Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
  source: ({ policy, pods, route, client, port, namespace }: Cut & { namespace: string }) =>
    `${policy} does not let in ${client}, which serves ${route} from the namespace ${namespace}, and no other NetworkPolicy opens the port ${port} of ${pods} to it. So these requests get no answer. Let the namespace and the Pods of the controller in.`,
  // Source: the same, and https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/network-policy-v1/
  port: ({ policy, pods, route, client, port, opened }: Cut & { opened: string }) =>
    `${policy} opens ${opened} of ${pods} to ${client}, but the requests of ${route} go to the port ${port} of these Pods, and get no answer. A NetworkPolicy lists the ports of Pods, not those of the Service: list ${port}.`,
  // Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors
  unlabelled: ({
    space,
    label,
    policy,
    client,
    routes,
  }: Record<'space' | 'label' | 'policy' | 'client' | 'routes', string>) =>
    `After this change ${space} has no label ${label} any more, by which ${policy} lets in ${client}, and no other policy does. So the requests of ${routes} get no answer. Keep the label, or first have the policy ask for another one.`,
  closed: ({ policy, pods, route, client, port }: Cut) =>
    `${policy} closes ${pods}, and no NetworkPolicy opens their port ${port}, to which ${client} sends the requests of ${route}. So these get no answer. Add a NetworkPolicy that lets it in.`,
}

export default defineRule({
  id: 'controller-scope/backend-admits',
  summary: 'NetworkPolicies let the controller of a route in to the Pods that serve it.',
  since: '1.11.0',
  scope: 'snapshot',
  kinds: routeKinds,
  reads: [
    ...policyKinds,
    'Service',
    'Namespace',
    'IngressClass.networking.k8s.io',
    'Gateway.gateway.networking.k8s.io',
    'GatewayClass.gateway.networking.k8s.io',
    'EnvoyProxy.gateway.envoyproxy.io',
    'ConfigMap',
    ...servingKinds,
    ...releaseKinds,
  ],
  subjects: [{ kinds: readPolicyKinds }],
  later: { barred: '1.32.0', unlabelled: '1.32.0' },
  messages,
  putBack: { barred: 'changed', source: 'changed', port: 'changed', closed: 'changed', unlabelled: 'changed' },
  *partners(manifest, _params, _isGone, isTouched) {
    const { ref } = manifest
    const kind = groupKindOf(ref)
    if (routeKinds.includes(kind)) {
      if (isTouched) for (const { service } of backendsOf(manifest)) yield service
      yield* [...marksOfPolicies, ...marksOfControllers, ...marksOfClasses]
    } else if (kind === 'Namespace' && isTouched) yield* marksOfSpace(manifest)
    else if (kind === 'Service') yield* [ref.name, ...selectionMarks(manifest)]
    else if (servingKinds.includes(kind)) yield* selectionMarks(manifest)
    else if (readPolicyKinds.includes(kind) && isTouched) yield* marksOfPods(manifest)
  },
  partnerKinds: ({ ref }) => (servingKinds.includes(groupKindOf(ref)) ? [...policyKinds, 'Service'] : undefined),
  nearKinds: ({ ref }) => (farKinds.includes(groupKindOf(ref)) ? [] : nearKinds),
  check({ manifest, snapshot, report }) {
    if (manifest.assumption) return
    const seen = new Set<string>()
    let clients: ReturnType<typeof clientsOf>
    for (const backend of backendsOf(manifest)) {
      const served = servedBy(backend, snapshot)
      const last = served?.at(-1)
      if (!served || !last) continue
      const { workload, port } = last
      const key = `${workload.ref.name}:${port.number}`
      if (seen.has(key)) continue
      seen.add(key)
      clients ??= clientsOf(manifest, snapshot)
      if (!clients) return
      const cut = barredWay(served, clients, snapshot) ?? closedWay(served, clients, snapshot)
      if (!cut) continue
      const args = {
        policy: nameOf(cut.at.manifest.ref),
        pods: `the Pods of ${nameOf(workload.ref)}`,
        route: nameOf(manifest.ref),
        client: cut.client.name,
        namespace: cut.client.namespace,
        port: String(port.number),
        opened: cut.opened,
        reason: cut.opened,
      }
      const ends = [cut.at, backend.name, podOf(workload).at('metadata', 'labels')]
      report(ends, cut.kind, args, { keys: [key] })
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind === 'changed' && groupKindOf(change.after.ref) === 'Namespace')
      checkLabels(change.before, change.after, head, report)
  },
})

/** Reports policies that let in the controllers of a namespace by a label which it loses. */
function checkLabels(before: Manifest, after: Manifest, head: Snapshot, report: ReportFunction<typeof messages>): void {
  const kept = after.root.at('metadata', 'labels')
  const lost = [...before.root.at('metadata', 'labels').entries()]
    .map(([key]) => key)
    .filter((key) => !kept.at(key).exists)
  if (lost.length === 0 || head.get(after.ref).length !== 1) return
  const found = new Map<Manifest, Loss[]>()
  for (const route of routeKinds.flatMap((kind) => head.ofKind(kind))) {
    const loss = route.assumption ? undefined : lossOf(route, after.ref.name, new Set(lost), head)
    if (loss) append(found, loss.rule.manifest, loss)
  }
  for (const [policy, losses] of found) {
    const [first] = losses
    if (!first) continue
    const { client, rule } = first
    const routes = abridged(losses.map(({ route }) => nameOf(route.ref)))
    const asked = lost.filter((key) => policy.object.content.includes(key))
    const args = {
      space: nameOf(after.ref),
      label: asked.join(' or '),
      policy: nameOf(policy.ref),
      client: client.name,
      routes,
    }
    report([kept, clientsAt(rule)], 'unlabelled', args, { keys: [policy.ref.namespace, policy.ref.name] })
  }
}

interface Loss {
  readonly route: Manifest
  readonly client: RouteClient
  readonly rule: Cursor
}

/** The rule by which Pods let in a client of a route only while its namespace has labels. */
function lossOf(route: Manifest, space: string, lost: ReadonlySet<string>, head: Snapshot): Loss | undefined {
  const clients = clientsOf(route, head)
  const unlabelled = clients?.map((one) => (one.namespace === space ? { ...one, lost } : one))
  if (!clients || !unlabelled?.some((one) => one.lost)) return undefined
  for (const backend of backendsOf(route)) {
    const served = servedBy(backend, head)
    const last = served?.at(-1)
    if (!served || !last || !closedWay(served, unlabelled, head) || closedWay(served, clients, head)) continue
    const rules = isolationWithCilium(last.workload, head)?.rules ?? []
    for (const client of unlabelled) {
      const rule = rules.find(
        (one) =>
          opensPortOf(one, last.port) !== false &&
          letsClientIn(one, client, head) === false &&
          letsClientIn(one, { ...client, lost: none }, head) !== false,
      )
      if (rule) return { route, client, rule }
    }
  }
  return undefined
}

const none: ReadonlySet<string> = new Set()

interface Serving {
  readonly workload: Manifest
  readonly port: PodPort
}

/** The Pods that serve a backend, if they are known. */
function servedBy(backend: Backend, snapshot: Snapshot): Serving[] | undefined {
  const [service, ...copies] = servicesOf(backend, snapshot)
  if (!service || copies.length > 0 || !isServiceOf(backend, service)) return undefined
  const all = workloadsBehind(service, snapshot)
  const served = all.flatMap((workload) => {
    const port = portOf(backend, service, workload)
    return port ? [{ workload, port }] : []
  })
  return served.length === all.length ? served : undefined
}

/** The port of the Pods to which a Service sends the requests for a backend. */
function portOf({ wanted }: Backend, service: Manifest, workload: Manifest): PodPort | undefined {
  const all = portsOfService(service) ?? []
  const [its] = all.filter(({ name, number }) => wanted === name || wanted === number)
  if (!its) return undefined
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  const ports = containers.flatMap((one) => [...one.at('ports').items()])
  const target = its.target ?? its.number
  const number =
    typeof target === 'string'
      ? ports.find((one) => one.at('name').string === target)?.at('containerPort').value
      : target
  if (typeof number !== 'number') return undefined
  const names = ports.filter((one) => one.at('containerPort').value === number).map((one) => one.at('name').string)
  return { number, names: names.flatMap((name) => name ?? []) }
}

interface Way {
  readonly kind: 'source' | 'port' | 'closed' | 'barred'
  readonly at: Cursor
  readonly client: RouteClient
  /** The ports that are opened instead, or the reason why the denial counts. */
  readonly opened: string
}

const reasons = {
  Admin: 'and such rules come before all NetworkPolicies',
  Baseline: 'and no NetworkPolicy selects these Pods',
}

/** The rule of an administrator that denies the last of the Pods to the first client, where all of them are denied to all clients. */
function barredWay(served: readonly Serving[], clients: readonly RouteClient[], snapshot: Snapshot): Way | undefined {
  const denials = served.flatMap(({ workload, port }) =>
    clients.map((client) => ({ client, denial: deniedByAdmins(workload, port, client, snapshot) })),
  )
  const last = denials.at(-1)
  if (!last?.denial || !denials.every(({ denial }) => denial)) return undefined
  const { client, denial } = last
  return { kind: 'barred', at: denial.at, client, opened: reasons[denial.tier] }
}

/** The reason why none of the clients gets in to the last of the Pods, where NetworkPolicies isolate all of them. */
function closedWay(served: readonly Serving[], clients: readonly RouteClient[], snapshot: Snapshot): Way | undefined {
  const isolations = served.map(({ workload }) => isolationWithCilium(workload, snapshot))
  const [isolation, last] = [isolations.at(-1), served.at(-1)]
  if (!isolation || !last || isolations.includes(undefined)) return undefined
  return cutOf(isolation, last.port, clients, snapshot)
}

/** The reason why none of the clients gets in; undefined where one may. */
function cutOf(
  { policies, rules }: Isolation,
  port: PodPort,
  clients: readonly RouteClient[],
  snapshot: Snapshot,
): Way | undefined {
  const [client] = clients
  const ways = rules.flatMap((rule) =>
    clients.map((one) => ({
      rule,
      client: one,
      from: letsClientIn(rule, one, snapshot),
      opens: opensPortOf(rule, port),
    })),
  )
  if (!client || ways.some(({ from, opens }) => from !== false && opens !== false)) return undefined
  const wrongPort = ways.find(({ from, opens }) => from === true && opens === false)
  if (wrongPort) {
    const { at, entries } = portsAt(wrongPort.rule)
    const listed = entries.map((one) => String(one.at('port').value ?? one.at('protocol').string ?? ''))
    return { kind: 'port', at, client: wrongPort.client, opened: `the port ${enumerated(listed, 4)}` }
  }
  const elsewhere = ways.find(({ opens }) => opens === true)
  if (elsewhere) return { kind: 'source', at: clientsAt(elsewhere.rule), client: elsewhere.client, opened: '' }
  // The policy that opens it may be in a part of the cluster that was not read.
  if (!snapshot.isWhole) return undefined
  return { kind: 'closed', at: selectorAt(policies[0]), client, opened: '' }
}
