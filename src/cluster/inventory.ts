/** A tree that values are read from: cursors of a parsed file, or plain data. */
export interface ValueTree<T> {
  at(...keys: (string | number)[]): T
  items(): Iterable<T>
  entries(): Iterable<[string, T]>
  readonly string: string | undefined
  readonly value: unknown
  readonly exists: boolean
}

/** A value that is stated of a cluster, and its place. */
export interface StatedValue<T> {
  readonly value: string
  readonly at: T
}

/** The facts of a node; `name` is undefined where a value is declared for every node. */
export interface NodeFacts<T> {
  readonly name: string | undefined
  readonly at: T
  /** `uname -r`: `5.15.0-105-generic`. */
  readonly kernel?: StatedValue<T> | undefined
  readonly kubelet?: StatedValue<T> | undefined
  readonly kubeProxy?: StatedValue<T> | undefined
  readonly osImage?: StatedValue<T> | undefined
  /** `containerd://1.7.27` */
  readonly containerRuntime?: StatedValue<T> | undefined
  readonly architecture?: StatedValue<T> | undefined
  readonly operatingSystem?: StatedValue<T> | undefined
}

/** The object by which replicas of a controller elect their leader. */
export interface LiveLock<T> {
  readonly kind: 'ConfigMap' | 'Lease'
  readonly namespace: string
  readonly name: string
  /** The leader: a Pod's name, for many controllers followed by `_` and an id. */
  readonly holder: StatedValue<T> | undefined
  /** The time of the holder's last renewal. */
  readonly renewTime: StatedValue<T> | undefined
  /** The seconds for which a renewal counts. */
  readonly duration: number | undefined
  readonly at: T
}

/** An object of a running cluster, by name alone. */
export interface LiveObject<T> {
  readonly namespace: string
  readonly name: string
  readonly at: T
}

/** A Pod of an inventory. */
export interface LivePod<T> extends LiveObject<T> {
  readonly node: string | undefined
}

/** A Service of an inventory. */
export interface LiveService<T> extends LiveObject<T> {
  readonly type: string | undefined
}

/** An IngressClass of an inventory. */
export interface LiveIngressClass<T> {
  readonly name: string
  readonly controller: string | undefined
  readonly isDefault: boolean
  readonly at: T
}

/** The content of a snapshot of a running cluster. */
export interface Inventory<T> {
  /** The time of its creation, as RFC 3339. */
  readonly takenAt: StatedValue<T> | undefined
  /** The API server's version, as it gives it: `v1.30.4-eks-a737599`. */
  readonly kubernetes: StatedValue<T> | undefined
  /** `iptables`, `ipvs` or `nftables`. */
  readonly kubeProxyMode: StatedValue<T> | undefined
  readonly nodes: readonly NodeFacts<T>[]
  readonly locks: readonly LiveLock<T>[]
  /** Undefined where the snapshot has no Pods: then a missing Pod is no evidence. */
  readonly pods: readonly LivePod<T>[]
  readonly services: readonly LiveService<T>[]
  readonly ingressClasses: readonly LiveIngressClass<T>[]
}

/** The fields of a node as an inventory and `status.nodeInfo` of a Node call them. */
export const nodeFields = {
  kernel: 'kernelVersion',
  kubelet: 'kubeletVersion',
  kubeProxy: 'kubeProxyVersion',
  osImage: 'osImage',
  containerRuntime: 'containerRuntimeVersion',
  architecture: 'architecture',
  operatingSystem: 'operatingSystem',
} as const

/** A moment as RFC 3339. */
export const momentPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$'

/** Whether a text is a valid RFC 3339 timestamp. */
export function isMoment(text: string): boolean {
  return new RegExp(momentPattern).test(text) && !Number.isNaN(Date.parse(text))
}

/** A string as a fact; none where there is no string, or an empty one. */
export function factAt<T extends ValueTree<T>>(at: T): StatedValue<T> | undefined {
  return at.string ? { value: at.string, at } : undefined
}

/** Reads the fields of a node. */
export function nodeAt<T extends ValueTree<T>>(name: string | undefined, at: T, info: T): NodeFacts<T> {
  const facts = Object.entries(nodeFields).map(([key, field]) => [key, factAt(info.at(field))])
  return { name, at, ...Object.fromEntries(facts) }
}

/** A number; none where there is none. */
export function numberAt<T extends ValueTree<T>>({ value }: T): number | undefined {
  return typeof value === 'number' ? value : undefined
}
