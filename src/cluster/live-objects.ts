import { entryOf } from '../entry'
import { kubeProxyModeOfConfigMap, kubernetesOfConfigMap } from './configuration'
import { parseImage, releaseOf } from './image'
import {
  factAt,
  type Inventory,
  isMoment,
  type LiveLock,
  type LiveObject,
  type NodeFacts,
  nodeAt,
  numberAt,
  type StatedValue,
  type ValueTree,
} from './inventory'
import { newestOf } from './version'

/** The only kinds of `kubectl get` that contain facts of a cluster. */
export const liveKinds = ['Node', 'Pod', 'Service', 'Lease', 'ConfigMap', 'IngressClass', 'DaemonSet'] as const

/** The annotation in which old versions of client-go keep a leader, on a ConfigMap or Endpoints. */
export const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'

/** Reads the output of `kubectl get … -o json` or `-o yaml`. */
export function readLive<T extends ValueTree<T>>(objects: readonly T[]): Inventory<T> {
  const ofKind = (kind: (typeof liveKinds)[number]) => objects.filter((object) => object.at('kind').string === kind)
  const pods = ofKind('Pod')
    .filter(isRunning)
    .map((at) => ({ ...named(at), node: at.at('spec', 'nodeName').string }))
  const images = new Map<string, StatedValue<T>>()
  const apiServers: StatedValue<T>[] = []
  for (const { at, node } of pods) {
    for (const container of at.at('spec', 'containers').items()) {
      const version = versionOf(container)
      if (!version) continue
      if (container.at('name').string === 'kube-apiserver') apiServers.push(version)
      if (container.at('name').string === 'kube-proxy' && node !== undefined) images.set(node, version)
    }
  }
  const isProxy = (at: T) => named(at).namespace === 'kube-system' && named(at).name === 'kube-proxy'
  const proxy = ofKind('DaemonSet').find(isProxy)
  const proxyImage = proxy && versionOf(proxy.at('spec', 'template', 'spec', 'containers', 0))
  const nodes = ofKind('Node').map((at): NodeFacts<T> => {
    const { name } = named(at)
    const node = nodeAt(name, at, at.at('status', 'nodeInfo'))
    // nodeInfo.kubeProxyVersion is the kubelet's own: https://kep.k8s.io/4004
    return { ...node, kubeProxy: images.get(name) ?? proxyImage ?? node.kubeProxy }
  })
  const locks = [
    ...ofKind('Lease')
      .filter((at) => named(at).namespace !== 'kube-node-lease')
      .map(leaseAt),
    ...ofKind('ConfigMap').flatMap(leaderAt),
  ]
  const proxyConfig = ofKind('ConfigMap').find(isProxy)
  const kubeadm = ofKind('ConfigMap').find(
    (at) => named(at).namespace === 'kube-system' && named(at).name === 'kubeadm-config',
  )
  // The output of `kubectl version -o json`.
  const [answered] = objects.flatMap((object) => factAt(object.at('serverVersion', 'gitVersion')) ?? [])
  return {
    takenAt: newestRenewal([...locks, ...ofKind('Lease').map(leaseAt)]),
    kubernetes: answered ?? newestOf(apiServers) ?? (kubeadm && kubernetesOfConfigMap(kubeadm)),
    kubeProxyMode: proxyConfig && kubeProxyModeOfConfigMap(proxyConfig),
    nodes,
    locks,
    pods,
    services: ofKind('Service').map((at) => ({ ...named(at), type: at.at('spec', 'type').string })),
    ingressClasses: ofKind('IngressClass').map((at) => ({
      name: named(at).name,
      controller: at.at('spec', 'controller').string,
      isDefault: at.at('metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class').string === 'true',
      at,
    })),
  }
}

function named<T extends ValueTree<T>>(at: T): LiveObject<T> {
  const metadata = at.at('metadata')
  return { namespace: metadata.at('namespace').string ?? '', name: metadata.at('name').string ?? '', at }
}

/** A Pod that has ended stays listed until it is deleted. */
function isRunning<T extends ValueTree<T>>(pod: T): boolean {
  return !['Succeeded', 'Failed'].includes(pod.at('status', 'phase').string ?? '')
}

/** The release that a container's image names, as a version of Kubernetes. */
function versionOf<T extends ValueTree<T>>(container: T): StatedValue<T> | undefined {
  const at = container.at('image')
  const release = releaseOf(parseImage(at.string ?? ''))
  return release ? { value: `v${release}`, at } : undefined
}

function leaseAt<T extends ValueTree<T>>(at: T): LiveLock<T> {
  const spec = at.at('spec')
  return {
    ...named(at),
    kind: 'Lease',
    holder: factAt(spec.at('holderIdentity')),
    renewTime: factAt(spec.at('renewTime')),
    duration: numberAt(spec.at('leaseDurationSeconds')),
  }
}

/** A ConfigMap's lock is a line of JSON in an annotation, so its values are placed at the annotation. */
function leaderAt<T extends ValueTree<T>>(configMap: T): LiveLock<T>[] {
  const at = configMap.at('metadata', 'annotations', leaderAnnotation)
  if (at.string === undefined) return []
  const record = parsed(at.string)
  const fact = (key: string): StatedValue<T> | undefined => {
    const value = entryOf(record, key)
    return typeof value === 'string' && value !== '' ? { value, at } : undefined
  }
  const { leaseDurationSeconds: duration } = record
  return [
    {
      ...named(configMap),
      kind: 'ConfigMap',
      holder: fact('holderIdentity'),
      renewTime: fact('renewTime'),
      duration: typeof duration === 'number' ? duration : undefined,
    },
  ]
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/**
 * A snapshot is at least as young as the youngest sign of life in it; the leases of nodes give one every ten seconds.
 */
function newestRenewal<T extends ValueTree<T>>(locks: readonly LiveLock<T>[]): StatedValue<T> | undefined {
  return locks
    .flatMap(({ renewTime }) => (renewTime && isMoment(renewTime.value) ? [renewTime] : []))
    .reduce<StatedValue<T> | undefined>(
      (newest, next) => (newest && Date.parse(newest.value) >= Date.parse(next.value) ? newest : next),
      undefined,
    )
}
