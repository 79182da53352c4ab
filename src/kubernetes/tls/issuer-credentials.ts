import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { certManagerGroups } from './cert-manager'

/** The kinds of cert-manager's issuers. */
export const issuerKinds: readonly GroupKind[] = ['ClusterIssuer', 'Issuer'].flatMap((kind) =>
  certManagerGroups.map((group) => `${kind}.${group}`),
)

/** A Secret that an issuer reads, and that cert-manager does not create. */
export interface Credential {
  readonly secret: string
  /** The keys that it has to have; none where the issuer names none. */
  readonly keys: readonly string[]
  /** The place of the Secret's name. */
  readonly at: Cursor
  /** The place of the key; that of the name where the key is fixed. */
  readonly keyAt: Cursor
}

/**
 * The Secrets with the credentials of an issuer; none for other kinds. cert-manager itself creates the one of
 * `privateKeySecretRef`, and the webhook of a solver reads its config as it likes, so both are left out. Source:
 * cert-manager, pkg/apis/acme/v1/types_issuer.go and pkg/apis/certmanager/v1/types_issuer.go
 */
export function credentialsOf(issuer: Manifest): Credential[] {
  if (!issuerKinds.includes(groupKindOf(issuer.ref))) return []
  const spec = issuer.root.at('spec')
  const solvers = [...spec.at('acme', 'solvers').items()].flatMap((solver) =>
    [...solver.at('dns01').entries()].filter(([provider]) => provider !== 'webhook').map(([, at]) => at),
  )
  const refs = [
    ...solvers.flatMap((provider) => [...provider.entries()].filter(([field]) => field.endsWith('SecretRef'))),
  ].map(([, at]) => at)
  const others = [
    spec.at('acme', 'externalAccountBinding', 'keySecretRef'),
    spec.at('vault', 'auth', 'tokenSecretRef'),
    spec.at('vault', 'auth', 'appRole', 'secretRef'),
    spec.at('venafi', 'cloud', 'apiTokenSecretRef'),
  ]
  const ca = spec.at('ca', 'secretName')
  return [
    ...[...refs, ...others].flatMap((ref) => {
      const [at, keyAt] = [ref.at('name'), ref.at('key')]
      return at.string ? [{ secret: at.string, keys: keyAt.string ? [keyAt.string] : [], at, keyAt }] : []
    }),
    ...(ca.string ? [{ secret: ca.string, keys: ['tls.crt', 'tls.key'], at: ca, keyAt: ca }] : []),
  ]
}
