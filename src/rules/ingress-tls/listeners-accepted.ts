import type { Snapshot } from '../../cluster/snapshot'
import {
  gatewayOf,
  intersect,
  type Parent,
  parentsOf,
  routeProtocols,
  selectedListeners,
} from '../../kubernetes/ingress/gateway-route'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { areComparable } from '../../kubernetes/ingress/placeholder'
import { namedHosts } from '../../kubernetes/tls/certificate'
import { gatewaysBeside } from '../../kubernetes/tls/gateways-beside'
import {
  groupOfSets,
  isOfNoGroup,
  listenerSetKinds,
  parentOfSet,
  setOf,
  setsOf,
  takesSet,
} from '../../kubernetes/tls/listener-set'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const gatewayKind = 'Gateway.gateway.networking.k8s.io'
const routeKinds = Object.keys(routeProtocols)

const messages = {
  noGateway: ({ set, gateway, known }: Record<'set' | 'gateway' | 'known', string>) =>
    `${set} names ${gateway} under parentRef, which is not in this repository and which nothing else here names (known here: ${known}). If it is not in the cluster either, nothing serves these listeners. Correct the name or the namespace.`,
  refused: ({ set, gateway, namespace }: Record<'set' | 'gateway' | 'namespace', string>) =>
    `${gateway} takes no ${set}: its spec.allowedListeners does not let in the namespace ${namespace}, and by default none, so nothing serves these listeners. Set allowedListeners.namespaces.from of the Gateway to All, or to Same for sets of its own namespace.`,
  wrongGroup: ({ route, kind, group, right }: Record<'route' | 'kind' | 'group' | 'right', string>) =>
    `${route} names a parent of the kind ${kind} in the group ${group}, which has no such kind, so the route is not attached. Set its group to ${right}.`,
  noListener: ({ route, set, section, names }: Record<'route' | 'set' | 'section' | 'names', string>) =>
    `${route} names the listener ${section} of ${set}, which has only the listeners ${names}, so the route is not attached. Set sectionName to one of these.`,
  unattached: ({ host, route, set, names }: Record<'host' | 'route' | 'set' | 'names', string>) =>
    `No listener of ${set} that ${route} names accepts ${host}: they accept ${names}, so this host is not served. Add a listener with this hostname, or use a hostname that a listener accepts.`,
}

export default defineRule({
  id: 'ingress-tls/listeners-accepted',
  summary: 'A Gateway takes every ListenerSet that names it, and a ListenerSet every route that names it.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: [...listenerSetKinds, ...routeKinds],
  reads: [gatewayKind],
  subjects: [{ kinds: [...listenerSetKinds] }],
  messages,
  putBack: { noGateway: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Gateway' || isSet(manifest)) yield manifest.ref.name
    if (isSet(manifest)) {
      const { name } = parentOfSet(manifest)
      if (name.string) yield name.string
      // Those beside the named one.
      yield 'kind: Gateway'
    }
    for (const { name } of setsOf(manifest)) if (name.string) yield name.string
  },
  check({ manifest, snapshot, report }) {
    if (isSet(manifest)) checkSet(manifest, snapshot, report)
    else checkRoute(manifest, snapshot, report)
  },
  checkChange({ change, base, head, report }) {
    if (change.kind === 'removed' || !isSet(change.after)) return
    const parent = parentOfSet(change.after)
    const was = change.kind === 'changed' ? parentOfSet(change.before) : undefined
    if (was?.name.string === parent.name.string && was?.namespace === parent.namespace) return
    const known = gatewaysBeside(parent, { base, head, others: (side) => othersBeside(change.after, side) })
    const [first] = known
    if (!first || !isGateway(parent)) return
    const named = `${parent.namespace}/${parent.name.string}`
    const args = {
      set: nameOf(change.after.ref),
      gateway: `the Gateway ${named}`,
      known: namedHosts(known.map(({ ref }) => nameOf(ref))),
    }
    report([parent.at, first.root], 'noGateway', args, { keys: [named] })
  },
})

function isSet({ ref }: Manifest): boolean {
  return listenerSetKinds.includes(groupKindOf(ref))
}

function isGateway({ at }: Parent): boolean {
  return (at.at('kind').string ?? 'Gateway') === 'Gateway'
}

/** All that names Gateways on a side, besides one set. */
function othersBeside(set: Manifest, side: Snapshot): Parent[] {
  const sets = listenerSetKinds.flatMap((kind) => side.ofKind(kind))
  const others = sets.filter(({ ref }) => identityOf(ref) !== identityOf(set.ref))
  const routes = routeKinds.flatMap((kind) => side.ofKind(kind))
  return [...others.map(parentOfSet), ...routes.flatMap((route) => parentsOf(route) ?? [])]
}

function checkSet(set: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const parent = parentOfSet(set)
  const gateway = isGateway(parent) ? gatewayOf(snapshot, parent) : undefined
  if (!gateway || takesSet(gateway, set) !== false) return
  const args = { set: nameOf(set.ref), gateway: nameOf(gateway.ref), namespace: set.ref.namespace }
  report([parent.at, gateway.root.at('spec', 'allowedListeners')], 'refused', args, { keys: [nameOf(gateway.ref)] })
}

function checkRoute(route: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  for (const named of setsOf(route)) {
    const { at, kind, group, sectionName } = named
    const keys = [named.name.string ?? '']
    if (isOfNoGroup(named)) {
      report(at, 'wrongGroup', { route: nameOf(route.ref), kind, group, right: groupOfSets(kind) }, { keys })
      continue
    }
    const set = setOf(snapshot, named)
    if (!set) continue
    const listeners = set.root.at('spec', 'listeners')
    const all = [...listeners.items()].map((one) => one.at('name').string ?? '')
    const [section, words] = [sectionName.string, { route: nameOf(route.ref), set: nameOf(set.ref) }]
    if (section && !all.includes(section) && ![section, ...all].some(isPlaceholder)) {
      const args = { ...words, section, names: namedHosts(all) }
      report([sectionName, listeners], 'noListener', args, { keys: [section] })
      continue
    }
    // Other parents may have listeners for its hosts.
    if ([...route.root.at('spec', 'parentRefs').items()].length > 1) continue
    const hostnames = selectedListeners(set, named).map((one) => one.at('hostname').string)
    for (const host of route.root.at('spec', 'hostnames').items()) {
      const name = host.string
      if (!name || hostnames.length === 0 || hostnames.some((one) => intersect(name, one))) continue
      if (!hostnames.every((one) => areComparable(one ?? '', name))) continue
      const args = { ...words, host: name, names: namedHosts([...new Set(hostnames.flatMap((one) => one ?? []))]) }
      report([host, listeners], 'unattached', args, { keys: [name.toLowerCase()] })
    }
  }
}
