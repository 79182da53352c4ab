import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** cert-manager's API group, and the one it had before 0.11. */
export const certManagerGroups = ['cert-manager.io', 'certmanager.k8s.io']

/** Values that Go's strconv.ParseBool reads as true. */
const truths = ['1', 't', 'T', 'true', 'TRUE', 'True']

/**
 * The annotation that makes cert-manager create Certificates for an Ingress or a Gateway. Source: cert-manager 1.21,
 * pkg/controller/certificate-shim/sync.go, hasShimAnnotation; tls-acme is read on Ingresses only.
 */
export function shimAnnotation(manifest: Manifest): Cursor | undefined {
  const annotations = manifest.root.at('metadata', 'annotations')
  const acme = annotations.at('kubernetes.io/tls-acme')
  if (manifest.ref.kind === 'Ingress' && truths.includes(acme.string ?? '')) return acme
  return certManagerGroups
    .flatMap((group) => [annotations.at(`${group}/issuer`), annotations.at(`${group}/cluster-issuer`)])
    .find((annotation) => annotation.exists)
}

/** An issuer as an object names it, and where. */
export interface NamedIssuer {
  readonly kind: string
  readonly name: string
  /** The namespace of an Issuer, always that of the object; a ClusterIssuer has none. */
  readonly namespace: string
  readonly at: Cursor
}

/** An issuer of any maker as an object names it, with the group that it writes. */
export interface IssuerReference extends NamedIssuer {
  readonly group: Cursor | undefined
}

/** The issuer of cert-manager's own group that an Ingress, a Gateway or a Certificate names. */
export function issuerOf(manifest: Manifest): NamedIssuer | undefined {
  const named = issuerReferenceOf(manifest)
  if (!named || !['Issuer', 'ClusterIssuer'].includes(named.kind)) return undefined
  const group = named.group?.string
  // Other makers of issuers have groups of their own.
  if (group && !certManagerGroups.includes(group)) return undefined
  return named
}

/** The issuer of any maker that an Ingress, a Gateway or a Certificate names. */
export function issuerReferenceOf(manifest: Manifest): IssuerReference | undefined {
  const ref = manifest.root.at('spec', 'issuerRef')
  const annotations = manifest.root.at('metadata', 'annotations')
  const [at, kind, group] =
    manifest.ref.kind === 'Certificate'
      ? [ref.at('name'), ref.at('kind').string ?? 'Issuer', ref.at('group')]
      : annotated(annotations)
  const name = at?.string
  if (!at || !name) return undefined
  return { kind, name, namespace: kind === 'Issuer' ? manifest.ref.namespace : '', at, group }
}

/** The issuers of a snapshot that an object names: one, as a rule. */
export function issuersOf(user: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const named = issuerOf(user)
  return named ? issuersNamed(named, snapshot) : []
}

/** The issuers of a name, of either API group. */
export function issuersNamed({ kind, namespace, name }: NamedIssuer, snapshot: Snapshot): readonly Manifest[] {
  return certManagerGroups.flatMap((group) => snapshot.get({ group, kind, namespace, name }))
}

function annotated(annotations: Cursor): [at: Cursor | undefined, kind: string, group: Cursor | undefined] {
  for (const prefix of certManagerGroups) {
    const cluster = annotations.at(`${prefix}/cluster-issuer`)
    if (cluster.exists) return [cluster, 'ClusterIssuer', undefined]
    const issuer = annotations.at(`${prefix}/issuer`)
    if (!issuer.exists) continue
    return [
      issuer,
      annotations.at(`${prefix}/issuer-kind`).string ?? 'Issuer',
      annotations.at(`${prefix}/issuer-group`),
    ]
  }
  return [undefined, '', undefined]
}
