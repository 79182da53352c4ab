import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { tlsEntries } from '../ingress/ingress'
import { certificateRefs, tlsListeners } from './gateway-tls'

/** The DNS names for which a Certificate, an Ingress or a Gateway requests certificates of cert-manager. */
export function requestedNames(manifest: Manifest): Cursor[] {
  if (manifest.ref.kind === 'Certificate') return [...manifest.root.at('spec', 'dnsNames').items()]
  if (manifest.ref.kind === 'Gateway')
    return tlsListeners(manifest)
      .filter((listener) => certificateRefs(listener).length > 0)
      .map((listener) => listener.at('hostname'))
      .filter(({ exists }) => exists)
  return tlsEntries(manifest).flatMap(({ hosts, secretName }) => (secretName.string ? hosts : []))
}
