import { isIP } from 'node:net'
import type { Cursor } from '../../manifest/cursor'
import { mentionsOneOf } from '../../manifest/mentions'
import type { LayeredValue } from './layered-value'

/** A program that gives Services of type LoadBalancer their addresses. */
interface Allocator {
  readonly prefixes: readonly string[]
  /** The annotations with addresses, the first over the others. */
  readonly addresses: readonly string[]
  /** The annotations with a key that two Services need in common to share an address; none where they need no key. */
  readonly keys: readonly string[]
}

/**
 * Sources: https://github.com/metallb/metallb/blob/v0.16.1/controller/service.go and internal/allocator/allocator.go, sharingOK;
 * https://github.com/cilium/cilium, operator/pkg/lbipam/lbipam.go, satisfySpecificIPRequests;
 * https://github.com/kube-vip/kube-vip-cloud-provider/blob/v0.0.12/pkg/provider/loadBalancer.go, syncLoadBalancer, which leaves a given address as it is
 */
const allocators: readonly Allocator[] = [
  {
    prefixes: ['metallb.io/', 'metallb.universe.tf/'],
    addresses: ['metallb.io/loadBalancerIPs', 'metallb.universe.tf/loadBalancerIPs'],
    keys: ['metallb.io/allow-shared-ip', 'metallb.universe.tf/allow-shared-ip'],
  },
  {
    prefixes: ['lbipam.cilium.io/', 'io.cilium/lb-ipam-'],
    addresses: ['lbipam.cilium.io/ips', 'io.cilium/lb-ipam-ips'],
    keys: ['lbipam.cilium.io/sharing-key', 'io.cilium/lb-ipam-sharing-key'],
  },
  { prefixes: ['kube-vip.io/'], addresses: ['kube-vip.io/loadbalancerIPs'], keys: [] },
]

const addressKeys = allocators.flatMap(({ addresses }) => addresses)

/** Whether the values in a text may ask for an address. */
export function mayAskForAddress(text: string): boolean {
  return mentionsOneOf(text, ['loadBalancerIP', ...addressKeys])
}

/** The addresses that a Service of type LoadBalancer asks for, and how it shares them. */
export interface LoadBalancer {
  readonly addresses: ReadonlyMap<string, Cursor>
  /** The allocators that its annotations are for; none where it has only `loadBalancerIP`, which all read. */
  readonly allocators: readonly Allocator[]
  readonly className: unknown
  /** The key by which it shares its address, for each allocator. */
  readonly keyFor: (allocator: Allocator) => unknown
  /** `TCP/443`; undefined where they are not known. */
  readonly ports: readonly string[] | undefined
  /** The annotation that asks MetalLB for addresses beside `loadBalancerIP`, if there are both. */
  readonly beside: { readonly annotation: string; readonly at: Cursor } | undefined
}

/** Reads the spec of a Service; undefined if it asks for no address that is known. */
export function loadBalancerOf(spec: LayeredValue, annotations: LayeredValue): LoadBalancer | undefined {
  const type = spec.get('type')
  if (type.isSet && type.scalar !== 'LoadBalancer') return undefined
  const written = [spec.get('loadBalancerIP'), ...addressKeys.map((key) => annotations.get(key))]
  const addresses = new Map(
    written.flatMap(({ at, scalar }) =>
      typeof scalar === 'string' && at ? addressesIn(scalar).map((address) => [address, at] as const) : [],
    ),
  )
  if (addresses.size === 0) return undefined
  const given = annotations.keys
  return {
    addresses,
    beside: besideAddress(spec, annotations),
    allocators: allocators.filter(({ prefixes }) =>
      prefixes.some((prefix) => given.some((key) => key.startsWith(prefix))),
    ),
    className: spec.get('loadBalancerClass').scalar,
    keyFor: ({ keys }) => keys.map((key) => annotations.get(key).scalar).find((key) => key !== undefined && key !== ''),
    ports: spec.get('ports').items?.map((port) => `${port.get('protocol').scalar ?? 'TCP'}/${port.get('port').scalar}`),
  }
}

/** MetalLB reads the first one that is set. */
function besideAddress(spec: LayeredValue, annotations: LayeredValue): LoadBalancer['beside'] {
  if (!isText(spec.get('loadBalancerIP').scalar)) return undefined
  const [annotation] = (allocators[0]?.addresses ?? []).filter((key) => isText(annotations.get(key).scalar))
  const at = annotation === undefined ? undefined : annotations.get(annotation).at
  return annotation === undefined || !at ? undefined : { annotation, at }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/**
 * Addresses, and variables in their place; not the address by which kube-vip asks for DHCP, nor those of the machine itself,
 * which are the defaults of variables.
 */
function addressesIn(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  const isOwn = (part: string) => part === '0.0.0.0' || part === '::1' || part.startsWith('127.')
  const asked = parts.filter((part) => (isIP(part) !== 0 && !isOwn(part)) || /^\$\{\w+\}$/.test(part))
  return asked.map((part) => (part.startsWith('$') ? part : part.toLowerCase()))
}

/** The reason why two Services cannot have one address: they have no key in common, or a port. */
export type Clash = { readonly keys: readonly string[] } | { readonly port: string }

/** The clash of two Services that ask for one address, if there is one for certain. */
export function clashOf(one: LoadBalancer, other: LoadBalancer): Clash | undefined {
  if (one.className !== other.className) return undefined
  const [own = [], its = []] = [one, other].map((balancer) => balancer.allocators)
  const all = own.length === 0 ? its : its.length === 0 ? own : own.filter((allocator) => its.includes(allocator))
  // They are for two programs, and a cluster has one.
  if (all.length === 0 && own.length > 0) return undefined
  const isShared = (allocator: Allocator) => {
    const key = one.keyFor(allocator)
    return allocator.keys.length === 0 || (key !== undefined && key === other.keyFor(allocator))
  }
  if (all.length > 0 && !all.some(isShared)) return { keys: all.flatMap(({ keys }) => keys.slice(0, 1)) }
  const port = one.ports?.find((each) => other.ports?.includes(each))
  return port === undefined ? undefined : { port }
}
