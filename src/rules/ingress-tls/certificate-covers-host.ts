import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersHere, marksOfControllers } from '../../kubernetes/controllers/controller'
import {
  covers,
  isPlaceholder,
  routedHosts,
  type TlsEntry,
  tlsEntries,
  tlsSecretNames,
} from '../../kubernetes/ingress/ingress'
import { certificatesBehind, type KnownCertificate, namedHosts } from '../../kubernetes/tls/certificate'
import { certificateChoice, controllerNames, tlsStoreKinds } from '../../kubernetes/tls/certificate-choice'
import { isTraefikRoute, routeClaimKinds, routeClaims } from '../../kubernetes/tls/route-claim'
import { loadedSecretsIn } from '../../kubernetes/tls/secret-claims'
import type { TlsClaim } from '../../kubernetes/tls/tls-claim'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { appended } from '../../rule/fix'
import { defineRule, type Fix, type ReportFunction } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

interface Misfit {
  readonly host: string
  readonly ingress: string
  readonly names: string
}

const messages = {
  notInSecret: ({ host, ingress, names, source }: Misfit & { source: string }) =>
    `The certificate in ${source} is for ${names}, but ${ingress} uses it for ${host}, so clients reject it. Replace it with a certificate for ${host}, or name the Secret that holds one.`,
  notRequested: ({ host, ingress, names, source }: Misfit & { source: string }) =>
    `${source} requests a certificate for ${names}, but ${ingress} uses it for ${host}, so clients reject it. Add ${host} to its dnsNames, or name the Secret that holds a certificate for it.`,
  notShared: ({ host, ingress, names, source }: Misfit & { source: string }) =>
    `cert-manager creates this certificate for ${source}, with ${names}, but ${ingress} uses it for ${host}, so clients reject it. Name another Secret here, or add ${host} to the TLS entry of ${source}.`,
  inNoEntry: ({ host, ingress, names }: Misfit) =>
    `No TLS entry of ${ingress} lists ${host}, and none of their certificates covers it: they are for ${names}. Add ${host} to an entry whose Secret holds a certificate for it.`,
  // Source: https://github.com/projectcontour/contour, internal/dag/httpproxy_processor.go: the Secret of an HTTPProxy
  // serves its fqdn alone, whatever its certificate names.
  notInProxy: ({ host, proxy, names, source }: Omit<Misfit, 'ingress'> & Record<'proxy' | 'source', string>) =>
    `${source} is for ${names}, but ${proxy} serves ${host} with its certificate, so clients reject it. Name a Secret with a certificate for ${host}.`,
  // Source: https://github.com/traefik/traefik, pkg/tls/tlsmanager.go: the server name picks among the certificates of all routes
  notInRoute: ({ host, route, names, source }: Omit<Misfit, 'ingress'> & Record<'route' | 'source', string>) =>
    `${source} is for ${names}, but ${route} serves ${host} with its certificate, and no other route has Traefik load one for that host, so clients get its default certificate and reject it. Add ${host} to the certificate, or name a Secret with one for it.`,
}

export default defineRule({
  id: 'ingress-tls/certificate-covers-host',
  summary: 'The certificate of a TLS entry covers the hosts it is used for.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [ingressKind, ...routeClaimKinds],
  reads: [
    ...producerKinds.filter((kind) => kind !== ingressKind),
    'IngressClass.networking.k8s.io',
    ...tlsStoreKinds,
    ...controllerKinds,
    ...releaseKinds,
  ],
  subjects: [{ kinds: [ingressKind, ...routeClaimKinds] }],
  messages,
  later: { notInProxy: '1.8.0', notInRoute: '1.29.0' },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'IngressClass') yield manifest.ref.name
    const claims = routeClaims(manifest)
    for (const { secret } of claims) yield secret
    // Each route of Traefik has it load a certificate that others may be served with.
    if (isTraefikRoute(manifest) && claims.length > 0) yield* ['IngressRoute', 'TLSStore', ...marksOfControllers]
    if (groupKindOf(manifest.ref) !== ingressKind) return
    yield* tlsSecretNames(manifest).keys()
    if (listsTwice(tlsEntries(manifest))) yield* controllerNames
  },
  check({ manifest, snapshot, report, skip }) {
    for (const claim of routeClaims(manifest)) checkRoute(claim, snapshot, report, skip)
    if (groupKindOf(manifest.ref) !== ingressKind || isServedElsewhere(manifest)) return
    const entries = tlsEntries(manifest).map((entry) => {
      const { string: name } = entry.secretName
      return { ...entry, certificates: name ? certificatesBehind(snapshot, manifest, name) : undefined }
    })
    if (!entries.some(({ certificates }) => certificates)) return
    for (const [host, served] of servedHosts(manifest, entries)) {
      const exact = entries.filter((entry) => nameIn(entry, (name) => name === host))
      // A host that entries list is served with the Secret of the first one, or with the default certificate if that
      // has none; any other host with the first certificate that names it, ignoring entries without a Secret:
      // ingress-nginx controller-v1.15.1, internal/ingress/controller/controller.go, extractTLSSecretName. Other
      // controllers use another of the entries that list it.
      const isFirst = exact.length > 1 && certificateChoice(snapshot, manifest)?.name === 'ingress-nginx'
      const withSecret = entries.filter(({ secretName }) => secretName.string)
      const candidates = exact.length > 0 ? exact.slice(0, isFirst ? 1 : exact.length) : withSecret
      const certificates = certificatesOf(candidates)
      const [first] = certificates
      if (!first || certificates.some((certificate) => certificate.covers(host))) continue
      if (isPlaceholder(host)) {
        skip(served, `the host ${served.string} is filled in before it reaches the cluster`)
        continue
      }
      const at = candidates.map((entry) => nameIn(entry, (name) => covers(name, host))).find((name) => name)
      // cert-manager will request it as soon as an entry names it, which host-covered reports.
      if (!at && certificates.some((certificate) => certificate.manifest === manifest)) continue
      const names = namedHosts([...new Set(certificates.flatMap((certificate) => certificate.names))])
      const misfit = { host, ingress: nameOf(manifest.ref), names, source: nameOf(first.manifest.ref) }
      const places = new Map(certificates.map((certificate) => [certificate.manifest, certificate.at]))
      const ends = [at ?? served, ...places.values()]
      const fix = certificates.length === 1 && at ? requesting(first, host) : undefined
      report(ends, at ? messageOf(first) : 'inNoEntry', misfit, { keys: [host], ...(fix && { fix }) })
    }
  },
})

