import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { grants, grantsIn, type ReferenceTarget, referenceGrantKind } from '../../kubernetes/ingress/reference-grant'
import { shimAnnotation } from '../../kubernetes/tls/cert-manager'
import { declaredSecret, holdsNoCertificate, missingTlsKeys } from '../../kubernetes/tls/declared-secret'
import { type CertificateRef, certificateRefs } from '../../kubernetes/tls/gateway-tls'
import { producerKinds, producersOf, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { namedSecrets } from '../../kubernetes/tls/tls-user'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule, type ReportFunction } from '../../rule/rule'

const gatewayGroup = 'gateway.networking.k8s.io'
const gatewayKind = `Gateway.${gatewayGroup}`
const classKind = `GatewayClass.${gatewayGroup}`

const messages = {
  // Source: Gateway API 1.6.1, apis/v1/gateway_types.go: the CEL rule of ListenerTLSConfig
  missing: ({ listener, gateway }: { listener: string; gateway: string }) =>
    `The listener ${listener} of ${gateway} terminates TLS but names no certificate, so it does not serve traffic. Set certificateRefs to a Secret of type kubernetes.io/tls.`,
  wrongType: ({ secret, type, gateway }: { secret: string; type: string; gateway: string }) =>
    `A listener of ${gateway} uses ${secret}, which is of type ${type} and so holds no certificate. Name a Secret of type kubernetes.io/tls.`,
  missingKeys: ({ secret, missing, gateway }: { secret: string; missing: string; gateway: string }) =>
    `A listener of ${gateway} uses ${secret}, which has no ${missing}. Add the PEM certificate as tls.crt and its key as tls.key, or name another Secret.`,
  otherType: ({ secret, type, gateway }: { secret: string; type: string; gateway: string }) =>
    `A listener of ${gateway} uses ${secret}, which is of type ${type}: Gateway API guarantees only kubernetes.io/tls, and some controllers reject other types. Change its type to kubernetes.io/tls.`,
  notGranted: ({ secret, gateway, namespace }: { secret: string; gateway: string; namespace: string }) =>
    `${gateway} names the Secret ${secret}, but no ReferenceGrant in the namespace ${namespace} allows that, so the listener has no certificate. Add a ReferenceGrant there, from kind Gateway to kind Secret.`,
  grantRemoved: ({ secret, gateway, grant }: { secret: string; gateway: string; grant: string }) =>
    `This change removes ${grant}, and nothing else allows ${gateway} to use the Secret ${secret}, so its listener loses the certificate. Keep the grant, or use a Secret in the namespace of the Gateway.`,
  // Source: cert-manager 1.21, pkg/controller/certificate-shim/sync.go, validateGatewayListenerBlock
  otherNamespace: ({ secret, annotation }: { secret: string; annotation: string }) =>
    `${annotation} lets cert-manager create the certificates of this Gateway, but only in its own namespace, so nothing creates the Secret ${secret}. Name a Secret in the Gateway's namespace, or add a Certificate in the other one.`,
}

export default defineRule({
  id: 'ingress-tls/gateway-certificate',
  summary: 'Every listener that terminates TLS names a certificate that its Gateway may use.',
  since: '1.2.0',
  scope: 'snapshot',
  kinds: [gatewayKind],
  reads: [...producerKinds.filter((kind) => kind !== gatewayKind), referenceGrantKind, classKind],
  subjects: [{ kinds: [gatewayKind] }],
  messages,
  putBack: { otherType: 'changed', wrongType: 'changed' },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'ReferenceGrant') yield 'certificateRefs'
    if (manifest.ref.kind !== 'Gateway') return
    for (const { name, namespace } of namedSecrets(manifest)) {
      yield name
      if (namespace !== manifest.ref.namespace) yield 'kind: ReferenceGrant'
    }
    if (terminating(manifest).some((listener) => !listener.at('tls').exists)) yield 'kind: GatewayClass'
  },
  check({ manifest, snapshot, report, skip, isAdded }) {
    const gateway = nameOf(manifest.ref)
    const listeners = terminating(manifest)
    for (const listener of listeners) {
      const tls = listener.at('tls')
      const has = (key: string) => tls.at(key).exists && [...tls.at(key).items(), ...tls.at(key).entries()].length > 0
      const name = listener.at('name').string ?? ''
      if (has('certificateRefs') || has('options') || (!tls.exists && isCertifiedElsewhere(manifest, snapshot)))
        continue
      report(tls, 'missing', { listener: name, gateway }, { keys: [name] })
    }
    const seen = new Set<string>()
    for (const ref of listeners.flatMap((listener) => certificateRefs(listener))) {
      const secret = `${ref.namespace ? `${ref.namespace}/` : ''}${ref.name.string}`
      if (!ref.name.string || seen.has(secret)) continue
      seen.add(secret)
      if (isPlaceholder(secret)) {
        skip(ref.name, `the Secret ${secret} is filled in before it reaches the cluster`)
        continue
      }
      checkType(ref, ref.name.string, snapshot, report, isAdded)
      if (ref.namespace !== manifest.ref.namespace && manifest.ref.namespace !== '')
        checkNamespace(ref, secret, manifest, snapshot, report)
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind !== 'removed' || groupKindOf(change.before.ref) !== referenceGrantKind) return
    for (const gateway of head.ofKind(gatewayKind)) {
      for (const ref of terminating(gateway).flatMap((listener) => certificateRefs(listener))) {
        if (ref.namespace !== change.before.ref.namespace || ref.namespace === gateway.ref.namespace) continue
        const target = targetOf(ref)
        const there = grantsIn(ref.namespace, head)
        if (!grants(change.before, gateway, target) || there.some((grant) => grants(grant, gateway, target))) continue
        const names = { secret: `${ref.namespace}/${ref.name.string}`, gateway: nameOf(gateway.ref) }
        const grant = nameOf(change.before.ref)
        report([change.before.root, ref.name], 'grantRemoved', { ...names, grant }, { keys: [ref.name.string ?? ''] })
      }
    }
  },
})

