import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { proxyKind, servicesOfProxy } from './contour-proxy'
import { isPlaceholder } from './ingress'
import { traefikRouteKinds } from './traefik-kinds'
import { traefikServiceKinds, traefikServicesIn } from './traefik-services'

const ingressKind: GroupKind = 'Ingress.networking.k8s.io'

/** The kinds of routes of Gateway API, whose rules name Services. */
export const routeKinds: readonly GroupKind[] = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map(
  (kind) => `${kind}.gateway.networking.k8s.io`,
)

/** The kinds that name the Services which serve requests. */
export const backendKinds: readonly GroupKind[] = [
  ingressKind,
  ...routeKinds,
  ...traefikRouteKinds,
  ...traefikServiceKinds,
  proxyKind,
]

/** The kinds of Traefik among them. */
const traefikKinds = [...traefikRouteKinds, ...traefikServiceKinds]

/** A Service and a port of it that an Ingress or a route sends requests to. */
export interface Backend {
  readonly name: Cursor
  readonly service: string
  readonly namespace: string
  readonly port: Cursor
  /** A number, or a name; undefined where there is neither, or it is filled in later. */
  readonly wanted: number | string | undefined
  /** Whether the API takes the port by its number alone. */
  readonly isNumbered?: true
}

/** The backends that were read: many rules ask for them. */
const known = new WeakMap<Manifest, readonly Backend[]>()

/** The backends of an Ingress or a route that are Services, as far as their names are written. */
export function backendsOf(manifest: Manifest): readonly Backend[] {
  const backends =
    known.get(manifest) ?? readBackends(manifest).filter(({ service }) => service !== '' && !isPlaceholder(service))
  known.set(manifest, backends)
  return backends
}

function readBackends(manifest: Manifest): Backend[] {
  const kind = groupKindOf(manifest.ref)
  if (kind === ingressKind) return ofIngress(manifest)
  if (kind === proxyKind) return ofProxy(manifest)
  return traefikKinds.includes(kind) ? ofTraefikObject(manifest) : ofRoute(manifest)
}

/** The names of the Services that an Ingress or a route names. */
export function* servicesNamedBy(manifest: Manifest): Iterable<string> {
  for (const { service } of backendsOf(manifest)) yield service
}

function placesIn(manifest: Manifest): Cursor[] {
  const spec = manifest.root.at('spec')
  const rules = [...spec.at('rules').items()]
  if (groupKindOf(manifest.ref) !== ingressKind) return rules.flatMap((rule) => [...rule.at('backendRefs').items()])
  const paths = rules.flatMap((rule) => [...rule.at('http', 'paths').items()])
  return [spec.at('defaultBackend'), spec.at('backend'), ...paths.map((path) => path.at('backend'))]
}

function ofIngress(ingress: Manifest): Backend[] {
  return placesIn(ingress).flatMap((backend) => {
    const service = backend.at('service')
    // The form of networking.k8s.io/v1beta1 and extensions/v1beta1 has both in the backend itself.
    const [name, port] = service.exists
      ? [service.at('name'), partOf(service.at('port'))]
      : [backend.at('serviceName'), backend.at('servicePort')]
    // An action of the AWS Load Balancer Controller, which has the name of no Service. Source:
    // https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/#actions
    if (port.string === 'use-annotation') return []
    return backendAt(name, port, ingress.ref.namespace)
  })
}

/** The part of a port that is written: the name or the number. */
function partOf(port: Cursor): Cursor {
  return port.at('name').exists ? port.at('name') : port.at('number')
}

function ofRoute(route: Manifest): Backend[] {
  return placesIn(route)
    .filter((ref) => (ref.at('kind').string ?? 'Service') === 'Service' && (ref.at('group').string ?? '') === '')
    .flatMap((ref) => backendAt(ref.at('name'), ref.at('port'), ref.at('namespace').string ?? route.ref.namespace))
    .map((backend) => ({ ...backend, isNumbered: true as const }))
}

/**
 * Source: traefik v3.7.9, pkg/provider/kubernetes/crd/kubernetes.go, getServicePort, and kubernetes_http.go, loadServers; a
 * name with a provider (`web@file`) is no Service.
 */
function ofTraefikObject(user: Manifest): Backend[] {
  return traefikServicesIn(user)
    .filter((ref) => (ref.at('kind').string ?? 'Service') === 'Service' && !ref.at('name').string?.includes('@'))
    .flatMap((ref) => backendAt(ref.at('name'), ref.at('port'), ref.at('namespace').string || user.ref.namespace))
}

function ofProxy(proxy: Manifest): Backend[] {
  return servicesOfProxy(proxy).flatMap((one) => backendAt(one.at('name'), one.at('port'), proxy.ref.namespace))
}

/** The backend of a name and a port, as they are written. */
export function backendAt(name: Cursor, port: Cursor, namespace: string): Backend[] {
  if (name.string === undefined) return []
  const { value } = port
  const wanted = typeof value === 'number' ? value : nameOrNumber(port.string)
  return [{ name, service: name.string, namespace, port, wanted }]
}

function nameOrNumber(text: string | undefined): number | string | undefined {
  if (!text || isPlaceholder(text)) return undefined
  return /^\d+$/.test(text) ? Number(text) : text
}

/**
 * What an Ingress or a route of app-template asks of the values it is made from, and that they do not have. `name` and
 * `identifier`: it asks for a Service in a way that only some versions of the chart read. `suffix`: it asks for the only Service by a name
 * that ends in its identifier, which only one of several has.
 */
export type LackKind = 'service' | 'controller' | 'port' | 'name' | 'identifier' | 'suffix'

/** What the values lack that an assumed Ingress or route asks for. */
export interface Lack {
  readonly at: Cursor
  readonly kind: LackKind
  readonly text: string
  /** The Service that a port is asked of, or a controller is named by. */
  readonly of: string
  readonly known: readonly string[]
}

/** What the values lack that an Ingress or a route asks for which is assumed from them. */
export function lacksOf(manifest: Manifest): Lack[] {
  if (!manifest.assumption) return []
  return placesIn(manifest).flatMap((place) => {
    const lack = place.at('lack')
    const [kind, text, of] = ['kind', 'text', 'of'].map((key) => lack.at(key).string ?? '')
    const known = [...lack.at('known').items()].flatMap(({ string }) => string ?? [])
    return text ? [{ at: lack, kind: kind as LackKind, text, of: of ?? '', known }] : []
  })
}

/** A Service's port, as clients and controllers name it. */
export interface ServicePort {
  readonly name: string | undefined
  readonly number: unknown
  readonly target: unknown
}

/**
 * The ports of a Service; undefined where they do not decide which requests it takes: it has none written, they are filled in
 * later, or it is only another name for a host.
 */
export function portsOfService({ root }: Manifest): ServicePort[] | undefined {
  const spec = root.at('spec')
  const ports = [...spec.at('ports').items()].map((port) => ({
    name: port.at('name').string,
    number: port.at('port').value,
    target: port.at('targetPort').value,
  }))
  const isFilled = ports.some(
    ({ name, number, target }) =>
      typeof number !== 'number' || [name, target].some((text) => typeof text === 'string' && isPlaceholder(text)),
  )
  return spec.at('type').string === 'ExternalName' || ports.length === 0 || isFilled ? undefined : ports
}
