import { closest } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { mayBeMade } from '../../kubernetes/charts/makers'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import {
  gatewaysOf,
  hostsIn,
  istioGatewayKind,
  istioGroup,
  type NamedGateway,
  servesHostOf,
  virtualServiceKind,
} from '../../kubernetes/ingress/virtual-service'
import { differByOnePart } from '../../kubernetes/object/like-names'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { abridged, enumerated } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/istio-gateway-resolves',
  summary: 'The Gateway of Istio that a VirtualService names is there, and serves its hosts.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: [virtualServiceKind],
  reads: [istioGatewayKind],
  direct: true,
  messages: {
    // Source: istio/istio at 0a617ca985f9, pkg/config/analysis/analyzers/virtualservice/gateways.go: the analyzer of Istio reports a
    // Gateway that is not found, and hosts that none of its servers has
    elsewhere: ({
      user,
      name,
      namespace,
      ...them
    }: Record<'user' | 'name' | 'namespace' | 'others' | 'instead', string>) =>
      `${user} names the Gateway ${name} of the namespace ${namespace}, and this repository has it only in the namespace ${them.others}, so it gets no requests through it. Write ${them.instead}.`,
    misspelled: ({ user, name, like }: { user: string; name: string; like: string }) =>
      `${user} names the Gateway ${name}, which is not in this repository, so it may get no requests through it. Write the name of ${like}, if that one is meant, or add the Gateway ${name}.`,
    unserved: ({ user, gateway, hosts, served }: Record<'user' | 'gateway' | 'hosts' | 'served', string>) =>
      `${user} names ${gateway} for ${hosts}, and this Gateway takes only ${served}, so it sends no requests to this VirtualService. Add the host to a server of the Gateway, or name a Gateway that has it.`,
    removed: ({ user, gateway }: { user: string; gateway: string }) =>
      `This change removes ${gateway}, which ${user} still names, so it gets no requests through it any more. Restore it, or name another Gateway there.`,
  },
  putBack: { elsewhere: 'changed', misspelled: 'changed', unserved: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Gateway') yield manifest.ref.name
    else for (const { name } of gatewaysOf(manifest)) yield name
  },
  check({ manifest, snapshot, report }) {
    const user = nameOf(manifest.ref)
    for (const named of gatewaysOf(manifest)) {
      const { at, name, namespace } = named
      const gateways = gatewaysNamed(named, snapshot)
      const [gateway] = gateways
      if (gateway) {
        if (!gateways.every((one) => servesHostOf(one, manifest) === false)) continue
        const hosts = manifest.root.at('spec', 'hosts')
        const servers = gateway.root.at('spec', 'servers')
        const served = enumerated([...new Set([...servers.items()].flatMap((one) => hostsIn(one.at('hosts'))))], 4)
        const args = { user, gateway: nameOf(gateway.ref), hosts: enumerated(hostsIn(hosts), 4), served }
        report([hosts, at, servers], 'unserved', args, { keys: [nameOf(gateway.ref)] })
        continue
      }
      const all = snapshot.ofKind(istioGatewayKind)
      const others = all.filter(({ ref }) => ref.name === name)
      const isUnsure =
        namespace === '' || others.some(({ ref }) => ref.namespace === '' || isPlaceholder(ref.namespace))
      if (isUnsure || mayBeMade(namespace, name, snapshot, ({ ref }) => ref.group !== istioGroup)) continue
      const [first] = others
      if (first) {
        const namespaces = [...new Set(others.map(({ ref }) => ref.namespace))]
        const instead = namespaces.map((one) => `${one}/${name}`)
        const args = { user, name, namespace, others: abridged(namespaces), instead: abridged(instead, 3, ' or ') }
        report([at, first.root.at('metadata', 'name')], 'elsewhere', args, { keys: [namespace, name] })
        continue
      }
      const beside = all.filter(({ ref }) => ref.namespace === namespace)
      const meant = closest(
        name,
        beside.map(({ ref }) => ref.name),
      )
      const like = beside.find(({ ref }) => ref.name === meant || differByOnePart(name, ref.name))
      if (!like) continue
      const args = { user, name, like: nameOf(like.ref) }
      report([at, like.root.at('metadata', 'name')], 'misspelled', args, { keys: [namespace, name] })
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind !== 'removed' || change.before.ref.kind !== 'Gateway') return
    const removed = change.before
    for (const virtualService of head.ofKind(virtualServiceKind)) {
      const named = gatewaysOf(virtualService).find((one) => isNamedBy(one, removed))
      if (!named || gatewaysNamed(named, head).length > 0) continue
      const args = { user: nameOf(virtualService.ref), gateway: nameOf(removed.ref) }
      report([removed.root, named.at], 'removed', args, { keys: [args.user] })
    }
  },
})

/** The Gateways that a VirtualService may mean: a tool may choose a namespace. */
function gatewaysNamed(named: NamedGateway, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind(istioGatewayKind).filter((one) => isNamedBy(named, one))
}

function isNamedBy({ at: { manifest }, name, namespace }: NamedGateway, gateway: Manifest): boolean {
  if (gateway.ref.name !== name) return false
  return namespace === manifest.ref.namespace
    ? mayShareNamespace(gateway, manifest)
    : ['', namespace].includes(gateway.ref.namespace)
}
