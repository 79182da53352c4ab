import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { tlsEntries } from '../ingress/ingress'
import { mayShareNamespace } from '../object/namespace'
import { shimAnnotation } from './cert-manager'
import { certificateRefs, tlsListeners } from './gateway-tls'

/** An object that puts a Secret into the cluster, and where it names that Secret. */
export interface Producer {
  readonly manifest: Manifest
  readonly at: Cursor
}

/** A Secret that an object puts into the cluster. */
export interface ProducedSecret {
  readonly name: string
  /** None for one that may come into being in any namespace. */
  readonly namespace: string | undefined
  readonly at: Cursor
}

/** The fields of a kind that name its Secret, and that Secret's namespace if it may differ. */
type SecretField = (root: Cursor) => readonly (readonly [name: Cursor, namespace?: Cursor])[]

const ownName: SecretField = (root) => [[root.at('metadata', 'name')]]
const field =
  (...path: string[]): SecretField =>
  (root) => [[root.at(...path)]]
/** Each item of a list has a field of the name. */
const each =
  (path: readonly string[], name: string, namespace?: string): SecretField =>
  (root) =>
    [...root.at(...path).items()].map((item) => [item.at(name), namespace ? item.at(namespace) : undefined] as const)
const inAnother =
  (path: readonly string[], name: string, namespace: string): SecretField =>
  (root) => [[root.at(...path, name), root.at(...path, namespace)]]
/** The first of several fields that is written. */
const firstOf =
  (...paths: (readonly string[])[]): SecretField =>
  (root) => {
    const written = paths.map((path) => root.at(...path)).find((cursor) => cursor.string)
    return written ? [[written]] : []
  }

/** The kinds that create a Secret, by the field that names it, as the comment next to each documents. */
const makers: Readonly<Record<GroupKind, SecretField>> = {
  Secret: ownName,
  // https://cert-manager.io/docs/reference/api-docs/#cert-manager.io/v1.CertificateSpec
  'Certificate.cert-manager.io': field('spec', 'secretName'),
  'Certificate.certmanager.k8s.io': field('spec', 'secretName'),
  // https://external-secrets.io/latest/api/externalsecret/
  'ExternalSecret.external-secrets.io': firstOf(['spec', 'target', 'name'], ['metadata', 'name']),
  // https://github.com/external-secrets/kubernetes-external-secrets, the retired forerunner
  'ExternalSecret.kubernetes-client.io': ownName,
  // Unseal gives the Secret the SealedSecret's own name and ignores the template's: bitnami-labs/sealed-secrets,
  // pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go
  'SealedSecret.bitnami.com': ownName,
  // https://developer.hashicorp.com/vault/docs/deploy/kubernetes/vso/api-reference
  'VaultStaticSecret.secrets.hashicorp.com': field('spec', 'destination', 'name'),
  'VaultDynamicSecret.secrets.hashicorp.com': field('spec', 'destination', 'name'),
  'VaultPKISecret.secrets.hashicorp.com': field('spec', 'destination', 'name'),
  // https://developer.1password.com/docs/k8s/operator/
  'OnePasswordItem.onepassword.com': ownName,
  // https://github.com/isindir/sops-secrets-operator
  'SopsSecret.isindir.github.com': each(['spec', 'secretTemplates'], 'name'),
  // https://infisical.com/docs/integrations/platforms/kubernetes/infisical-secret-crd
  'InfisicalSecret.secrets.infisical.com': (root) => [
    ...inAnother(['spec', 'managedSecretReference'], 'secretName', 'secretNamespace')(root),
    ...each(['spec', 'managedKubeSecretReferences'], 'secretName', 'secretNamespace')(root),
  ],
  // https://docs.doppler.com/docs/kubernetes-operator
  'DopplerSecret.secrets.doppler.com': inAnother(['spec', 'managedSecret'], 'name', 'namespace'),
  // https://akv2k8s.io/reference/azure-key-vault-secret/
  'AzureKeyVaultSecret.spv.no': field('spec', 'output', 'secret', 'name'),
  // https://secrets-store-csi-driver.sigs.k8s.io/topics/sync-as-kubernetes-secret
  'SecretProviderClass.secrets-store.csi.x-k8s.io': each(['spec', 'secretObjects'], 'secretName'),
}

/** The kinds that make a Secret in namespaces that they choose by a selector. */
const makersAnywhere: Readonly<Record<GroupKind, SecretField>> = {
  // https://external-secrets.io/latest/api/clusterexternalsecret/
  'ClusterExternalSecret.external-secrets.io': firstOf(
    ['spec', 'externalSecretSpec', 'target', 'name'],
    ['spec', 'externalSecretName'],
    ['metadata', 'name'],
  ),
  // https://kyverno.io/docs/policy-types/cluster-policy/generate/
  'ClusterPolicy.kyverno.io': (root) =>
    [...root.at('spec', 'rules').items()]
      .filter((rule) => rule.at('generate', 'kind').string === 'Secret')
      .map((rule) => [rule.at('generate', 'name')] as const),
}

