import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds } from '../../kubernetes/controllers/controller'
import {
  isPlaceholder,
  namesCovering,
  routedHosts,
  type TlsEntry,
  tlsEntries,
  writtenHost,
} from '../../kubernetes/ingress/ingress'
import { controllerAt } from '../../kubernetes/ingress/ingress-class'
import { ListedNames } from '../../kubernetes/ingress/listed-names'
import { routerKind } from '../../kubernetes/ingress/openshift-router'
import { areComparable } from '../../kubernetes/ingress/placeholder'
import { hasRouteWithTls, marksOfRouters } from '../../kubernetes/ingress/route-of-ingress'
import { certificatesBehind } from '../../kubernetes/tls/certificate'
import {
  certificateChoice,
  controllerNames,
  mayBeIngressNginx,
  outcomeWithout,
  servedByCertificate,
  tlsStoreKinds,
} from '../../kubernetes/tls/certificate-choice'
import { producerKinds } from '../../kubernetes/tls/tls-producer'
import { abridged } from '../../listing'
import { isOfSample } from '../../manifest/assumption'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { appended } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'
const classKind = 'IngressClass.networking.k8s.io'

export default defineRule({
  id: 'ingress-tls/host-covered',
  summary: 'Every host that an Ingress routes is listed in one of its TLS entries.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: [ingressKind],
  reads: [
    classKind,
    ...producerKinds.filter((kind) => kind !== ingressKind),
    ...controllerKinds,
    ...releaseKinds,
    ...tlsStoreKinds,
    routerKind,
  ],
  assumed: true,
  messages: {
    uncovered: ({ host, otherwise }: { host: string; otherwise: string }) =>
      `No entry of spec.tls lists ${host}, so ${otherwise}. Add ${host} to the hosts of the entry whose certificate covers it.`,
    unlisted: ({
      host,
      name,
      product,
      otherwise,
    }: {
      host: string
      name: string
      product: string
      otherwise: string
    }) =>
      `${product} matches the hosts of spec.tls exactly, so ${name} does not cover ${host}: ${otherwise}. Add ${host} to that entry too.`,
    noSecret: ({ host, product, otherwise }: { host: string; product: string; otherwise: string }) =>
      `The TLS entry that lists ${host} has no secretName, so ${product} ignores it: ${otherwise}. Set its secretName.`,
    byCertificate: ({ secret, hosts }: { secret: string; hosts: string }) =>
      `The TLS entry with the Secret ${secret} lists no hosts, so only the certificate decides whether it serves ${hosts}; Contour, Kong and F5's NGINX controller ignore such an entry. List its hosts.`,
    // Source: https://github.com/kubernetes/ingress-nginx/issues/2043
    redirect: ({ host, twin }: { host: string; twin: string }) =>
      `from-to-www-redirect redirects ${twin} to ${host}, but no entry of spec.tls lists ${twin}, so browsers reject its certificate before the redirect. Add ${twin} to the hosts of the entry that lists ${host}.`,
  },
  later: { unlisted: '1.1.0', noSecret: '1.1.0', byCertificate: '1.1.0', redirect: '1.1.0' },
  putBack: { byCertificate: 'nothing' },
  *partners(manifest) {
    if (manifest.ref.kind === 'IngressClass') yield manifest.ref.name
    if (manifest.ref.kind === 'Ingress') yield* partnersOfIngress(manifest)
  },
  check({ manifest, snapshot, report, skip }) {
    const entries = tlsEntries(manifest)
    if (entries.length === 0) return // plain HTTP is not this rule's business
    const names = entries.flatMap((entry) => entry.hosts)
    const filled = names.filter((name) => isPlaceholder(name.string ?? ''))
    const isFilled = filled.length > 0
    const choice = certificateChoice(snapshot, manifest)
    const listed = new ListedNames(
      entries.flatMap((entry) => entry.hosts.map((name) => [name, { entry, name }] as const)),
    )
    const holdersOf = (host: string) => (choice?.by === 'exactHosts' ? listed.exactly(host) : listed.covering(host))
    const gaps = [...routedHosts(manifest)].filter(([host]) => holdersOf(host).length === 0)
    const naming = namingEntries(manifest, entries)

    const byCertificate = entries.find((entry) => entry.hosts.length === 0 && entry.secretName.string)
    if (byCertificate && !isFilled && mayBeIngressNginx(choice)) {
      const secret = byCertificate.secretName.string ?? ''
      const keys = gaps.map(([host]) => host).filter((host) => !isPlaceholder(host))
      // For known certificates, certificate-covers-host checks the names.
      const isCertificateKnown = certificatesBehind(snapshot, manifest, secret) !== undefined
      const hosts = abridged(keys)
      if (keys.length > 0 && !isCertificateKnown)
        report(byCertificate.secretName, 'byCertificate', { secret, hosts }, { keys })
      return
    }

    const isSupposed = names.length > 0 && names.every(({ string = '' }) => isOfSample(string))
    for (const [host, at] of gaps) {
      if (hasRouteWithTls(manifest, host, snapshot)) {
        skip(
          at,
          `OpenShift serves ${host} with the certificate of its router, or lets Pods end TLS, by route.openshift.io/termination`,
        )
        continue
      }
      if (isSupposed && !isOfSample(host)) {
        skip(at, `whether a TLS entry lists ${host} is unknown, as its hosts were supposed`)
        continue
      }
      const unclear = (isPlaceholder(host) ? names : filled).find(({ string = '' }) => !areComparable(string, host))
      if (unclear || (isPlaceholder(host) && choice?.asksCertificates)) {
        const what = isPlaceholder(host) ? `host ${writtenHost(at, host)}` : `TLS host ${unclear?.string}`
        skip(isPlaceholder(host) ? at : (unclear ?? at), `the ${what} is filled in before it reaches the cluster`)
        continue
      }
      const service = choice?.asksCertificates ? servedByCertificate(snapshot, manifest, host, choice) : 'unserved'
      if (service === 'unknown') skip(at, `whether a certificate of ${choice?.product} covers ${host} is unknown`)
      if (service !== 'unserved') continue
      const otherwise = outcomeWithout(choice)
      const fix = listedWith(host, manifest, naming, snapshot)
      const [wildcard] = listed.covering(host)
      if (wildcard && choice) {
        const args = {
          host: writtenHost(at, host),
          name: wildcard.name.string ?? '',
          product: choice.product,
          otherwise,
        }
        report([at, ...controllerAt(snapshot, manifest)], 'unlisted', args, { keys: [host], ...fix })
      } else report(at, 'uncovered', { host: writtenHost(at, host), otherwise }, { keys: [host], ...fix })
    }

    if (isFilled) return
    if (choice?.needsSecret) {
      const { product } = choice
      const otherwise = outcomeWithout(choice)
      for (const [host] of routedHosts(manifest)) {
        const [first, ...more] = holdersOf(host)
        if (!first || [first, ...more].some(({ entry }) => entry.secretName.string)) continue
        const ends = [first.entry.secretName, ...controllerAt(snapshot, manifest)]
        report(ends, 'noSecret', { host, product, otherwise }, { keys: [host] })
      }
    }

    if (!mayBeIngressNginx(choice)) return
    for (const [host, twin, at] of redirected(manifest)) {
      const [holder] = holdersOf(host)
      if (!holder || holdersOf(twin).length > 0) continue
      const known = certificatesBehind(snapshot, manifest, holder.entry.secretName.string ?? '')
      // The controller asks the certificate of the host; an annotation may have put the other name into it.
      if (known?.some((certificate) => certificate.covers(twin))) continue
      report(at, 'redirect', { host, twin }, { keys: [twin], ...listedWith(twin, manifest, naming, snapshot) })
    }
  },
})