/** The certificate of an HTTPProxy, which may be in another namespace, or of a route of Traefik. */
function checkRoute(
  { host, secret, namespace, at }: TlsClaim,
  snapshot: Snapshot,
  report: ReportFunction<typeof messages>,
  skip: (at: Cursor, reason: string) => void,
): void {
  const { manifest } = at
  const certificates = certificatesBehind(snapshot, manifest, secret, namespace) ?? []
  const [first] = certificates
  if (!first || certificates.some((certificate) => certificate.covers(host))) return
  const isOfTraefik = isTraefikRoute(manifest)
  if (isOfTraefik && mayBeLoaded(host, snapshot)) return
  if (isPlaceholder(host)) {
    skip(at, `the host ${host} is filled in before it reaches the cluster`)
    return
  }
  const names = namedHosts([...new Set(certificates.flatMap((one) => one.names))])
  const args = { host, names, source: nameOf(first.manifest.ref) }
  const ends = [at, ...certificates.map((one) => one.at)]
  const named = nameOf(manifest.ref)
  const fix = certificates.length === 1 ? requesting(first, host) : undefined
  if (isOfTraefik) report(ends, 'notInRoute', { ...args, route: named }, { keys: [host], ...(fix && { fix }) })
  else report(ends, 'notInProxy', { ...args, proxy: named }, { keys: [host] })
}

/** Whether Traefik may load another certificate for a host, or has a default one that may be for it. */
function mayBeLoaded(host: string, snapshot: Snapshot): boolean {
  if (controllersHere(snapshot).some(({ defaultCertificate }) => defaultCertificate)) return true
  return loadedSecretsIn(snapshot).some(({ at, namespace, secret }) => {
    const known = certificatesBehind(snapshot, at.manifest, secret, namespace)
    return !known || known.some((one) => one.covers(host))
  })
}

/** The certificates behind some entries; none unless those of every entry are known. */
function certificatesOf(entries: readonly { certificates: KnownCertificate[] | undefined }[]): KnownCertificate[] {
  return entries.every(({ certificates }) => certificates)
    ? entries.flatMap(({ certificates }) => certificates ?? [])
    : []
}

/** Adds a host to the names of a Certificate. */
function requesting({ manifest }: KnownCertificate, host: string): Fix | undefined {
  return manifest.ref.kind === 'Certificate' ? appended(manifest.root.at('spec', 'dnsNames'), host) : undefined
}

function messageOf({ manifest }: KnownCertificate): 'notInSecret' | 'notRequested' | 'notShared' {
  if (manifest.ref.kind === 'Secret') return 'notInSecret'
  return manifest.ref.kind === 'Certificate' ? 'notRequested' : 'notShared'
}

/** Whether several entries list one host. */
function listsTwice(entries: readonly TlsEntry[]): boolean {
  const listed = entries.flatMap(({ hosts }) => [...new Set(hosts.map(({ string }) => string?.toLowerCase()))])
  return new Set(listed).size < listed.length
}

function nameIn(entry: TlsEntry, wanted: (name: string) => boolean): Cursor | undefined {
  return entry.hosts.find((name) => name.string && wanted(name.string.toLowerCase()))
}

/**
 * Whether the TLS entries of an Ingress have no effect: a canary's are not read, and passed-through TLS ends elsewhere.
 */
function isServedElsewhere(ingress: Manifest): boolean {
  const annotations = ingress.root.at('metadata', 'annotations')
  return ['canary', 'ssl-passthrough'].some(
    (name) => annotations.at(`nginx.ingress.kubernetes.io/${name}`).string === 'true',
  )
}

/** The hosts that need a certificate: routed hosts, and hosts only in an entry that some route matches anyway. */
function servedHosts(ingress: Manifest, entries: readonly TlsEntry[]): Map<string, Cursor> {
  const spec = ingress.root.at('spec')
  const rules = [...spec.at('rules').items()]
  const takesAll =
    rules.some((rule) => !rule.at('host').exists) || spec.at('defaultBackend').exists || spec.at('backend').exists
  const redirects = ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/from-to-www-redirect')
  const hosts = routedHosts(ingress)
  const isTaken = (name: string) =>
    takesAll || rules.length === 0 || (redirects.string === 'true' && hosts.has(twinOf(name)))
  const named = entries
    .flatMap((entry) => entry.hosts)
    .filter((name) => name.string && isTaken(name.string.toLowerCase()))
  return new Map([...named.map((name) => [name.string?.toLowerCase() ?? '', name] as const), ...hosts])
}

/** The other name of a host under from-to-www-redirect. */
function twinOf(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : `www.${host}`
}
