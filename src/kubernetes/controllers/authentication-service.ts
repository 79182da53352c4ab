import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import type { Backend } from '../ingress/backend'
import { controllersHere } from './controller'
import { middlewareKinds } from './traefik-middleware'

const annotation = 'nginx.ingress.kubernetes.io/auth-url'
const globalKey = 'global-auth-url'

/** The kinds that name an authentication service, and what each object that does contains. */
export const authenticationSubjects: readonly { readonly kinds: readonly GroupKind[]; readonly marks: string[] }[] = [
  { kinds: ['Ingress.networking.k8s.io'], marks: [annotation] },
  { kinds: ['ConfigMap'], marks: [globalKey] },
  { kinds: middlewareKinds, marks: ['forwardAuth'] },
]

export const authenticationKinds: readonly GroupKind[] = authenticationSubjects.flatMap(({ kinds }) => kinds)

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

/** The names of the Service and, where it is written, of the namespace that an object's address begins with. */
export function namesInAddress(manifest: Manifest): string[] {
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
