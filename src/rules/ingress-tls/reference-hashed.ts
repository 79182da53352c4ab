import type { Snapshot } from '../../cluster/snapshot'
import { written } from '../../kubernetes/fields/written-path'
import { withoutHash } from '../../kubernetes/object/generated-name'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

/** The kinds of custom resources whose references to ConfigMaps and Secrets kustomize does not know. */
const referring: readonly GroupKind[] = [
  'Certificate.cert-manager.io',
  'ClusterIssuer.cert-manager.io',
  'Issuer.cert-manager.io',
  'ClusterSecretStore.external-secrets.io',
  'SecretStore.external-secrets.io',
  'HelmRelease.helm.toolkit.fluxcd.io',
  'Kustomization.kustomize.toolkit.fluxcd.io',
  'Bucket.source.toolkit.fluxcd.io',
  'GitRepository.source.toolkit.fluxcd.io',
  'HelmRepository.source.toolkit.fluxcd.io',
  'OCIRepository.source.toolkit.fluxcd.io',
  'Receiver.notification.toolkit.fluxcd.io',
  'Gateway.gateway.networking.k8s.io',
  'Gateway.networking.istio.io',
  'HTTPProxy.projectcontour.io',
  'IngressRoute.traefik.io',
  'IngressRouteTCP.traefik.io',
  'Middleware.traefik.io',
  'ServersTransport.traefik.io',
  'TLSOption.traefik.io',
  'TLSStore.traefik.io',
]

/** The kinds that kustomize generates. */
const generated = ['ConfigMap', 'Secret'] as const

type Generated = (typeof generated)[number]

interface Reference {
  readonly kind: Generated
  readonly name: string
  readonly at: Cursor
}

export default defineRule({
  id: 'ingress-tls/reference-hashed',
  summary: 'A custom resource names the ConfigMaps and Secrets that kustomize generates as they are named.',
  since: '1.21.0',
  scope: 'snapshot',
  kinds: referring,
  reads: [...generated, ...producerKinds.filter((kind) => !referring.includes(kind) && kind !== 'Secret')],
  messages: {
    plain: ({ object, kind, name, made, field }: Record<'object' | 'kind' | 'name' | 'made' | 'field', string>) =>
      `${object} names the ${kind} ${name} in ${field}, but kustomize generates it as ${made} and does not know this field, so it leaves the name as it is, and nothing here creates a ${kind} of that name. Set disableNameSuffixHash: true in the options of its generator, or list the field under nameReference in a file of configurations.`,
  },
  *partners(manifest) {
    for (const { name } of referencesOf(manifest)) yield name
    if (isGenerated(manifest)) yield withoutHash(manifest.ref.name)
  },
  check({ manifest, snapshot, report }) {
    const made = generatedIn(snapshot)
    if (made.length === 0 || isOfBase(manifest)) return
    for (const { kind, name, at } of referencesOf(manifest)) {
      const meant = made.find(
        (one) =>
          one.ref.kind === kind &&
          withoutHash(one.ref.name) === name &&
          isOfOneSource(one, manifest) &&
          mayRead(manifest, one),
      )
      if (!meant || isMade(kind, name, snapshot)) continue
      const args = { object: nameOf(manifest.ref), kind, name, made: meant.ref.name, field: written(at) }
      report([at, meant.root.at('metadata', 'name')], 'plain', args, { keys: [kind, name] })
    }
  },
})

/** The objects whose names have the hash of kustomize. */
function generatedIn(snapshot: Snapshot): readonly Manifest[] {
  const before = known.get(snapshot)
  if (before) return before
  const made = generated.flatMap((kind) => snapshot.ofKind(kind)).filter(isGenerated)
  known.set(snapshot, made)
  return made
}

const known = new WeakMap<Snapshot, readonly Manifest[]>()

function isGenerated({ ref }: Manifest): boolean {
  return ref.group === '' && generated.some((kind) => kind === ref.kind) && withoutHash(ref.name) !== ref.name
}

/** Whether an overlay is to complete the Kustomization of an object: its configurations may list the field. */
function isOfBase({ origin }: Manifest): boolean {
  return origin.kind === 'rendered' && /(?:^|\/)bases?(?:\/|$)/.test(origin.source.path)
}

/** Whether an object may read the namespace of another: a ClusterIssuer any, the chart of a release its target. */
function mayRead({ ref, root }: Manifest, { ref: { namespace } }: Manifest): boolean {
  return ref.namespace === '' || ref.namespace === namespace || root.at('spec', 'targetNamespace').string === namespace
}

/** Whether something else makes an object of the name, in any namespace, as tools copy Secrets. */
function isMade(kind: Generated, name: string, snapshot: Snapshot): boolean {
  if (kind === 'ConfigMap') return snapshot.ofKind(kind).some(({ ref }) => ref.name === name)
  return producerKinds
    .flatMap((one) => snapshot.ofKind(one))
    .flatMap(secretsMadeBy)
    .some((one) => one.name === name)
}

/** The fields of a custom resource that name a ConfigMap or a Secret, by the names that such fields have. */
function referencesOf({ root, ref }: Manifest): Reference[] {
  return ref.group === '' ? [] : [...referencesIn(root.at('spec'), '')]
}

function* referencesIn(value: Cursor, key: string): Generator<Reference> {
  for (const item of value.items()) yield* referencesIn(item, key)
  const written = value.at('kind').string
  const kind = generated.find((one) => one === written) ?? kindBy(key)
  for (const [field, inner] of value.entries()) {
    // cert-manager creates this one.
    if (field === 'privateKeySecretRef') continue
    const own = field === 'name' ? kind : kindBy(field)
    if (own && inner.string) yield { kind: own, name: inner.string, at: inner }
    else yield* referencesIn(inner, field)
  }
}

/** The kind that a field names: `secretName`, `existingSecret`, `apiTokenSecretRef`, `configMapRef`. */
function kindBy(field: string): Generated | undefined {
  if (/(?:[sS]ecret|^credential|^certificate)(?:Key)?(?:s|Refs?|Name)?$/.test(field)) return 'Secret'
  return /[cC]onfigMap(?:Key)?(?:Ref|Name)?$/.test(field) ? 'ConfigMap' : undefined
}
