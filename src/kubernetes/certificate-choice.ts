import type { Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { certificatesBehind } from './certificate'
import { covers, tlsEntries } from './ingress'
import { controllerOf } from './ingress-class'
import { type IngressNginx, ingressNginxIn } from './ingress-nginx'

/** How a controller finds the certificate for a host that an Ingress routes. */
export interface CertificateChoice {
  /** By the hosts of the entry, where a wildcard stands for one label or for nothing; or by the certificates' own names. */
  readonly by: 'hosts' | 'exactHosts' | 'certificates'
  /** Whether the certificate of an entry that lists no hosts, or not this one, may serve a host. */
  readonly asksCertificates: boolean
  /** Whether an entry without a Secret is passed over, where others ask for their default certificate by it. */
  readonly needsSecret?: true
  /** The controller, as messages name it. */
  readonly product: string
  /** What it does with a host that it has no certificate for. */
  readonly otherwise: string
}

/** kubernetes/ingress-nginx, by the `spec.controller` of its IngressClass. */
const ingressNginx = 'k8s.io/ingress-nginx'

/**
 * By the beginning of `spec.controller`. Sources: ingress-nginx controller-v1.15.1, internal/ingress/controller/controller.go
 * (extractTLSSecretName); nginx/kubernetes-ingress 5.5.4, internal/configs/ingress.go (addSSLConfig); Contour 1.33.6,
 * internal/dag/ingress_processor.go; Kong 3.5.13, internal/dataplane/translator/ingressrules.go; Traefik 3.7.9,
 * pkg/provider/kubernetes/ingress/kubernetes.go (getCertificates); haproxytech 3.2.11, pkg/haproxy/certs
 */
const choices: readonly (readonly [controller: string, CertificateChoice])[] = [
  [
    ingressNginx,
    {
      by: 'hosts',
      asksCertificates: true,
      product: 'ingress-nginx',
      otherwise: "it is served with the controller's default certificate",
    },
  ],
  [
    'nginx.org/ingress-controller',
    {
      by: 'exactHosts',
      asksCertificates: false,
      product: "F5's NGINX controller",
      otherwise: "F5's NGINX controller serves it over plain HTTP only",
    },
  ],
  [
    'projectcontour.io/',
    {
      by: 'exactHosts',
      asksCertificates: false,
      needsSecret: true,
      product: 'Contour',
      otherwise: 'Contour serves it over plain HTTP only',
    },
  ],
  [
    'ingress-controllers.konghq.com/',
    {
      by: 'hosts',
      asksCertificates: false,
      product: 'Kong',
      otherwise: 'Kong serves it with its own default certificate',
    },
  ],
  [
    'traefik.io/ingress-controller',
    {
      by: 'certificates',
      asksCertificates: true,
      product: 'Traefik',
      otherwise: 'Traefik, which knows no certificate for it, serves it with its default one',
    },
  ],
  [
    'haproxy.org/ingress-controller',
    {
      by: 'certificates',
      asksCertificates: true,
      product: 'HAProxy',
      otherwise: 'HAProxy, which knows no certificate for it, serves it with its default one',
    },
  ],
]

/** Strings of which the IngressClass of such a controller has one; a prefix alone stands in many an annotation too. */
export const controllerNames: readonly string[] = choices.map(([controller]) =>
  controller.endsWith('/') ? `controller: ${controller}` : controller,
)

/** How the controller of an Ingress's class chooses; undefined where the snapshot does not tell which one that is. */
export function certificateChoice(snapshot: Snapshot, ingress: Manifest): CertificateChoice | undefined {
  const controller = controllerOf(snapshot, ingress)
  return controller === undefined ? undefined : choices.find(([prefix]) => controller.startsWith(prefix))?.[1]
}

/** Whether kubernetes/ingress-nginx, whose annotations these are, may serve an Ingress. */
export function mayBeIngressNginx(choice: CertificateChoice | undefined): boolean {
  return choice === undefined || choice.product === 'ingress-nginx'
}

/** Whether some certificate serves a host; unknown where one may, whose names are not in the repository. */
export type Service = 'served' | 'unknown' | 'unserved'

/** Whether a host that no entry lists gets a certificate that names it, for controllers that look into certificates. */
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
  } else results.push(...ingressNginxIn(snapshot).flatMap((controller) => byArgument(snapshot, controller, host)))
  if (results.includes('served')) return 'served'
  // ingress-nginx is asked by the entry's hosts first; what a certificate of unknown names may do besides is no promise.
  const certain = choice.by === 'hosts' ? results.slice(own.length) : results
  return certain.includes('unknown') ? 'unknown' : 'unserved'
}

function othersOf(snapshot: Snapshot, ingress: Manifest): Manifest[] {
  const controller = controllerOf(snapshot, ingress)
  return snapshot
    .ofKind('Ingress.networking.k8s.io')
    .filter((other) => other !== ingress && controllerOf(snapshot, other) === controller)
}

/** Whether the Secrets of an Ingress bring a certificate for a host; where the certificate is unknown, by what it is listed for. */
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

/** What `--default-ssl-certificate=namespace/name` of a controller does for a host. */
function byArgument(snapshot: Snapshot, controller: IngressNginx, host: string): Service[] {
  const [namespace = '', name = ''] = controller.argument('default-ssl-certificate')?.split('/') ?? []
  if (!name) return []
  const at = namespace === '$(POD_NAMESPACE)' ? controller.manifest.ref.namespace : namespace
  const known = certificatesBehind(snapshot, controller.manifest, name, at)
  if (!known) return ['unknown']
  return [known.some((certificate) => certificate.covers(host)) ? 'served' : 'unserved']
}
