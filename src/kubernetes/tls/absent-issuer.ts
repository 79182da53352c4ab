import type { Snapshot } from '../../cluster/snapshot'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { mayShareNamespace, shareNamespace } from '../object/namespace'
import { certManagerGroups, issuerOf, type NamedIssuer } from './cert-manager'
import { namedSecrets } from './tls-user'

const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)

/** An Issuer that an object names, and that its namespace does not have. */
export interface AbsentIssuer {
  readonly named: NamedIssuer
  /** The Issuer that signs with the Secret or the Certificate which is named in its place. */
  readonly signer: Manifest | undefined
  /** The Issuers of that name in other namespaces. */
  readonly elsewhere: readonly Manifest[]
  /** The Issuers of the namespace. */
  readonly beside: readonly Manifest[]
}

/** The Issuer that an object names and that is not there, where the namespace has others or another namespace has it. */
export function absentIssuer(user: Manifest, snapshot: Snapshot): AbsentIssuer | undefined {
  const named = issuerOf(user)
  const { namespace } = user.ref
  if (named?.kind !== 'Issuer' || [named.name, namespace].some((one) => one === '' || isPlaceholder(one)))
    return undefined
  if (user.ref.kind !== 'Certificate' && namedSecrets(user).length === 0) return undefined
  const all = ofCertManager('Issuer').flatMap((kind) => snapshot.ofKind(kind))
  const near = all.filter((one) => mayShareNamespace(one, user))
  if (near.some(({ ref }) => ref.name === named.name || isPlaceholder(ref.name))) return undefined
  // A ClusterIssuer of the name is likely meant.
  if (ofCertManager('ClusterIssuer').some((kind) => snapshot.ofKind(kind).some(({ ref }) => ref.name === named.name)))
    return undefined
  const beside = near.filter((one) => shareNamespace(one, user))
  const secrets = [named.name, ...secretsOf(named.name, user, snapshot)]
  const signers = beside.filter(({ root }) => secrets.includes(root.at('spec', 'ca', 'secretName').string ?? ''))
  const elsewhere = all.filter(
    ({ ref }) => ref.name === named.name && ref.namespace !== '' && !isPlaceholder(ref.namespace),
  )
  return { named, signer: signers.length === 1 ? signers[0] : undefined, elsewhere, beside }
}

/** The Secrets that the Certificates of a name write. */
function secretsOf(name: string, user: Manifest, snapshot: Snapshot): string[] {
  return ofCertManager('Certificate')
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => one.ref.name === name && shareNamespace(one, user))
    .flatMap(({ root }) => root.at('spec', 'secretName').string ?? [])
}
