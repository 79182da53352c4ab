import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { certificatesBehind, type KnownCertificate, namedHosts } from '../../kubernetes/tls/certificate'
import {
  gatewayOf,
  intersect,
  type Parent,
  parentsOf,
  routeProtocols,
  selectedListeners,
} from '../../kubernetes/tls/gateway-route'
import { certificateRefs } from '../../kubernetes/tls/gateway-tls'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Attachment {
  readonly parent: Parent
  readonly gateway: Manifest
  readonly listeners: readonly Cursor[]
}

const gatewayKind = 'Gateway.gateway.networking.k8s.io'

export default defineRule({
  id: 'ingress-tls/route-attached',
  summary: 'Every hostname of a route matches a listener, and the certificate of that listener covers it.',
  since: '1.2.0',
  scope: 'snapshot',
  kinds: Object.keys(routeProtocols),
  reads: producerKinds,
  subjects: [{ kinds: [gatewayKind, ...Object.keys(routeProtocols)] }],
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
    unattached: ({ host, route, gateways, names }: { host: string; route: string; gateways: string; names: string }) =>
      `No listener of ${gateways} that ${route} names accepts ${host}: they accept ${names}, so this host is not served. Add a listener with this hostname, or use a hostname that a listener accepts.`,
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
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'Gateway') {
      yield manifest.ref.name
      for (const { name } of namedSecrets(manifest)) yield name
    } else for (const { name } of parentsOf(manifest) ?? []) if (name.string) yield name.string
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
    const protocols = entryOf(routeProtocols, groupKindOf(manifest.ref)) ?? []
    const listeners = attachments
      .flatMap((attachment) => attachment.listeners)
      .filter((listener) => protocols.includes(listener.at('protocol').string ?? ''))
    if (listeners.length === 0) return
    const hostnames = listeners.map((listener) => listener.at('hostname').string)
    for (const at of manifest.root.at('spec', 'hostnames').items()) {
      const host = at.string?.toLowerCase()
      if (!host) continue
      if (isPlaceholder(host) || hostnames.some((name) => isPlaceholder(name ?? ''))) {
        skip(at, `whether a listener accepts ${at.string} is unknown until its hostname is filled in`)
        continue
      }
      if (!hostnames.some((name) => intersect(host, name))) {
        const gateways = [...new Set(attachments.map(({ gateway }) => nameOf(gateway.ref)))].join(' and ')
        const names = namedHosts([...new Set(hostnames.flatMap((name) => name ?? []))])
        const ends = new Map(listeners.map((listener) => [listener.manifest, listener.at('hostname')]))
        report([at, ...ends.values()], 'unattached', { host, route, gateways, names }, { keys: [host] })
        continue
      }
      for (const listener of servingOver(listeners, host)) {
        const certificates = certificatesOf(snapshot, listener)
        const [first] = certificates
        if (!first || certificates.some((certificate) => certificate.covers(host))) continue
        const gateway = nameOf(listener.manifest.ref)
        const names = namedHosts([...new Set(certificates.flatMap((certificate) => certificate.names))])
        const ends = [at, listener.at('hostname'), ...(first.manifest === listener.manifest ? [] : [first.at])]
        const args = { host, listener: listener.at('name').string ?? '', gateway, names }
        report(ends, 'notCertified', args, { keys: [host] })
      }
    }
  },
})

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
