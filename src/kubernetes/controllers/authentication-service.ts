import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { type Backend, backendAt } from '../ingress/backend'
import { isPlaceholder } from '../ingress/ingress'
import { controllersHere } from './controller'
import { envoyController, hasEnvoyGateway } from './envoy-gateway'
import { middlewareKinds } from './traefik-middleware'

const annotation = 'nginx.ingress.kubernetes.io/auth-url'
const globalKey = 'global-auth-url'

const securityPolicyKind: GroupKind = 'SecurityPolicy.gateway.envoyproxy.io'

/** The kinds that name an authentication service, and what each object that does contains. */
export const authenticationSubjects: readonly { readonly kinds: readonly GroupKind[]; readonly marks: string[] }[] = [
  { kinds: ['Ingress.networking.k8s.io'], marks: [annotation] },
  { kinds: ['ConfigMap'], marks: [globalKey] },
  { kinds: middlewareKinds, marks: ['forwardAuth'] },
  { kinds: [securityPolicyKind], marks: ['extAuth'] },
]

export const authenticationKinds: readonly GroupKind[] = authenticationSubjects.flatMap(({ kinds }) => kinds)

/** What the class of Envoy Gateway contains. */
export const marksOfReaders: readonly string[] = [envoyController]

/** A Service that a controller asks about each request, before it lets the request through. */
export interface AuthenticationService extends Backend {
  readonly wanted: number
  /** Whether its address says that it is a Service: a short name may be another host. */
  readonly isWhole: boolean
}

/**
 * The Service that an object has a controller ask. Traefik looks a short name up from the namespace of its own Pods, and nginx
 * looks none up: it reads no search domains.
 */
export function authenticationServiceOf(manifest: Manifest, snapshot: Snapshot): AuthenticationService | undefined {
  if (groupKindOf(manifest.ref) === securityPolicyKind) return externalServiceOf(manifest)
  const at = addressOf(manifest)
  const address = hostAndPort(at?.string ?? '')
  if (!at || !address) return undefined
  const [service = '', namespace, svc, ...domain] = address.labels
  const isWhole = svc === 'svc' && ['', 'cluster.local'].includes(domain.join('.'))
  const isForTraefik = middlewareKinds.includes(groupKindOf(manifest.ref))
  if (!isWhole && (svc !== undefined || !isForTraefik)) return undefined
  const home = namespace ?? homeOfTraefik(snapshot)
  return home === undefined
    ? undefined
    : { name: at, port: at, service, namespace: home, wanted: address.port, isWhole }
}

/**
 * The Service of a SecurityPolicy of Envoy Gateway; another kind of backend has an address of its own. Source:
 * https://github.com/envoyproxy/gateway/blob/v1.9.0/api/v1alpha1/ext_auth_types.go, and internal/gatewayapi/securitypolicy.go:
 * without its backend, each request gets 500
 */
function externalServiceOf(policy: Manifest): AuthenticationService | undefined {
  const [ref] = ['http', 'grpc'].flatMap((protocol) => {
    const service = policy.root.at('spec', 'extAuth', protocol)
    return [...service.at('backendRefs').items(), service.at('backendRef')].filter(({ exists }) => exists)
  })
  const wanted = ref?.at('port').value
  if (!ref || (ref.at('kind').string ?? 'Service') !== 'Service' || typeof wanted !== 'number') return undefined
  const [backend] = backendAt(ref.at('name'), ref.at('port'), ref.at('namespace').string || policy.ref.namespace)
  return backend && !isPlaceholder(backend.service) ? { ...backend, wanted, isWhole: true } : undefined
}

/** Whether a controller is here that reads the object which names an authentication service. */
export function hasReader({ ref }: Manifest, snapshot: Snapshot): boolean {
  if (groupKindOf(ref) === securityPolicyKind) return hasEnvoyGateway(snapshot)
  const reader = middlewareKinds.includes(groupKindOf(ref)) ? 'traefik-crd' : 'ingress-nginx'
  return controllersHere(snapshot).some(({ facts }) => facts.name === reader)
}

/** The names of the Service and, where it is written, of the namespace that an object's address begins with. */
export function namesInAddress(manifest: Manifest): string[] {
  const external = groupKindOf(manifest.ref) === securityPolicyKind ? externalServiceOf(manifest) : undefined
  if (external) return [external.service, external.namespace].filter(Boolean)
  return hostAndPort(addressOf(manifest)?.string ?? '')?.labels.slice(0, 2) ?? []
}

function addressOf({ ref, root }: Manifest): Cursor | undefined {
  const kind = groupKindOf(ref)
  if (kind === 'ConfigMap') return root.at('data', globalKey)
  if (middlewareKinds.includes(kind)) return root.at('spec', 'forwardAuth', 'address')
  return kind === 'Ingress.networking.k8s.io' ? root.at('metadata', 'annotations', annotation) : undefined
}

/** The labels of the host, and the port; undefined where a variable or a tool fills the host in. */
function hostAndPort(text: string): { labels: string[]; port: number } | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const byDefault = { 'http:': 80, 'https:': 443 }[url?.protocol ?? '']
  if (!url || byDefault === undefined) return undefined
  const labels = url.hostname.replace(/\.$/, '').split('.')
  if (!labels.every((label) => /^[a-z0-9-]+$/.test(label))) return undefined
  return { labels, port: url.port === '' ? byDefault : Number(url.port) }
}

/** The namespace of the Pods of Traefik, if they are all in one that is known. */
function homeOfTraefik(snapshot: Snapshot): string | undefined {
  const homes = controllersHere(snapshot).flatMap(({ facts, namespace }) =>
    facts.name === 'traefik-crd' ? [namespace] : [],
  )
  const [home, ...others] = new Set(homes)
  return others.length > 0 ? undefined : home || undefined
}

/** The authentication services that a snapshot's objects name, by the name of the Service. */
export function authenticationServicesIn(snapshot: Snapshot): ReadonlyMap<string, readonly AuthenticationService[]> {
  const before = known.get(snapshot)
  if (before) return before
  const found = new Map<string, AuthenticationService[]>()
  for (const manifest of authenticationKinds.flatMap((kind) => snapshot.ofKind(kind))) {
    const service = authenticationServiceOf(manifest, snapshot)
    if (service) append(found, service.service, service)
  }
  known.set(snapshot, found)
  return found
}

/** The rule asks for every removed Service; a snapshot never changes. */
const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly AuthenticationService[]>>()
