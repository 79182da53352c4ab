import { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { LayeredValue } from '../../kubernetes/charts/layered-value'
import { clashOf, type LoadBalancer, loadBalancerOf, mayAskForAddress } from '../../kubernetes/charts/load-balancer'
import { loadBalancersIn } from '../../kubernetes/charts/load-balancer-values'
import { clientPortsOf } from '../../kubernetes/charts/offered-ports'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from '../../kubernetes/charts/remote-release'
import { isOfDefaultValues } from '../../manifest/default-values'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** A Service that asks for an address. */
interface Claimant extends LoadBalancer {
  readonly manifest: Manifest
  readonly name: string
  /** The same for the Service of a release and the one that its chart renders. */
  readonly release: string
  readonly clusters: readonly string[]
}

type Pair = Record<'first' | 'second' | 'address', string>

const outcome = 'only one of them gets it, and the hosts behind the other one are not reached'

export default defineRule({
  id: 'controller-scope/address-single',
  summary: 'Services of type LoadBalancer ask for an address of their own, or share it.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: ['Service', ...releaseKinds],
  reads: releasePartKinds,
  messages: {
    unshared: ({ first, second, address, keys }: Pair & { keys: string }) =>
      `Both ${first} and ${second} ask for the address ${address}, and they have no key in common to share it: ${outcome}. Give one of them another address, or both the same ${keys}.`,
    port: ({ first, second, address, port }: Pair & { port: string }) =>
      `Both ${first} and ${second} ask for the address ${address} with the port ${port}: clients of that port reach only one of them. Give one of them another address.`,
    // Source: https://github.com/metallb/metallb/blob/v0.15.3/controller/service.go, getDesiredLbIPs
    twice: ({ service, annotation }: Record<'service' | 'annotation', string>) =>
      `MetalLB refuses ${service}, because it asks for its address both in loadBalancerIP and in the annotation ${annotation} (LoadBalancerFailed): a new Service gets no address, and an old one no other. Remove one of the two.`,
  },
  later: { twice: '1.34.0' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
    const own = groupKindOf(manifest.ref) === 'ConfigMap' ? inValuesOf(manifest) : claimantsOf(manifest, nothing)
    for (const { addresses } of own) yield* addresses.keys()
  },
  check({ manifest, snapshot, report }) {
    for (const one of claimantsOf(manifest, snapshot)) {
      if (one.beside && one.allocators.length === 1)
        report(one.beside.at, 'twice', { service: one.name, annotation: one.beside.annotation })
      for (const [address, at] of one.addresses) {
        const before = (claimsIn(snapshot).get(address) ?? []).filter((other) => isBefore(other, one))
        const [other, clash] = firstClash(one, before) ?? []
        const there = other?.addresses.get(address)
        if (!other || !clash || !there) continue
        const args = { first: other.name, second: one.name, address }
        if ('port' in clash) report([at, there], 'port', { ...args, port: clash.port }, { keys: [address] })
        else report([at, there], 'unshared', { ...args, keys: clash.keys.join(' or ') }, { keys: [address] })
      }
    }
  },
})

const nothing = new Snapshot('', [])

/** The claimants of each address. */
function claimsIn(snapshot: Snapshot): ReadonlyMap<string, readonly Claimant[]> {
  const known = claimsBySnapshot.get(snapshot)
  if (known) return known
  const found = new Map<string, Claimant[]>()
  for (const one of ['Service', ...releaseKinds].flatMap((kind) => snapshot.ofKind(kind))) {
    for (const claimant of claimantsOf(one, snapshot)) {
      for (const address of claimant.addresses.keys()) found.set(address, [...(found.get(address) ?? []), claimant])
    }
  }
  claimsBySnapshot.set(snapshot, found)
  return found
}

/** Each object of a snapshot is compared with all; a snapshot never changes. */
const claimsBySnapshot = new WeakMap<Snapshot, ReadonlyMap<string, readonly Claimant[]>>()

function firstClash(one: Claimant, others: readonly Claimant[]) {
  for (const other of others) {
    const clash = other.clusters.some((cluster) => one.clusters.includes(cluster)) ? clashOf(one, other) : undefined
    if (clash) return [other, clash] as const
  }
  return undefined
}

/** Whether one of two is the first of a pair: so each pair is met once, and no object meets its copy. */
function isBefore(one: Claimant, other: Claimant): boolean {
  const [a, b] = [one.manifest.ref, other.manifest.ref]
  // A tool may put an object without a namespace into any.
  const isCopy = a.kind === b.kind && a.name === b.name && [a, b].some(({ namespace }) => namespace === '')
  return !isCopy && one.release !== other.release && identityOf(a) < identityOf(b)
}

/** The Services that an object is, or that the chart of its release makes of its values. */
function claimantsOf(manifest: Manifest, snapshot: Snapshot): Claimant[] {
  const { ref, root, clusters, origin } = manifest
  if (groupKindOf(ref) === 'Service') {
    const [spec, annotations] = [root.at('spec'), root.at('metadata', 'annotations')].map((at) => LayeredValue.of([at]))
    const isBalancer = root.at('spec', 'type').string === 'LoadBalancer' && !isOfDefaultValues(manifest)
    const balancer = isBalancer && spec && annotations ? loadBalancerOf(spec, annotations) : undefined
    const isOfChart = origin.kind === 'rendered' && origin.source.kind === 'helm'
    const release = isOfChart ? `${origin.source.release}` : identityOf(ref)
    return balancer ? [{ ...balancer, manifest, name: nameOf(ref), release, clusters }] : []
  }
  return remoteReleasesOf(manifest, snapshot)
    .filter(({ name }) => !manifest.object.context?.rendered?.has(name))
    .flatMap((release) => claimantsIn(release, snapshot))
}

function claimantsIn(release: RemoteRelease, snapshot: Snapshot): Claimant[] {
  const { manifest, name, clusters, elsewhere } = release
  const ofController = chartReleasesOf(manifest, snapshot).find((one) => one.name === name)
  return loadBalancersIn(seenValuesOf(release))
    .filter(({ path }) => !elsewhere.some((one) => one.startsWith(path.join('.'))))
    .map(({ path, balancer }) => {
      const called = `the Service of ${nameOf(manifest.ref)} (${path.join('.')})`
      const ports = balancer.ports ?? (ofController && clientPortsOf(ofController, path))
      return { ...balancer, ports, manifest, name: called, release: name, clusters }
    })
}

/** The Services in values that a ConfigMap holds for a release. */
function inValuesOf({ root }: Manifest): LoadBalancer[] {
  const texts = [...root.at('data').entries()].filter(
    ([, { string }]) => string !== undefined && mayAskForAddress(string),
  )
  const values = texts.flatMap(([, at]) => at.nested ?? [])
  return values.flatMap((at) => loadBalancersIn(LayeredValue.of([at]))).map(({ balancer }) => balancer)
}
