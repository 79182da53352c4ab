import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { isSecretComplete } from '../object/secret'

/**
 * The Secret types that cannot hold a certificate. Source:
 * https://kubernetes.io/docs/concepts/configuration/secret/#secret-types
 */
const typesWithoutCertificate: readonly string[] = [
  'bootstrap.kubernetes.io/token',
  'kubernetes.io/basic-auth',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/service-account-token',
  'kubernetes.io/ssh-auth',
]

/** The Secret that a manifest declares, by names alone. */
export interface DeclaredSecret {
  /** Opaque where none is written. */
  readonly type: string
  /** The place of the type, also if it is missing. */
  readonly typeAt: Cursor
  readonly keys: readonly string[]
  readonly keysAt: Cursor
}

/**
 * The type and the keys of the Secret that a Secret, a SealedSecret or an ExternalSecret creates; undefined for any
 * other kind, and if the manifest does not show the cluster's data.
 */
export function declaredSecret(manifest: Manifest): DeclaredSecret | undefined {
  switch (groupKindOf(manifest.ref)) {
    case 'Secret':
      return ofSecret(manifest)
    case 'SealedSecret.bitnami.com':
      return ofSealedSecret(manifest)
    case 'ExternalSecret.external-secrets.io':
      return ofExternalSecret(manifest)
    default:
      return undefined
  }
}

/** The keys of the Secret that an object makes; undefined where it does not show them all. */
export function shownKeys(maker: Manifest): { readonly keys: readonly string[]; readonly keysAt: Cursor } | undefined {
  const declared = declaredSecret(maker)
  if (declared) return declared.keys.some(isPlaceholder) ? undefined : declared
  // SOPS leaves the keys readable.
  if (maker.ref.kind !== 'Secret' || !maker.root.at('sops').exists) return undefined
  const maps = ['data', 'stringData'].map((key) => maker.root.at(key)).filter(({ exists }) => exists)
  const keys = maps.flatMap((map) => [...map.entries()].map(([key]) => key))
  return { keys, keysAt: maps[0] ?? maker.root.at('kind') }
}

function ofSecret(secret: Manifest): DeclaredSecret | undefined {
  if (!isSecretComplete(secret)) return undefined
  return declared(secret, ['type'], [['data'], ['stringData']])
}

/** The names of sealed values are plain, the values are not. Source: bitnami-labs/sealed-secrets, Unseal. */
function ofSealedSecret(sealed: Manifest): DeclaredSecret | undefined {
  // The older form seals the whole Secret, its type and keys included.
  if (sealed.root.at('spec', 'data').exists) return undefined
  return declared(
    sealed,
    ['spec', 'template', 'type'],
    [
      ['spec', 'encryptedData'],
      ['spec', 'template', 'data'],
    ],
  )
}

/** Source: https://external-secrets.io/latest/api/externalsecret/ and /guides/ownership-deletion-policy/ */
function ofExternalSecret(external: Manifest): DeclaredSecret | undefined {
  const spec = external.root.at('spec')
  const template = spec.at('target', 'template')
  if (template.at('templateFrom').exists) return undefined
  // The Secret belongs to another object; this one adds to it, or does nothing.
  if (['Merge', 'None', 'CreateOrMerge'].includes(spec.at('target', 'creationPolicy').string ?? '')) return undefined
  const written = declared(external, ['spec', 'target', 'template', 'type'], [['spec', 'target', 'template', 'data']])
  // The data of a template replace what was fetched. Source: external-secrets, pkg/controllers/externalsecret/
  // externalsecret_controller_template.go (ApplyTemplate)
  if (written.keys.length > 0 && template.at('mergePolicy').string !== 'Merge') return written
  // The provider decides which keys this brings.
  if (spec.at('dataFrom').exists) return undefined
  const fetched = [...spec.at('data').items()].flatMap((item) => item.at('secretKey').string ?? [])
  const keysAt = spec.at('data').exists ? spec.at('data') : written.keysAt
  return { ...written, keys: [...written.keys, ...fetched], keysAt }
}

function declared(manifest: Manifest, type: readonly string[], maps: readonly (readonly string[])[]): DeclaredSecret {
  const { root } = manifest
  const typeAt = root.at(...type)
  const written = maps.map((path) => root.at(...path)).filter((map) => map.exists)
  return {
    type: typeAt.string || 'Opaque',
    typeAt: typeAt.exists ? typeAt : root.at('kind'),
    keys: written.flatMap((map) => [...map.entries()].map(([key]) => key)),
    keysAt: written[0] ?? root.at('kind'),
  }
}

/** Whether a Secret of this type cannot hold a certificate. */
export function holdsNoCertificate({ type }: DeclaredSecret): boolean {
  return typesWithoutCertificate.includes(type)
}

/** The keys of a TLS Secret that it will lack. */
export function missingTlsKeys({ keys }: Pick<DeclaredSecret, 'keys'>): string[] {
  return ['tls.crt', 'tls.key'].filter((key) => !keys.includes(key))
}
