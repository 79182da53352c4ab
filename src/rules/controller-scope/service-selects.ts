import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { isMaker, mayBeMade } from '../../kubernetes/charts/makers'
import { type LossOfPods, unbackedBy } from '../../kubernetes/charts/unbacked-service'
import { portNamesOf, portNumbersOf } from '../../kubernetes/controllers/controller-service'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { servicesIn } from '../../kubernetes/ingress/services'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { selectedValues, selectionMarks, selects } from '../../kubernetes/object/service'
import { isOneService, webhookKinds, webhooksIn } from '../../kubernetes/protection/webhook'
import { bundleOf } from '../../kubernetes/workload/bundle'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule, type ReportFunction } from '../../rule/rule'

type Unmatched = Record<'service' | 'workload' | 'selected' | 'labels' | 'user', string>
type Unbacked = Record<'service' | 'workload' | 'outcome' | 'user', string>

const userKinds = [...backendKinds, ...webhookKinds]

const messages = {
  // Source: as in backend-resolves, of a Service without endpoints
  route: ({ service, workload, selected, labels, user }: Unmatched) =>
    `${service} selects Pods with ${selected}, which nothing in its namespace keeps running: those of ${workload} have ${labels}. So the requests that ${user} sends there fail. Select the labels of the Pods.`,
  webhook: ({ service, workload, selected, labels, user }: Unmatched) =>
    `${service} selects Pods with ${selected}, which nothing in its namespace keeps running: those of ${workload} have ${labels}. So the API server cannot call the webhook ${user}, and rejects all that this one must check. Select the labels of the Pods.`,
  // Source: as in backend-resolves, of a Service without endpoints
  unbacked: ({ service, workload, outcome, user }: Unbacked) =>
    `${workload}, the only one here whose Pods ${service} selects, ${outcome} with this change. So the requests that ${user} sends there fail. Keep the Pods until nothing sends requests to them.`,
  // Source: as in backend-resolves, of a Service without endpoints
  bundled: ({ service, workload, selected, labels, file }: Omit<Unmatched, 'user'> & { file: string }) =>
    `${service} selects Pods with ${selected}, which no workload of ${file} has: those of ${workload}, the only one there with its ports, have ${labels}. So where this file is applied, the Service has no endpoints, and all requests to it fail. Select the labels of the Pods.`,
}

export default defineRule({
  id: 'controller-scope/service-selects',
  summary: 'The Service of a route or of an admission webhook selects the Pods that are meant for it.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: ['Service'],
  reads: [...userKinds, ...servingKinds, ...releaseKinds, 'Namespace'],
  messages,
  later: { bundled: '1.36.0', unbacked: '1.14.0' },
  putBack: { bundled: 'changed', route: 'changed', unbacked: 'changed', webhook: 'changed' },
  *partners(manifest) {
    // A route, a webhook or a release by itself changes nothing in what a Service selects.
    const kind = groupKindOf(manifest.ref)
    // Pods with a part of the labels may be meant for it.
    if (kind === 'Service') yield* [manifest.ref.name, ...selectedValues(manifest)]
    else if (servingKinds.includes(kind)) yield* [manifest.ref.name, ...selectionMarks(manifest)]
  },
  partnerKinds: ({ ref: { kind } }) =>
    kind === 'Service' ? [...userKinds, ...servingKinds, ...releaseKinds] : ['Service'],
  nearKinds: () => ['Service', ...userKinds, ...servingKinds, ...releaseKinds],
  check({ manifest, snapshot, report }) {
    const fault = faultOf(manifest, snapshot)
    if (fault) report(fault.ends, fault.kind, fault.args, { keys: fault.keys })
    else reportBundled(manifest, snapshot, report)
  },
  checkChange({ change, base, head, report }) {
    for (const { at, service, route, workload, outcome } of unbackedBy(change, base, head)) {
      if (!isWritten(service) || faultOf(service, head)) continue
      const names = { service: nameOf(service.ref), workload: nameOf(workload.ref), user: nameOf(route.manifest.ref) }
      const ends = [at, service.root.at('spec', 'selector'), route]
      report(ends, 'unbacked', { ...names, outcome: outcomes[outcome] }, { keys: [names.service] })
    }
  },
})

const outcomes: Readonly<Record<LossOfPods['outcome'], string>> = {
  removed: 'is removed',
  stopped: 'is scaled to no Pods',
  relabelled: 'loses the labels',
  unselected: 'is no longer selected',
}

interface Fault {
  readonly kind: Use['kind']
  readonly ends: readonly Cursor[]
  readonly args: Unmatched
  readonly keys: readonly string[]
}

/** The fault of a Service that selects no Pods while one workload is clearly meant for it. */
function faultOf(service: Manifest, snapshot: Snapshot): Fault | undefined {
  const use = useOf(service, snapshot)
  if (!use || !isWritten(service)) return undefined
  const beside = snapshot.inNamespace(service.ref.namespace).filter((one) => shareNamespace(one, service))
  const workloads = servingKinds.flatMap((kind) => beside.filter(({ ref }) => groupKindOf(ref) === kind))
  if (workloads.some((one) => selects(service, one))) return undefined
  const meant = workloads.find((one) => isMeant(one, use.kind, service)) ?? onlyOneBeside(workloads, use.kind, service)
  const wrong = meant ? unmatched(service, meant) : []
  const [first] = wrong
  if (!meant || !first || wrong.some(([, { string = '' }]) => mayBeRun(string, service, snapshot))) return undefined
  const labels = podOf(meant).at('metadata', 'labels')
  const args = {
    service: nameOf(service.ref),
    workload: nameOf(meant.ref),
    selected: inWords(wrong),
    labels: inWords(labels.entries()),
    user: use.user,
  }
  return { kind: use.kind, ends: [first[1], labels, use.at], args, keys: wrong.map(([key]) => key) }
}

