import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { covers, isPlaceholder, tlsEntries } from '../ingress/ingress'
import { mayBecome } from '../ingress/placeholder'
import { shareNamespace } from '../object/namespace'
import { requestedNames } from './requested-names'
import { producersOf } from './tls-producer'

/** Objects that request one Secret from cert-manager, each for other names: the certificate is for the names of one object. */
export interface SharedSecret {
  readonly secret: string
  /** By their identities; the first one reports it for all. */
  readonly objects: readonly Manifest[]
  readonly ends: readonly Cursor[]
  /** The names that each of them requests. */
  readonly requests: readonly (readonly string[])[]
  /** All names, each once. */
  readonly names: readonly string[]
}

/** The Ingresses that request a Secret for different hosts, where this one is the first of them. */
export function secretOfIngresses(ingress: Manifest, secret: string, snapshot: Snapshot): SharedSecret | undefined {
  // If the Secret has its own Certificate object, cert-manager does not create another one.
  const producers = producersOf(snapshot, ingress.ref.namespace, secret)
  if (producers.some(({ manifest }) => manifest.ref.kind === 'Certificate')) return undefined
  const shared = sharedBy('Ingress', ingress, secret, snapshot, (one) =>
    tlsEntries(one)
      .filter((entry) => entry.secretName.string === secret)
      .flatMap((entry) => entry.hosts.flatMap((host) => host.string ?? [])),
  )
  // The Ingress with the hosts of all others may have been created first, and then all hosts are certified.
  return shared?.requests.some((hosts) => mayBeForAll(hosts, shared.names)) ? undefined : shared
}

/** Whether a certificate for some hosts may be for all, whatever is filled in. */
function mayBeForAll(hosts: readonly string[], all: readonly string[]): boolean {
  const isFilled = all.some(isPlaceholder)
  // A wildcard whose domain is filled in may cover any host.
  if (isFilled && all.some((host) => host.startsWith('*'))) return true
  return all.every((host) => hosts.some((name) => covers(name, host) || (isFilled && mayBecome(name, host))))
}

/** The Certificates that write a Secret for different names, where this one is the first of them. */
export function secretOfCertificates(certificate: Manifest, snapshot: Snapshot): SharedSecret | undefined {
  const secret = certificate.root.at('spec', 'secretName').string ?? ''
  const namesOf = (one: Manifest) => requestedNames(one).flatMap(({ string }) => string ?? [])
  const shared = sharedBy('Certificate', certificate, secret, snapshot, namesOf)
  if (!shared || shared.names.some(isPlaceholder)) return undefined
  return shared.requests.every((own) => own.length === shared.names.length) ? undefined : shared
}

function sharedBy(
  kind: string,
  manifest: Manifest,
  secret: string,
  snapshot: Snapshot,
  namesOf: (one: Manifest) => readonly string[],
): SharedSecret | undefined {
  if (!secret || isPlaceholder(secret)) return undefined
  const sharers = producersOf(snapshot, manifest.ref.namespace, secret)
    .filter(({ manifest: other }) => other.ref.kind === kind && shareNamespace(manifest, other))
    .filter(({ manifest: other }) => snapshot.get(other.ref)[0] === other)
    .sort((a, b) => (identityOf(a.manifest.ref) < identityOf(b.manifest.ref) ? -1 : 1))
  const objects = sharers.map((sharer) => sharer.manifest)
  if (objects[0] !== manifest || objects.length < 2) return undefined
  const requests = objects.map(namesOf)
  return { secret, objects, requests, names: [...new Set(requests.flat())], ends: sharers.map(({ at }) => at) }
}