/** The listeners of a Gateway that end TLS themselves. */
function terminating(gateway: Manifest): Cursor[] {
  return [...gateway.root.at('spec', 'listeners').items()].filter((listener) => {
    const mode = listener.at('tls', 'mode').string ?? 'Terminate'
    return mode === 'Terminate' && ['HTTPS', 'TLS'].includes(listener.at('protocol').string ?? '')
  })
}

/**
 * Whether a load balancer outside the cluster finds the certificates of listeners without a `tls` block: GKE's
 * certificate maps, and AWS's discovery by hostname. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/secure-gateway,
 * https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/gateway/
 */
function isCertifiedElsewhere(gateway: Manifest, snapshot: Snapshot): boolean {
  const { root } = gateway
  const name = root.at('spec', 'gatewayClassName').string ?? ''
  const classes = snapshot.get({ group: gatewayGroup, kind: 'GatewayClass', namespace: '', name })
  const controllers = classes.map((one) => one.root.at('spec', 'controllerName').string ?? '')
  return (
    root.at('spec', 'infrastructure', 'parametersRef').exists ||
    [...root.at('metadata', 'annotations').entries()].some(([key]) => key.startsWith('networking.gke.io/')) ||
    [name, ...controllers].some((text) => /gke|aws|alb|lattice/.test(text))
  )
}

/**
 * The object that creates the Secret, by its manifest; with several copies or creators, which one counts is unknown.
 */
function checkType(
  { name: at, namespace }: CertificateRef,
  name: string,
  snapshot: Snapshot,
  report: ReportFunction<typeof messages>,
  isAdded: (manifest: Manifest) => boolean,
): void {
  const makers = producersOf(snapshot, namespace, name).map(({ manifest }) => manifest)
  const [maker] = makers
  const declared = maker && makers.length === 1 ? declaredSecret(maker) : undefined
  if (!maker || !declared || isPlaceholder(declared.type)) return
  const where = { secret: nameOf(maker.ref), gateway: nameOf(at.manifest.ref) }
  const { type, typeAt, keysAt } = declared
  const missing = missingTlsKeys(declared)
  // The API server refuses another type of a Secret that exists.
  const fix = missing.length === 0 && isAdded(maker) ? replaced(typeAt, 'kubernetes.io/tls') : undefined
  const more = { keys: [name, type], fix }
  if (holdsNoCertificate(declared)) report([at, typeAt], 'wrongType', { ...where, type }, more)
  else if (missing.length > 0)
    report([at, keysAt], 'missingKeys', { ...where, missing: missing.join(' and no ') }, { keys: [name, ...missing] })
  else if (type !== 'kubernetes.io/tls') report([at, typeAt], 'otherType', { ...where, type }, more)
}

/**
 * The grants of another namespace may be in another repository: they are missing only if this one has objects of that
 * namespace.
 */
function checkNamespace(
  ref: CertificateRef,
  secret: string,
  gateway: Manifest,
  snapshot: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const made = producersOf(snapshot, ref.namespace, ref.name.string ?? '')
  const there = grantsIn(ref.namespace, snapshot)
  const granted = there.some((grant) => grants(grant, gateway, targetOf(ref)))
  const keys = [secret]
  if (!granted && (made.length > 0 || there.length > 0)) {
    const ends = [ref.name, ...there.map((grant) => grant.root.at('spec')), ...made.slice(0, 1).map(({ at }) => at)]
    report(unique(ends), 'notGranted', { secret, gateway: nameOf(gateway.ref), namespace: ref.namespace }, { keys })
  }
  const shim = shimAnnotation(gateway)
  const own = namedSecrets(gateway).some(({ namespace }) => namespace === gateway.ref.namespace)
  // If its own namespace has the Secret, the annotation refers to that one, and this one belongs to another object.
  if (shim && !own && made.length === 0)
    report([ref.name, shim], 'otherNamespace', { secret, annotation: String(shim.path.at(-1)) }, { keys })
}

/** The Secret of a reference, as grants name it. */
function targetOf({ name, namespace }: CertificateRef): ReferenceTarget {
  return { kind: 'Secret', namespace, name: name.string ?? '' }
}

/** One cursor for each object. */
function unique(ends: readonly Cursor[]): Cursor[] {
  return [...new Map([...ends].reverse().map((end) => [identityOf(end.manifest.ref), end])).values()].reverse()
}
