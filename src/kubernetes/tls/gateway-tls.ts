import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** A Secret that a listener names for its certificate. */
export interface CertificateRef {
  readonly name: Cursor
  readonly namespace: string
}

/** The listeners of a Gateway that have a `tls` block. */
export function tlsListeners(gateway: Manifest): Cursor[] {
  return [...gateway.root.at('spec', 'listeners').items()].filter((listener) => listener.at('tls').exists)
}

/**
 * The Secrets of a listener's `certificateRefs`; references to other groups or kinds are ignored. Source: Gateway API
 * 1.6.1, apis/v1/object_reference_types.go, SecretObjectReference: group "", kind Secret, the Gateway's own namespace
 * when none is written.
 */
export function certificateRefs(listener: Cursor): CertificateRef[] {
  return [...listener.at('tls', 'certificateRefs').items()]
    .filter((ref) => (ref.at('kind').string ?? 'Secret') === 'Secret' && (ref.at('group').string ?? '') === '')
    .map((ref) => ({
      name: ref.at('name'),
      namespace: ref.at('namespace').string ?? listener.manifest.ref.namespace,
    }))
}