function* partnersOfIngress(ingress: Manifest): Generator<string> {
  const entries = tlsEntries(ingress)
  const exact = new Set(entries.flatMap(({ hosts }) => hosts.map((name) => name.string?.toLowerCase())))
  const open = [...routedHosts(ingress).keys()].filter((host) => !exact.has(host))
  if (entries.length === 0 || (open.length === 0 && redirected(ingress).length === 0)) return
  yield* controllerNames
  yield* marksOfRouters(ingress)
  for (const { secretName } of entries) if (secretName.string) yield secretName.string
  for (const host of open) yield* [host, `*${host.slice(host.indexOf('.'))}`]
  yield* ['default-ssl-certificate', 'kind: TLSStore']
}

/** Each host that from-to-www-redirect gives a second name which no rule routes, with that name. */
function redirected(ingress: Manifest): [host: string, twin: string, at: Cursor][] {
  const annotation = ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/from-to-www-redirect')
  const hosts = routedHosts(ingress)
  if (annotation.string !== 'true') return []
  return [...hosts].flatMap(([host, at]): [string, string, Cursor][] => {
    const twin = host.startsWith('www.') ? host.slice(4) : `www.${host}`
    return host.startsWith('*.') || isPlaceholder(host) || hosts.has(twin) ? [] : [[host, twin, at]]
  })
}

/** The entries that name a host of the Ingress's rules. */
function namingEntries(ingress: Manifest, entries: readonly TlsEntry[]): readonly TlsEntry[] {
  const routed = new Set([...routedHosts(ingress).keys()].flatMap(namesCovering))
  return entries.filter(({ hosts }) => hosts.some(({ string = '' }) => routed.has(string.toLowerCase())))
}

/**
 * The edit that lists a host in the one entry that names another host of the Ingress's rules, if its certificate can
 * serve it.
 *
 * @param naming the entries that name a host of its rules
 */
function listedWith(host: string, ingress: Manifest, naming: readonly TlsEntry[], snapshot: Snapshot): { fix?: Fix } {
  const [entry] = naming
  if (!entry || naming.length > 1) return {}
  const known = certificatesBehind(snapshot, ingress, entry.secretName.string ?? '')
  const fits = known?.every((one) => one.manifest === ingress || one.covers(host)) ?? true
  const fix = fits ? appended(entry.at.at('hosts'), host) : undefined
  return fix ? { fix } : {}
}
