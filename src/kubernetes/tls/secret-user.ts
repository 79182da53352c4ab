import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { tlsStoreKinds } from './certificate-choice'
import { credentialsOf, issuerKinds } from './issuer-credentials'
import { routeClaimKinds, routeClaims } from './route-claim'
import { claimKinds, tlsClaims } from './tls-claim'

/** The kinds that use a Secret for the TLS of hosts, or to have certificates issued. */
export const secretUserKinds: readonly GroupKind[] = [
  ...claimKinds,
  ...routeClaimKinds,
  ...tlsStoreKinds,
  ...issuerKinds,
]

/** A Secret that an object uses for TLS, or to have certificates issued. */
export interface UsedSecret {
  readonly name: string
  /** None for a ClusterIssuer, which reads it where cert-manager keeps the Secrets of the cluster. */
  readonly namespace: string | undefined
  readonly at: Cursor
}

/** The Secrets that an object uses for TLS, or to have certificates issued; none for other kinds. */
export function secretsUsedBy(manifest: Manifest): UsedSecret[] {
  const { kind, namespace } = manifest.ref
  const claims = [...tlsClaims(manifest), ...routeClaims(manifest)]
  return [
    ...claims.map((claim) => ({ name: claim.secret, namespace: claim.namespace, at: claim.at })),
    ...(kind === 'TLSStore' ? storeSecrets(manifest) : []).map(([name, at]) => ({ name, namespace, at })),
    ...credentialsOf(manifest).map(({ secret, at }) => ({
      name: secret,
      namespace: kind === 'ClusterIssuer' ? undefined : namespace,
      at,
    })),
  ].filter(({ name }) => name !== '')
}

/** The Secrets of a TLSStore of Traefik, and the places of their names. */
export function storeSecrets({ root }: Manifest): [string, Cursor][] {
  const spec = root.at('spec')
  const named = [spec.at('defaultCertificate'), ...spec.at('certificates').items()].map((one) => one.at('secretName'))
  return named.flatMap((at) => (at.string ? [[at.string, at] as [string, Cursor]] : []))
}

/** The first use of a Secret of a namespace. */
export function useOf(name: string, namespace: string, snapshot: Snapshot): UsedSecret | undefined {
  return secretUserKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap(secretsUsedBy)
    .find((one) => one.name === name && (one.namespace ?? namespace) === namespace)
}
