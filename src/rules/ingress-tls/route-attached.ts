import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
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
import { isInSupposedNamespace } from '../../kubernetes/object/supposed-namespace'
import { certificatesBehind, type KnownCertificate, namedHosts } from '../../kubernetes/tls/certificate'
import { certificateRefs } from '../../kubernetes/tls/gateway-tls'
import { missingGateway } from '../../kubernetes/tls/gateways-beside'
import { letsIn } from '../../kubernetes/tls/listener-narrowing'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Attachment {
  readonly parent: Parent
  readonly gateway: Manifest
  readonly listeners: readonly Cursor[]
}

type Hosted = Record<'host' | 'route' | 'gateways' | 'names', string>

const gatewayKind = 'Gateway.gateway.networking.k8s.io'
const routeKinds = Object.keys(routeProtocols)

export default defineRule({
  id: 'ingress-tls/route-attached',
  summary: 'Every hostname of a route matches a listener, and the certificate of that listener covers it.',
  since: '1.2.0',
  scope: 'snapshot',
  assumed: { since: '1.6.0' },
  kinds: routeKinds,
  reads: [...producerKinds, ...releaseKinds, 'Namespace'],
  subjects: [{ kinds: [gatewayKind, ...routeKinds, ...releaseKinds] }],
  messages: {
    noListener: ({
      route,
      gateway,
      section,
      names,
    }: {
      route: string
      gateway: string
      section: string
      names: string
    }) =>
      `${route} names the listener ${section} of ${gateway}, which has only the listeners ${names}, so the route is not attached. Set sectionName to one of these.`,
    noPort: ({ route, gateway, port, ports }: Record<'route' | 'gateway' | 'port' | 'ports', string>) =>
      `${route} names the port ${port} of ${gateway}, whose listeners for it have only ${ports}, so the route is not attached. Set port to one of these, or leave it out.`,
    unattached: ({ host, route, gateways, names }: Hosted) =>
      `No listener of ${gateways} that ${route} names accepts ${host}: they accept ${names}, so this host is not served. Add a listener with this hostname, or use a hostname that a listener accepts.`,
    neverAttached: ({ host, route, gateways, names }: Hosted) =>
      `No listener of ${gateways} that ${route} names accepts ${host}, whatever is filled in: they accept ${names}, so this host is not served. Add a listener with this hostname, or use a hostname that a listener accepts.`,
    noGateway: ({ route, gateway, known }: { route: string; gateway: string; known: string }) =>
      `${route} names ${gateway} under parentRefs, which is not in this repository and which no other route here names (known here: ${known}). If it is not in the cluster either, nothing serves the route. Correct the name or the namespace.`,
    otherNamespace: ({ route, gateway, known }: { route: string; gateway: string; known: string }) =>
      `${route} names ${gateway} under parentRefs, and this repository has a Gateway of that name only as ${known}. If it is not in the cluster either, nothing serves the route. Correct the namespace.`,
    unqualified: ({
      route,
      name,
      own,
      meant,
      namespace,
    }: Record<'route' | 'name' | 'own' | 'meant' | 'namespace', string>) =>
      `${route} names the Gateway ${name} without a namespace, so it is looked for in ${own}, the namespace of the route. This repository has it only as ${meant}; unless another tool makes one in ${own}, nothing serves the route. Add namespace: ${namespace} to this entry of parentRefs.`,
    misspelled: ({ route, gateway, meant, right }: Record<'route' | 'gateway' | 'meant' | 'right', string>) =>
      `${route} names ${gateway} under parentRefs, which is not in this repository and which no route named so far. It is nearly the name of ${meant}; if that one is meant, nothing serves the route. Write name: ${right}.`,
    wrongProtocol: ({ route, listeners, kind, wanted }: Record<'route' | 'listeners' | 'kind' | 'wanted', string>) =>
      `${route} names ${listeners}, and a ${kind} attaches only to a listener with the protocol ${wanted}, so the route is not attached. Name a listener with this protocol under sectionName.`,
    notAllowed: ({ route, namespace, listeners }: { route: string; namespace: string; listeners: string }) =>
      `${route} names ${listeners}, whose allowedRoutes.namespaces does not let in routes of the namespace ${namespace}, so the route is not attached. Let this namespace in, or name a listener that does.`,
    notCertified: ({
      host,
      listener,
      gateway,
      names,
    }: {
      host: string
      listener: string
      gateway: string
      names: string
    }) =>
      `The listener ${listener} of ${gateway} accepts ${host}, but its certificate is for ${names}, and a wildcard covers one label only. Add a listener whose certificate covers the host, or add the host to the certificate.`,
  },
  later: {
    misspelled: '1.13.0',
    neverAttached: '1.6.0',
    noGateway: '1.6.0',
    noPort: '1.25.0',
    notAllowed: '1.6.0',
    otherNamespace: '1.9.0',
    unqualified: '1.13.0',
    wrongProtocol: '1.6.0',
  },
  putBack: { misspelled: 'changed', noGateway: 'changed', otherNamespace: 'changed', unqualified: 'changed' },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'Gateway') {
      yield manifest.ref.name
      for (const { name } of namedSecrets(manifest)) yield name
    } else {
      for (const { name } of parentsOf(manifest) ?? []) if (name.string) yield name.string
      // Those beside the named one.
      if (routeKinds.includes(groupKindOf(manifest.ref))) yield 'kind: Gateway'
    }
  },
  partnerKinds: ({ ref }) => {
    const kind = groupKindOf(ref)
    return kind === gatewayKind || routeKinds.includes(kind) ? undefined : [gatewayKind]
  },
  check({ manifest, snapshot, report, skip }) {
    const parents = parentsOf(manifest) ?? []
    const attachments = parents.flatMap((parent): Attachment[] => {
      const gateway = gatewayOf(snapshot, parent)
      return gateway ? [{ parent, gateway, listeners: selectedListeners(gateway, parent) }] : []
    })
    if (parents.length === 0 || attachments.length < parents.length) return // the other listeners are not known here
    const route = nameOf(manifest.ref)
    for (const { parent, gateway } of attachments) {
      const section = parent.sectionName.string
      const all = [...gateway.root.at('spec', 'listeners').items()].map((listener) => listener.at('name').string ?? '')
      if (!section || all.includes(section) || isPlaceholder(section) || all.some(isPlaceholder)) continue
      const args = { route, gateway: nameOf(gateway.ref), section, names: namedHosts(all) }
      report([parent.sectionName, gateway.root.at('spec', 'listeners')], 'noListener', args, { keys: [section] })
    }
    for (const { parent, gateway } of attachments) {
      const named = selectedListeners(gateway, { ...parent, port: undefined })
      const ports = [...new Set(named.map((listener) => listener.at('port').value))]
      const areNumbers = [parent.port, ...ports].every((port) => typeof port === 'number')
      if (named.length === 0 || !areNumbers || ports.includes(parent.port)) continue
      const args = {
        route,
        gateway: nameOf(gateway.ref),
        port: String(parent.port),
        ports: namedHosts(ports.map(String)),
      }
      report([parent.at.at('port'), gateway.root.at('spec', 'listeners')], 'noPort', args, { keys: [args.port] })
    }
    const protocols = entryOf(routeProtocols, groupKindOf(manifest.ref)) ?? []
    const listeners = attachments
      .flatMap((attachment) => attachment.listeners)
      .filter((listener) => protocols.includes(listener.at('protocol').string ?? ''))
    if (listeners.length === 0) {
      const others = attachments.flatMap((attachment) => attachment.listeners)
      const [first] = parents
      if (others.length === 0 || !first) return
      const args = { route, listeners: inWords(others), kind: manifest.ref.kind, wanted: protocols.join(' or ') }
      report(first.at, 'wrongProtocol', args, { keys: parents.flatMap(({ name }) => name.string ?? []) })
      return
    }
    if (listeners.every((listener) => letsIn(listener, manifest, snapshot) === false)) {
      const [first] = parents
      const args = { route, namespace: manifest.ref.namespace, listeners: inWords(listeners) }
      if (first) report(first.at, 'notAllowed', args, { keys: parents.flatMap(({ name }) => name.string ?? []) })
    }
    const hostnames = listeners.map((listener) => listener.at('hostname').string)
    for (const at of manifest.root.at('spec', 'hostnames').items()) {
      const host = at.string?.toLowerCase()
      if (!host) continue
      const isFilled = isPlaceholder(host) || hostnames.some((name) => isPlaceholder(name ?? ''))
      if (!hostnames.some((name) => intersect(host, name))) {
        if (!hostnames.every((name) => areComparable(name ?? '', host))) {
          skip(at, `whether a listener accepts ${at.string} is unknown until its hostname is filled in`)
          continue
        }
        const gateways = [...new Set(attachments.map(({ gateway }) => nameOf(gateway.ref)))].join(' and ')
        const names = namedHosts([...new Set(hostnames.flatMap((name) => name ?? []))])
        const ends = new Map(listeners.map((listener) => [listener.manifest, listener.at('hostname')]))
        const args = { host: at.string ?? host, route, gateways, names }
        report([at, ...ends.values()], isFilled ? 'neverAttached' : 'unattached', args, { keys: [host] })
        continue
      }
      for (const listener of servingOver(listeners, host)) {
        const certificates = certificatesOf(snapshot, listener)
        const [first] = certificates
        if (!first || certificates.some((certificate) => certificate.covers(host))) continue
        if (isFilled) {
          skip(at, `whether the certificate of a listener covers ${at.string} is unknown until it is filled in`)
          continue
        }
        const gateway = nameOf(listener.manifest.ref)
        const names = namedHosts([...new Set(certificates.flatMap((certificate) => certificate.names))])
        const ends = [at, listener.at('hostname'), ...(first.manifest === listener.manifest ? [] : [first.at])]
        const args = { host, listener: listener.at('name').string ?? '', gateway, names }
        report(ends, 'notCertified', args, { keys: [host] })
      }
    }
  },
  checkChange({ change, base, head, report }) {
    if (change.kind === 'removed' || !routeKinds.includes(groupKindOf(change.after.ref))) return
    const before = change.kind === 'changed' ? (parentsOf(change.before) ?? []) : []
    for (const parent of parentsOf(change.after) ?? []) {
      if (before.some((one) => isSameGateway(one, parent))) continue
      const others = (side: Snapshot) => othersBeside(change.after, side)
      // So may its route, which looks for the Gateway beside it.
      const isMoved = before.some(({ name, at }) => name.string === parent.name.string && at.at('namespace').exists)
      const isSupposed = !isMoved && !parent.at.at('namespace').exists && isInSupposedNamespace(change.after)
      if (isSupposed && head.ofKind(gatewayKind).some(({ ref }) => ref.name === parent.name.string)) continue
      const missing = missingGateway(parent, { base, head, others })
      if (!missing) continue
      const { as, beside, meant } = missing
      const name = parent.name.string ?? ''
      const args = {
        route: nameOf(change.after.ref),
        gateway: `the Gateway ${parent.namespace}/${name}`,
        known: namedHosts(beside.map(({ ref }) => nameOf(ref))),
      }
      const other = beside[0] ?? meant?.gateway
      const ends = [parent.at, ...(other ? [other.root] : [])]
      const more = { keys: [`${parent.namespace}/${name}`], ...(as && { before: as }) }
      if (meant) {
        const { ref } = meant.gateway
        const named = { name, own: parent.namespace, meant: nameOf(ref), namespace: ref.namespace, right: ref.name }
        report(ends, meant.by, { ...args, ...named }, more)
      } else if (as) report(ends, as, args, more)
    }
  },
})

