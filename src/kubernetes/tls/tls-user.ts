import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { tlsSecretNames } from '../ingress/ingress'
import { certificateRefs, tlsListeners } from './gateway-tls'

/** A Secret that an object names for TLS, and where. */
export interface NamedSecret {
  readonly name: string
  readonly namespace: string
  readonly at: Cursor
}

/** The Secrets that an Ingress names in its TLS entries, or a Gateway in its listeners; nothing for other kinds. */
export function namedSecrets(manifest: Manifest): NamedSecret[] {
  const { kind, namespace } = manifest.ref
  if (kind === 'Ingress') return [...tlsSecretNames(manifest)].map(([name, at]) => ({ name, namespace, at }))
  if (kind !== 'Gateway') return []
  return tlsListeners(manifest)
    .flatMap((listener) => certificateRefs(listener))
    .flatMap((ref) => (ref.name.string ? [{ name: ref.name.string, namespace: ref.namespace, at: ref.name }] : []))
}
