import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { type Controller, controllersHere } from '../controllers/controller'
import { covers, tlsEntries } from '../ingress/ingress'
import { controllerOf } from '../ingress/ingress-class'
import { type CertificateFacts, controllerFacts } from '../workload/controller-facts'
import { certificatesBehind } from './certificate'

/** The rules by which a controller finds the certificate for a host that an Ingress routes. */
export interface CertificateChoice extends CertificateFacts {
  /** The name of the controller's row. */
  readonly name: string
  /** The controller, as messages name it. */
  readonly product: string
}

const choices: readonly CertificateChoice[] = controllerFacts.flatMap(({ name, title, certificate }) =>
  certificate ? [{ product: title, ...certificate, name }] : [],
)

/**
 * Each IngressClass of such a controller contains one of these strings; a prefix alone also occurs in many annotations.
 */
export const controllerNames: readonly string[] = choices.map(({ controller }) =>
  controller.endsWith('/') ? `controller: ${controller}` : controller,
)

/** Those of the controllers that take certificates from Secrets of one type only. */
export const namesOfTypedControllers: readonly string[] = choices.flatMap(({ controller, secretType }) =>
  secretType === undefined ? [] : [controller],
)

/**
 * The certificate choice of the controller of an Ingress's class; undefined if the snapshot does not show the
 * controller.
 */
export function certificateChoice(snapshot: Snapshot, ingress: Manifest): CertificateChoice | undefined {
  const named = controllerOf(snapshot, ingress)
  return named === undefined ? undefined : choices.find(({ controller }) => named.startsWith(controller))
}

/** Whether kubernetes/ingress-nginx, whose annotations these are, may serve an Ingress. */
export function mayBeIngressNginx(choice: CertificateChoice | undefined): boolean {
  return choice === undefined || choice.name === 'ingress-nginx'
}

/** The effect for a host without a certificate, as a phrase of messages. */
export function outcomeWithout(choice: CertificateChoice | undefined): string {
  if (choice === undefined || mayBeIngressNginx(choice)) return 'the controller serves it with its default certificate'
  const { product, by, without } = choice
  if (without === 'plain HTTP') return `${product} serves it over plain HTTP only`
  return by === 'certificates'
    ? `${product} finds no certificate for it and serves its default one`
    : `${product} serves it with its own default certificate`
}

/** Whether some certificate serves a host; unknown if one may whose names are not in the repository. */
export type Service = 'served' | 'unknown' | 'unserved'

/** Whether a host that no entry lists gets a certificate with its name, in controllers that read certificates. */
export function servedByCertificate(
  snapshot: Snapshot,
  ingress: Manifest,
  host: string,
  choice: CertificateChoice,
): Service {
  const own = tlsEntries(ingress).flatMap(({ secretName }) => secretName.string ?? [])
  const results = own.map((name) => names(snapshot, ingress, name, host))
  if (choice.by === 'certificates') {
    // The entries of every Ingress fill one store, and the server name picks from it.
    if (othersOf(snapshot, ingress).some((other) => brings(snapshot, other, host))) return 'served'
    results.push(...tlsStores(snapshot).map((store) => defaultOf(snapshot, store, host)))
  } else {
    const controllers = controllersHere(snapshot).filter(({ facts }) => facts.name === choice.name)
    results.push(...controllers.flatMap((controller) => byArgument(snapshot, controller, host)))
  }
  if (results.includes('served')) return 'served'
  // ingress-nginx compares the entry's hosts first; certificates with unknown names may match further hosts, but that
  // is not certain.
  const certain = choice.by === 'hosts' ? results.slice(own.length) : results
  return certain.includes('unknown') ? 'unknown' : 'unserved'
}

function othersOf(snapshot: Snapshot, ingress: Manifest): Manifest[] {
  const controller = controllerOf(snapshot, ingress)
  return snapshot
    .ofKind('Ingress.networking.k8s.io')
    .filter((other) => other !== ingress && controllerOf(snapshot, other) === controller)
}

/**
 * Whether the Secrets of an Ingress contain a certificate for a host; if the certificate is unknown, by the hosts it is
 * listed for.
 */
function brings(snapshot: Snapshot, ingress: Manifest, host: string): boolean {
  return tlsEntries(ingress).some(({ hosts, secretName }) => {
    if (!secretName.string) return false
    const service = names(snapshot, ingress, secretName.string, host)
    return service === 'served' || (service === 'unknown' && hosts.some((name) => covers(name.string ?? '', host)))
  })
}

/** Whether the certificate behind a Secret of an object's namespace names a host. */
function names(snapshot: Snapshot, user: Manifest, secret: string, host: string): Service {
  const known = certificatesBehind(snapshot, user, secret)
  if (!known) return 'unknown'
  return known.some((certificate) => certificate.covers(host)) ? 'served' : 'unserved'
}

/** The kinds that give Traefik its default certificate. */
export const tlsStoreKinds = ['TLSStore.traefik.io', 'TLSStore.traefik.containo.us']

function tlsStores(snapshot: Snapshot): Manifest[] {
  return tlsStoreKinds.flatMap((kind) => snapshot.ofKind(kind))
}

function defaultOf(snapshot: Snapshot, store: Manifest, host: string): Service {
  const secret = store.root.at('spec', 'defaultCertificate', 'secretName').string
  if (secret) return names(snapshot, store, secret, host)
  // An ACME resolver makes this one.
  return store.root.at('spec', 'defaultGeneratedCert').exists ? 'unknown' : 'unserved'
}

/** The effect of a controller's default certificate for a host. */
function byArgument(snapshot: Snapshot, { manifest, defaultCertificate }: Controller, host: string): Service[] {
  if (!defaultCertificate) return []
  const [, namespace = '', name = ''] = defaultCertificate.value?.match(/^([^/]*)\/(.+)$/) ?? []
  if (defaultCertificate.value === undefined) return ['unknown']
  if (!name) return []
  const known = certificatesBehind(snapshot, manifest, name, namespace)
  if (!known) return ['unknown']
  return [known.some((certificate) => certificate.covers(host)) ? 'served' : 'unserved']
}