function isSameGateway(one: Parent, other: Parent): boolean {
  return one.namespace === other.namespace && one.name.string === other.name.string
}

/** The parents of the routes of a side besides one. */
function othersBeside(route: Manifest, side: Snapshot): Parent[] {
  return routeKinds
    .flatMap((kind) => side.ofKind(kind))
    .filter((other) => identityOf(other.ref) !== identityOf(route.ref))
    .flatMap((other) => parentsOf(other) ?? [])
}

/** `the listener https of Gateway edge/public`, with its protocol. */
function inWords(listeners: readonly Cursor[]): string {
  const gateways = [...new Set(listeners.map(({ manifest }) => nameOf(manifest.ref)))].join(' and ')
  const names = listeners.map((one) => `${one.at('name').string ?? ''} (${one.at('protocol').string ?? ''})`)
  return `the ${names.length > 1 ? 'listeners' : 'listener'} ${abridged(names)} of ${gateways}`
}

/**
 * Among the listeners that terminate TLS for a host, on each Gateway and port the one with the longest hostname: it
 * gets the requests.
 */
function servingOver(listeners: readonly Cursor[], host: string): Cursor[] {
  const best = new Map<string, Cursor>()
  const length = (listener: Cursor) => {
    const name = listener.at('hostname').string ?? ''
    return name === host ? Number.POSITIVE_INFINITY : name.length
  }
  for (const listener of listeners) {
    const endsTls = listener.at('protocol').string !== 'HTTP' && listener.at('tls', 'mode').string !== 'Passthrough'
    if (!endsTls || !intersect(host, listener.at('hostname').string)) continue
    const key = JSON.stringify([nameOf(listener.manifest.ref), listener.at('port').value])
    const known = best.get(key)
    if (!known || length(listener) > length(known)) best.set(key, listener)
  }
  return [...best.values()]
}

/** The certificates of a listener; none unless those of every reference are known. */
function certificatesOf(snapshot: Snapshot, listener: Cursor): KnownCertificate[] {
  const refs = [...listener.at('tls', 'certificateRefs').items()]
  const secrets = certificateRefs(listener)
  if (secrets.length < refs.length) return []
  const known = secrets.map(({ name, namespace }) =>
    certificatesBehind(snapshot, listener.manifest, name.string ?? '', namespace),
  )
  return known.every((certificates) => certificates) ? known.flatMap((certificates) => certificates ?? []) : []
}
