import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { releaseKinds } from '../charts/chart-release'
import { LayeredValue } from '../charts/layered-value'
import { loadBalancersIn } from '../charts/load-balancer-values'
import { remoteReleasesOf, seenValuesOf } from '../charts/remote-release'

/** A Service of type LoadBalancer, or one that the chart of a release makes of its values. */
export interface BalancedService {
  /** The same on both sides of a change. */
  readonly id: string
  readonly name: string
  readonly manifest: Manifest
  /** Empty where it is not known. */
  readonly namespace: string
  /** The value of a label; undefined where the labels are not known. */
  readonly labelOf: ((key: string) => string | undefined) | undefined
  readonly spec: LayeredValue
  readonly annotations: LayeredValue
}

/** The texts that every Service of type LoadBalancer has one of, and values that ask for an address. */
export const marksOfBalancers = ['LoadBalancer', 'loadBalancerIP', 'lb-ipam-ips', 'lbipam.cilium.io/ips']

export function balancedServicesIn(snapshot: Snapshot): readonly BalancedService[] {
  const known = bySnapshot.get(snapshot)
  if (known) return known
  const found = ['Service', ...releaseKinds]
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((manifest) => balancedServicesOf(manifest, snapshot))
  bySnapshot.set(snapshot, found)
  return found
}

/** Each change of a pool asks for all of them; a snapshot never changes. */
const bySnapshot = new WeakMap<Snapshot, readonly BalancedService[]>()

function balancedServicesOf(manifest: Manifest, snapshot: Snapshot): BalancedService[] {
  const { ref, root, object } = manifest
  if (groupKindOf(ref) !== 'Service')
    return remoteReleasesOf(manifest, snapshot)
      .filter(({ name }) => !object.context?.rendered?.has(name))
      .flatMap((release) =>
        loadBalancersIn(seenValuesOf(release)).map(({ path }) => {
          const block = path.reduce((outer, key) => outer.get(key), seenValuesOf(release))
          const spec = block.get('spec').get('loadBalancerIP').isSet ? block.get('spec') : block
          return {
            id: JSON.stringify([identityOf(ref), release.name, ...path]),
            name: `the Service of ${nameOf(ref)} (${path.join('.')})`,
            manifest,
            namespace: release.namespace,
            labelOf: undefined,
            spec,
            annotations: block.get('annotations'),
          }
        }),
      )
  if (root.at('spec', 'type').string !== 'LoadBalancer') return []
  const [spec, annotations] = [root.at('spec'), root.at('metadata', 'annotations')].map((at) => LayeredValue.of([at]))
  if (!spec || !annotations) return []
  const labels = root.at('metadata', 'labels')
  const labelOf = (key: string) => labelOfService(ref, key) ?? labels.at(key).string
  return [{ id: identityOf(ref), name: nameOf(ref), manifest, namespace: ref.namespace, labelOf, spec, annotations }]
}

/**
 * The labels that Cilium gives a Service for its selectors. Source:
 * https://github.com/cilium/cilium/blob/079d9740ae48e351419f9adfa71e853f1765f5a4/operator/pkg/lbipam/lbipam.go, svcLabels
 */
function labelOfService({ name, namespace }: Manifest['ref'], key: string): string | undefined {
  if (key === 'io.kubernetes.service.name') return name
  return key === 'io.kubernetes.service.namespace' ? namespace : undefined
}

/** The texts of a field and of annotations that are written, with their places. */
export function askedBy(service: BalancedService, annotations: readonly string[]): { text: string; at: Cursor }[] {
  const { spec } = service
  const written = [spec.get('loadBalancerIP'), ...annotations.map((key) => service.annotations.get(key))]
  return written.flatMap(({ at, scalar }) =>
    typeof scalar === 'string' && scalar !== '' && at ? [{ text: scalar, at }] : [],
  )
}
