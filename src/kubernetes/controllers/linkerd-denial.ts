import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isServiceOf, servicesOf } from '../charts/backend-services'
import { releaseKinds } from '../charts/chart-release'
import { backendKinds, backendsOf } from '../ingress/backend'
import { servingKinds, workloadsBehind } from '../workload/serving-pods'

const inboundPolicy = 'config.linkerd.io/default-inbound-policy'
const injection = 'linkerd.io/inject'

/** The kinds of Linkerd's objects that allow requests to Pods which deny them by default. */
const allowingKinds: readonly GroupKind[] = [
  'AuthorizationPolicy.policy.linkerd.io',
  'ServerAuthorization.policy.linkerd.io',
  'Server.policy.linkerd.io',
]

/** The kinds by which a denial of Linkerd is judged. */
export const linkerdKinds: readonly GroupKind[] = [
  ...allowingKinds,
  ...backendKinds,
  'Service',
  ...servingKinds,
  ...releaseKinds,
]

/** The strings to look for the objects by that may allow requests to the Pods of a Namespace. */
export function marksOfAllowances({ ref, root }: Manifest): string[] {
  return root.at('metadata', 'annotations', inboundPolicy).string === 'deny' ? ['policy.linkerd.io', ref.name] : []
}

/** A setting of a Namespace by which proxies of Linkerd deny all requests to its Pods. */
export interface LinkerdDenial {
  readonly at: Cursor
  /** Those that lead to such Pods. */
  readonly routes: readonly [Manifest, ...Manifest[]]
}

/**
 * The denial of all requests by a Namespace, whose new Pods get its setting from the injector; undefined where an object or a
 * release may allow some. Source: linkerd/linkerd2 at 111fc98d7bef, policy-controller/k8s/index/src/defaults.rs: `deny` makes no
 * default authorization; pkg/inject/inject.go, AppendNamespaceAnnotations
 */
export function linkerdDenialOf(namespace: Manifest, snapshot: Snapshot): LinkerdDenial | undefined {
  const { name } = namespace.ref
  const annotations = namespace.root.at('metadata', 'annotations')
  const at = annotations.at(inboundPolicy)
  if (at.string !== 'deny' || annotations.at(injection).string !== 'enabled') return undefined
  const isNear = ({ ref }: Manifest) => ref.namespace === name || ref.namespace === ''
  if (allowingKinds.some((kind) => snapshot.ofKind(kind).some(isNear))) return undefined
  // A chart may bring policies, as may what was not read.
  const mayAllow = ({ ref, object }: Manifest) => ref.namespace === name || object.content.includes('policy.linkerd.io')
  if (!snapshot.isWhole || releaseKinds.some((kind) => snapshot.ofKind(kind).some(mayAllow))) return undefined
  const [first, ...more] = backendKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((route) => !route.assumption && isNear(route) && leadsToMeshed(route, name, snapshot))
  return first && { at, routes: [first, ...more] }
}

/** Whether a backend of a route has Pods in a namespace, and all of them get the settings of the namespace. */
function leadsToMeshed(route: Manifest, namespace: string, snapshot: Snapshot): boolean {
  return backendsOf(route).some((backend) => {
    const [service, ...copies] = servicesOf(backend, snapshot)
    if (!service || copies.length > 0 || service.ref.namespace !== namespace || !isServiceOf(backend, service))
      return false
    const workloads = workloadsBehind(service, snapshot)
    return workloads.length > 0 && workloads.every(getsSettings)
  })
}

/** A setting of the Pods comes before that of their namespace; a proxy cannot be on the network of a node. */
function getsSettings(workload: Manifest): boolean {
  const pod = podOf(workload)
  const own = [...pod.at('metadata', 'annotations').entries()].map(([key]) => key)
  return !own.some((key) => key.includes('linkerd.io/')) && pod.at('spec', 'hostNetwork').value !== true
}
