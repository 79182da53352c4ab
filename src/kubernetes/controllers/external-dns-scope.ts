import { parseImage, releaseOf } from '../../cluster/image'
import { isStopped, podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { addOnReleasesOf } from '../charts/add-on-release'
import { releaseKinds } from '../charts/chart-release'
import { classOf } from '../ingress/ingress-class'
import { isLabelSelector, matchesLabels } from '../object/label-selector'
import { Arguments } from '../workload/arguments'
import { type Settings, valuesOfFlag } from '../workload/settings'
import { annotationPrefix, asReleased, dnsInstancesOf } from './external-dns-instance'

/** An ExternalDNS that a workload or a release of its chart runs, with the objects that it makes records of. */
export interface DnsScope {
  readonly workload: Manifest
  readonly settings: Settings
  /** Whether it deletes records that it no longer makes; undefined if that is unknown. */
  readonly prunes: boolean | undefined
  /** The prefix of the annotations that it reads; undefined if it is unknown. */
  readonly prefix: string | undefined
}

/** The kinds that an ExternalDNS makes records of. */
export const dnsKinds: readonly GroupKind[] = [
  'Gateway.gateway.networking.k8s.io',
  'Gateway.networking.istio.io',
  'GRPCRoute.gateway.networking.k8s.io',
  'HTTPProxy.projectcontour.io',
  'HTTPRoute.gateway.networking.k8s.io',
  'Ingress.networking.k8s.io',
  'IngressRoute.traefik.io',
  'Route.route.openshift.io',
  'Service',
  'TCPRoute.gateway.networking.k8s.io',
  'TLSRoute.gateway.networking.k8s.io',
  'VirtualService.networking.istio.io',
]

/** The kinds whose names of records are known here, each with the source that reads it. */
export const dnsSources: Readonly<Record<GroupKind, string>> = {
  'Ingress.networking.k8s.io': 'ingress',
  Service: 'service',
  'DNSEndpoint.externaldns.k8s.io': 'crd',
}

/** The ExternalDNS that the containers of a workload run, or that a release installs which is read from its values alone. */
export function dnsScopesOf(workload: Manifest, snapshot: Snapshot): DnsScope[] {
  if (releaseKinds.includes(groupKindOf(workload.ref))) return scopesOfRelease(workload, snapshot)
  return [...podOf(workload).at('spec', 'containers').items()].flatMap((container) => {
    const image = parseImage(container.at('image').string ?? '')
    if (!asReleased.test(image.repository)) return []
    const settings = new Arguments(container, { variables: 'EXTERNAL_DNS_' }, snapshot)
    return [{ workload, settings, prunes: prunesBy(settings), prefix: annotationPrefix(settings, releaseOf(image)) }]
  })
}

/** Its variables are not read. */
function scopesOfRelease(release: Manifest, snapshot: Snapshot): DnsScope[] {
  if (release.object.content.includes('EXTERNAL_DNS_')) return []
  const [installed, other] = dnsInstancesOf(release, snapshot)
  return addOnReleasesOf(release, 'external-dns', snapshot).map(({ settings }) => {
    const prefix = other ? undefined : installed?.prefix
    return { workload: release, settings, prunes: prunesBy(settings), prefix }
  })
}

function prunesBy(settings: Settings): boolean | undefined {
  // The default before 0.22.0; later releases do not start without a policy.
  const policy = settings.get('policy')
  if (settings.opaque || (policy && policy.value === undefined)) return undefined
  return isSync(policy?.value) && settings.isOn('dry-run', false) === false
}

function isSync(policy = 'sync'): boolean {
  return policy === 'sync'
}

const known = new WeakMap<Snapshot, readonly DnsScope[]>()

/** The ExternalDNS that the workloads of a cluster run. */
export function dnsScopesIn(snapshot: Snapshot): readonly DnsScope[] {
  const scopes = known.get(snapshot) ?? findScopes(snapshot)
  known.set(snapshot, scopes)
  return scopes
}

function findScopes(snapshot: Snapshot): DnsScope[] {
  return [...workloadKinds, ...releaseKinds]
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => one.object.content.includes('external-dns') && !isStopped(one))
    .flatMap((one) => dnsScopesOf(one, snapshot))
}

/**
 * The flags that decide which objects it makes records of, each with the question whether it takes one: undefined if that is
 * unknown. Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0, source/ingress.go, source/service.go and source/crd.go
 */
const filters: Readonly<Record<string, (object: Manifest, settings: Settings) => boolean | undefined>> = {
  source: ({ ref }, settings) => {
    // Without any, it exits, and so deletes nothing.
    const sources = valuesOfFlag(settings, 'source') ?? []
    return sources.length > 0 ? sources.includes(dnsSources[groupKindOf(ref)] ?? '') : undefined
  },
  namespace: ({ ref }, settings) => {
    const given = settings.get('namespace')
    return given && given.value === undefined ? undefined : !given?.value || given.value === ref.namespace
  },
  'ingress-class': (ingress, settings) => {
    if (groupKindOf(ingress.ref) !== 'Ingress.networking.k8s.io') return true
    const names = valuesOfFlag(settings, 'ingress-class')
    return names && (names.length === 0 || names.includes(classOf(ingress) ?? ''))
  },
  'annotation-filter': (object, settings) => isSelected(settings, 'annotation-filter', object, 'annotations'),
  'label-filter': (object, settings) => isSelected(settings, 'label-filter', object, 'labels'),
}

function isSelected(settings: Settings, flag: string, { root }: Manifest, field: string): boolean | undefined {
  const given = settings.get(flag)
  if (given && given.value === undefined) return undefined
  const selector = given?.value ?? ''
  if (selector.trim() === '') return true
  const labels: Cursor = root.at('metadata', field)
  return isLabelSelector(selector) ? matchesLabels(selector, (key) => labels.at(key).string) : undefined
}

/** Whether it makes records of an object; undefined if that is unknown. */
export function takesForDns({ settings }: DnsScope, object: Manifest): boolean | undefined {
  const answers = Object.values(filters).map((takes) => takes(object, settings))
  if (answers.includes(false)) return false
  return answers.includes(undefined) || settings.opaque ? undefined : true
}

/** The first flag that leaves an object out. */
export function leftOutBy({ settings }: DnsScope, object: Manifest): string {
  const [flag = ''] = Object.entries(filters).find(([, takes]) => takes(object, settings) === false) ?? []
  return flag
}
