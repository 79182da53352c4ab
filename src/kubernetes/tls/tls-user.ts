import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { tlsSecretNames } from '../ingress/ingress'
import { certificateRefs, tlsListeners } from './gateway-tls'

/** A Secret that an object names for TLS, and where. */
export interface NamedSecret {
  readonly name: string
  readonly namespace: string
  readonly at: Cursor
}

/** The kind of OpenShift's ingress controllers. */
export const openShiftController = 'IngressController.operator.openshift.io'

/**
 * The Secrets that an Ingress names in its TLS entries, a Gateway in its listeners, or an ingress controller of
 * OpenShift as its default certificate; none for other kinds.
 */
export function namedSecrets(manifest: Manifest): NamedSecret[] {
  const { kind, namespace } = manifest.ref
  if (kind === 'Ingress') return [...tlsSecretNames(manifest)].map(([name, at]) => ({ name, namespace, at }))
  if (groupKindOf(manifest.ref) === openShiftController) {
    const at = manifest.root.at('spec', 'defaultCertificate', 'name')
    // https://docs.openshift.com/container-platform/4.15/security/certificates/replacing-default-ingress-certificate.html
    return at.string ? [{ name: at.string, namespace: 'openshift-ingress', at }] : []
  }
  if (kind !== 'Gateway') return []
  return tlsListeners(manifest)
    .flatMap((listener) => certificateRefs(listener))
    .flatMap((ref) => (ref.name.string ? [{ name: ref.name.string, namespace: ref.namespace, at: ref.name }] : []))
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, Cursor>>()

/** The place where an Ingress or a Gateway names a Secret first. */
export function firstUserOf(name: string, namespace: string, snapshot: Snapshot): Cursor | undefined {
  const users = known.get(snapshot) ?? usersIn(snapshot)
  known.set(snapshot, users)
  return users.get(JSON.stringify([namespace, name]))
}

function usersIn(snapshot: Snapshot): ReadonlyMap<string, Cursor> {
  const secrets = ['Ingress.networking.k8s.io' as const, 'Gateway.gateway.networking.k8s.io' as const]
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap(namedSecrets)
  return new Map(secrets.reverse().map(({ namespace, name, at }) => [JSON.stringify([namespace, name]), at]))
}