/** The annotations of the Secret that an object creates. */
export const secretAnnotations: Readonly<Record<GroupKind, readonly string[]>> = {
  Secret: ['metadata', 'annotations'],
  'Certificate.cert-manager.io': ['spec', 'secretTemplate', 'annotations'],
  'ExternalSecret.external-secrets.io': ['spec', 'target', 'template', 'metadata', 'annotations'],
  'SealedSecret.bitnami.com': ['spec', 'template', 'metadata', 'annotations'],
}

/**
 * Annotations that make a tool copy a Secret into other namespaces under its own name.
 * Sources: the READMEs of emberstack/kubernetes-reflector, mittwald/kubernetes-replicator and kubeops/config-syncer.
 */
const mirrored =
  /^(?:reflector\.v1\.k8s\.emberstack\.com\/reflection-(?:allowed|auto-enabled)|replicator\.v1\.mittwald\.de\/replicate-to(?:-matching)?|kubed\.appscode\.com\/sync)$/

/** The kinds that only make a Secret. */
export const secretMakers: readonly GroupKind[] = Object.keys(makers)

/** The kinds that `producersOf` looks at: rules that use it list them under `reads`. */
export const producerKinds: readonly GroupKind[] = [
  ...secretMakers,
  ...Object.keys(makersAnywhere),
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
]

/** The Secrets that one object creates in the cluster; none for an object that creates none. */
export function secretsMadeBy(manifest: Manifest): ProducedSecret[] {
  const kind = groupKindOf(manifest.ref)
  const { namespace } = manifest.ref
  if (kind === 'Ingress.networking.k8s.io' || kind === 'Gateway.gateway.networking.k8s.io')
    return requestedSecrets(manifest).flatMap((at) => (at.string ? [{ name: at.string, namespace, at }] : []))
  return [
    ...(entryOf(makers, kind)?.(manifest.root) ?? []).map(([at, other]) => [at, other?.string ?? namespace] as const),
    ...(entryOf(makersAnywhere, kind)?.(manifest.root) ?? []).map(([at]) => [at, undefined] as const),
  ].flatMap(([at, where]) => {
    const made = at.string
    if (!made) return []
    const copies = isMirrored(manifest) ? [{ name: made, namespace: undefined, at }] : []
    return [{ name: made, namespace: where, at }, ...copies]
  })
}

function isMirrored(manifest: Manifest): boolean {
  const path = entryOf(secretAnnotations, groupKindOf(manifest.ref))
  return path !== undefined && [...manifest.root.at(...path).entries()].some(([name]) => mirrored.test(name))
}

/** The Secrets that cert-manager makes for an annotated Ingress or Gateway, where it names them. */
function requestedSecrets(manifest: Manifest): Cursor[] {
  if (!shimAnnotation(manifest)) return []
  if (manifest.ref.kind === 'Ingress')
    return tlsEntries(manifest).flatMap(({ hosts, secretName }) => (hosts.length > 0 ? [secretName] : []))
  // cert-manager makes no certificate for a listener without a hostname, and none in another namespace.
  return tlsListeners(manifest)
    .filter((listener) => listener.at('hostname').string && listener.at('tls', 'mode').string !== 'Passthrough')
    .flatMap((listener) => certificateRefs(listener))
    .filter(({ namespace }) => namespace === manifest.ref.namespace)
    .map(({ name }) => name)
}

const indexes = new WeakMap<Snapshot, Map<string, Producer[]>>()

/**
 * Everything in a snapshot that provides a Secret: the Secret itself, a cert-manager Certificate that writes it, an
 * ExternalSecret or SealedSecret that makes it, an Ingress or Gateway with a cert-manager annotation that names it.
 */
export function producersOf(snapshot: Snapshot, namespace: string, name: string): Producer[] {
  const index = indexes.get(snapshot) ?? indexOf(snapshot)
  indexes.set(snapshot, index)
  const here = index.get(keyOf(namespace, name)) ?? []
  const anywhere = (index.get(keyOf(undefined, name)) ?? []).filter(
    ({ manifest }) => !here.some((producer) => producer.manifest === manifest),
  )
  return [...here, ...anywhere]
}

/**
 * Everything in a snapshot that provides a Secret, or may do so: it is beside an object in the repository, and one of
 * the two has no namespace written.
 */
export function possibleProducersOf(snapshot: Snapshot, namespace: string, name: string, beside: Manifest): Producer[] {
  const unplaced = producerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter(({ ref }) => ref.namespace === '' || namespace === '')
    .filter((manifest) => mayShareNamespace(manifest, beside))
    .flatMap((manifest) => secretsMadeBy(manifest).map((made) => ({ ...made, manifest })))
  return [...producersOf(snapshot, namespace, name), ...unplaced.filter((made) => made.name === name)]
}

function indexOf(snapshot: Snapshot): Map<string, Producer[]> {
  const index = new Map<string, Producer[]>()
  for (const manifest of producerKinds.flatMap((kind) => snapshot.ofKind(kind))) {
    for (const { name, namespace, at } of secretsMadeBy(manifest)) {
      const key = keyOf(namespace, name)
      const known = index.get(key)
      if (!known) index.set(key, [{ manifest, at }])
      else if (!known.some((producer) => producer.manifest === manifest)) known.push({ manifest, at })
    }
  }
  return index
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? null, name])
}