/** Reports a Service that selects no Pods of its bundle, though one workload of it has all its ports. */
function reportBundled(service: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const bundle = bundleOf(service, snapshot)
  if (!bundle || bundle.some(mayRunPods) || !isWritten(service)) return
  const workloads = bundle.filter(isServing)
  if (workloads.some((one) => selects(service, one))) return
  const [meant, ...others] = workloads.filter((one) => hasPortsOf(service, one))
  if (!meant || others.length > 0 || !mayServe(meant, service)) return
  const wrong = unmatched(service, meant)
  const [first] = wrong
  if (!first) return
  const labels = podOf(meant).at('metadata', 'labels')
  const names = { service: nameOf(service.ref), workload: nameOf(meant.ref), file: service.origin.path }
  const args = { ...names, selected: inWords(wrong), labels: inWords(labels.entries()) }
  report([first[1], labels], 'bundled', args, { keys: wrong.map(([key]) => key) })
}

function isServing({ ref }: Manifest): boolean {
  return servingKinds.includes(groupKindOf(ref))
}

/** Whether an object of a bundle may run Pods that are not in it, as one of an operator does. */
function mayRunPods(one: Manifest): boolean {
  return isMaker(one.ref) && !isServing(one) && !one.ref.group.endsWith('.k8s.io')
}

function inWords(labels: Iterable<[string, Cursor]>): string {
  return [...labels].map(([key, { string }]) => `${key}: ${string}`).join(', ')
}

/** Whether all labels that a Service selects are known. */
function isWritten(service: Manifest): boolean {
  const selected = [...service.root.at('spec', 'selector').entries()]
  return selected.every(([, { string }]) => string !== undefined && !isPlaceholder(string))
}

interface Use {
  readonly kind: 'route' | 'webhook'
  readonly user: string
  readonly at: Cursor
}

/** What sends requests to a Service: a route, or an admission webhook without whose answer requests are refused. */
function useOf(service: Manifest, snapshot: Snapshot): Use | undefined {
  if (isPlaceholder(service.ref.name)) return undefined
  const backend = servicesIn(snapshot)
    .backendsTo(service.ref.name)
    .find((one) => isServiceOf(one, service))
  if (backend) return { kind: 'route', user: nameOf(backend.name.manifest.ref), at: backend.name }
  const webhook = webhooksIn(snapshot).find((one) => one.closed && isOneService(one.service, service.ref))
  return webhook && { kind: 'webhook', user: webhook.name, at: webhook.service.at }
}

/**
 * Labels that are written in a template, and that no controller adds to Pods or changes, as it does for a leader
 * (`role`) or one Pod of a StatefulSet (`statefulset.kubernetes.io/pod-name`).
 */
const written = ['app', 'component', 'control-plane', 'k8s-app', 'name', 'task'].concat(
  ['name', 'instance', 'component', 'part-of'].map((name) => `app.kubernetes.io/${name}`),
)

/** The labels that a Service selects and the Pods of a workload do not have. */
function unmatched(service: Manifest, workload: Manifest): [string, Cursor][] {
  const labels = podOf(workload).at('metadata', 'labels')
  return [...service.root.at('spec', 'selector').entries()].filter(
    ([key, { string }]) => labels.at(key).string !== string,
  )
}

/**
 * Whether a workload is the one that is meant for a Service: it has its name, and its ports. The Service of a webhook
 * may have a longer name, where it selects one label of the Pods.
 */
function isMeant(workload: Manifest, use: Use['kind'], service: Manifest): boolean {
  const selector = [...service.root.at('spec', 'selector').entries()]
  const wrong = unmatched(service, workload)
  const isLike =
    use === 'webhook' && wrong.length < selector.length && service.ref.name.startsWith(`${workload.ref.name}-`)
  return (workload.ref.name === service.ref.name || isLike) && mayServe(workload, service)
}

/** The workload that is meant for the Service of a webhook: the only one of its source that has its ports. */
function onlyOneBeside(workloads: readonly Manifest[], use: Use['kind'], service: Manifest): Manifest | undefined {
  if (use !== 'webhook') return undefined
  const beside = workloads.filter((one) => isOfOneSource(one, service))
  const [only, ...others] = beside.filter((one) => hasPortsOf(service, one))
  return only && others.length === 0 && mayServe(only, service) ? only : undefined
}

/** Whether only labels that are written in templates keep a Service from the Pods of a workload with its ports. */
function mayServe(workload: Manifest, service: Manifest): boolean {
  const wrong = unmatched(service, workload)
  const labels = podOf(workload).at('metadata', 'labels')
  if (wrong.some(([key]) => !written.includes(key) || isPlaceholder(labels.at(key).string ?? ''))) return false
  return hasPortsOf(service, workload)
}

function hasPortsOf(service: Manifest, workload: Manifest): boolean {
  const ports = [...portNamesOf(workload), ...portNumbersOf(workload)]
  const targets = [...service.root.at('spec', 'ports').items()].map((port) => {
    const target = port.at('targetPort')
    return (target.exists ? target : port.at('port')).value
  })
  return targets.length > 0 && targets.every((target) => ports.some((port) => port === target))
}

/** Whether something else may run Pods with a label: the release of a chart, or an object of an operator. */
function mayBeRun(label: string, { ref }: Manifest, snapshot: Snapshot): boolean {
  return mayBeMade(ref.namespace, label, snapshot, (one) => !one.ref.group.endsWith('.k8s.io'))
}
