import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  controllersOf,
} from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { covers, isPlaceholder, routedHosts, type TlsEntry, tlsEntries } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { isGeneratedTokenName } from '../../kubernetes/object/secret'
import { marksOfPanicking, panicsOnCa } from '../../kubernetes/tls/ca-panic'
import { certificatesBehind } from '../../kubernetes/tls/certificate'
import { isCanary, storedAs } from '../../kubernetes/tls/ingress-nginx'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const classKind = 'IngressClass.networking.k8s.io'

interface Crash {
  host: string
  secret: string
  controller: string
  release: string
}

const outcome = 'and crashes: all its replicas exit, and all their hosts go down'
const remedy = 'Name a Secret that has tls.crt and tls.key'

export default defineRule({
  id: 'ingress-tls/controller-crash',
  summary: 'No Ingress crashes the ingress-nginx controllers of its cluster.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  reads: [...producerKinds, ...controllerKinds, ...releaseKinds, classKind],
  subjects: [{ kinds: ['Ingress.networking.k8s.io'] }],
  messages: {
    unlistedHost: ({ host, secret, controller, release }: Crash) =>
      `No entry of spec.tls lists ${host}, so ${controller} (ingress-nginx ${release}) reads ${secret}, which holds a CA but no certificate, ${outcome}. ${remedy}, and list ${host} in its entry; ingress-nginx 1.0.0 fixes this crash.`,
    listedHost: ({ host, secret, controller, release }: Crash) =>
      `For ${host}, ${controller} (ingress-nginx ${release}) reads ${secret}, which holds a CA but no certificate, ${outcome}. ${remedy}; ingress-nginx 0.31.0 fixes this crash, and 1.0.0 a related one.`,
  },
  *partners(manifest) {
    if (manifest.ref.kind === 'Ingress') yield* partnersOfIngress(manifest)
    else for (const { name } of secretsMadeBy(manifest)) yield name
    // Each Ingress that names a Secret may be the one on which this release crashes.
    if (controllersOf(manifest).some((one) => panicsOnCa(one, 'unlisted'))) yield 'secretName'
  },
  check({ manifest, snapshot, report, skip }) {
    if (isCanary(manifest)) return
    const controller = controllersHere(snapshot).find(
      (one) => panicsOnCa(one, 'unlisted') && takesIngress(one, manifest, snapshot),
    )
    if (!controller) return
    for (const [host, at] of routedHosts(manifest)) {
      const { entry, unsure } = fatalEntry(controller, manifest, host, snapshot)
      if (unsure) skip(unsure.secretName, `whether its Secret ${unsure.secretName.string} holds only a CA is unknown`)
      if (!entry || hasCertificate(controller, manifest, host, snapshot)) continue
      const name = entry.secretName.string ?? ''
      const secret = nameOf({ group: '', kind: 'Secret', namespace: manifest.ref.namespace, name })
      const listed = lists(entry, host)
      report(
        [at, entry.secretName, controller.image],
        listed ? 'listedHost' : 'unlistedHost',
        { host, secret, controller: nameOf(controller.manifest.ref), release: controller.release ?? '' },
        { keys: [host, name] },
      )
    }
  },
})

function* partnersOfIngress(ingress: Manifest): Generator<string> {
  const names = tlsEntries(ingress).flatMap(({ secretName }) => secretName.string ?? [])
  if (names.length === 0) return
  yield* marksOfPanicking
  yield* names
  // The default class is that of an Ingress which names none.
  if (classOf(ingress) === undefined) yield 'is-default-class'
  yield* routedHosts(ingress).keys()
}

/**
 * The entry with the Secret that crashes the controller when it looks for the certificate of a host. The controller
 * uses the entry that lists exactly this host; without one, it checks each certificate in order, up to the first that
 * matches. Source: controller-v0.46.0, internal/ingress/controller/controller.go (extractTLSSecretName, createServers)
 */
function fatalEntry(
  controller: Controller,
  ingress: Manifest,
  host: string,
  snapshot: Snapshot,
): { entry?: TlsEntry; unsure?: TlsEntry } {
  const entries = tlsEntries(ingress)
  if (entries.some(({ hosts }) => hosts.some((name) => isPlaceholder(name.string ?? ''))) || isPlaceholder(host))
    return {}
  const listing = entries.find((entry) => lists(entry, host))
  if (listing) {
    const dies = panicsOnCa(controller, 'listed') && holds(listing, ingress, snapshot) === 'ca'
    return dies ? { entry: listing } : {}
  }
  for (const entry of entries.filter(({ secretName }) => secretName.string)) {
    const held = holds(entry, ingress, snapshot)
    if (held === 'ca') return { entry }
    if (held === 'unknown') return { unsure: entry }
    if (held !== 'nothing' && fits(entry, ingress, host, snapshot)) return {}
  }
  return {}
}

/** Whether the certificate of an entry covers a host; if it is unknown, by the entry's own names. */
function fits(entry: TlsEntry, ingress: Manifest, host: string, snapshot: Snapshot): boolean {
  const known = certificatesBehind(snapshot, ingress, entry.secretName.string ?? '')
  if (known) return known.some((certificate) => certificate.covers(host))
  return entry.hosts.length === 0 || entry.hosts.some((name) => covers(name.string ?? '', host))
}

function lists(entry: TlsEntry, host: string): boolean {
  return entry.hosts.some((name) => name.string?.toLowerCase() === host)
}

/** The content of the Secret of an entry, as the controller reads it; undefined for one that only the cluster has. */
function holds(entry: TlsEntry, ingress: Manifest, snapshot: Snapshot): ReturnType<typeof storedAs> | undefined {
  const name = entry.secretName.string ?? ''
  const copies = snapshot.get({ group: '', kind: 'Secret', namespace: ingress.ref.namespace, name })
  if (copies.length === 0) return isGeneratedTokenName(name) ? 'ca' : undefined
  const held = new Set(copies.map(storedAs))
  return held.size === 1 ? [...held][0] : undefined
}

/** Whether another Ingress gives a host its certificate, which may end the search before this one is checked. */
function hasCertificate(controller: Controller, ingress: Manifest, host: string, snapshot: Snapshot): boolean {
  return snapshot
    .ofKind('Ingress.networking.k8s.io')
    .some(
      (other) =>
        identityOf(other.ref) !== identityOf(ingress.ref) &&
        !isCanary(other) &&
        takesIngress(controller, other, snapshot) &&
        routedHosts(other).has(host) &&
        tlsEntries(other).length > 0 &&
        !fatalEntry(controller, other, host, snapshot).entry,
    )
}
