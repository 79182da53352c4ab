import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { type Backend, backendAt } from './backend'
import { isPlaceholder } from './ingress'

/** The group of Istio's routes, whose kinds create no other objects. */
export const istioGroup = 'networking.istio.io'

/** The kind of Istio that routes hosts to Services. */
export const virtualServiceKind: GroupKind = `VirtualService.${istioGroup}`

/** The kind of Istio that a VirtualService is bound to, to be reached from outside of the mesh. */
export const istioGatewayKind: GroupKind = `Gateway.${istioGroup}`

/** A Gateway as a VirtualService names it. */
export interface NamedGateway {
  readonly at: Cursor
  readonly namespace: string
  readonly name: string
}

/**
 * The Gateways that a VirtualService names: `NAME` in its own namespace, or `NAMESPACE/NAME`. `mesh` is no object. Source:
 * istio/istio at 0a617ca985f9, pkg/config/analysis/analyzers/virtualservice/gateways.go
 */
export function gatewaysOf({ root, ref }: Manifest): NamedGateway[] {
  return [...root.at('spec', 'gateways').items()].flatMap((at) => {
    const written = at.string ?? ''
    // A name with dots has the form of Istio 1.0, which includes the namespace.
    if (written === '' || written === 'mesh' || written.includes('.') || isPlaceholder(written)) return []
    const [name = '', namespace = ref.namespace] = written.split('/').reverse()
    return [{ at, namespace, name }]
  })
}

/**
 * The Services that a VirtualService sends requests to: `NAME` in its own namespace, or `NAME.NAMESPACE.svc.DOMAIN`. Other names
 * with dots are hosts of a ServiceEntry. Source: istio/istio at 00184045fac0, pilot/pkg/model/config.go, ResolveShortnameToFQDN
 */
export function backendsOfVirtualService(virtualService: Manifest): Backend[] {
  return destinationsOf(virtualService).flatMap(({ at }) => {
    const host = at.at('host')
    const [, service, namespace] = /^([^.*]+)(?:\.([^.]+)\.svc\.[^/]+)?$/.exec(host.string ?? '') ?? []
    if (service === undefined || isPlaceholder(host.string ?? '')) return []
    const found = backendAt(host, at.at('port', 'number'), namespace ?? virtualService.ref.namespace)
    return found.map((backend) => ({ ...backend, service }))
  })
}

/** The destinations of a VirtualService, and their weights. */
export function destinationsOf({ root }: Manifest): { readonly at: Cursor; readonly weight: unknown }[] {
  const rules = ['http', 'tls', 'tcp'].flatMap((protocol) => [...root.at('spec', protocol).items()])
  return rules
    .flatMap((rule) => [...rule.at('route').items()])
    .map((route) => ({ at: route.at('destination'), weight: route.at('weight').value }))
}

/**
 * Whether one of a Gateway's servers takes a host of a VirtualService, which it may name as `NAMESPACE/HOST`; undefined where that
 * is not written. Source: istio/istio at 0a617ca985f9, pkg/config/analysis/analyzers/virtualservice/gateways.go, vsHostInGateway
 */
export function servesHostOf(gateway: Manifest, virtualService: Manifest): boolean | undefined {
  const own = hostsIn(virtualService.root.at('spec', 'hosts'))
  const served = [...gateway.root.at('spec', 'servers').items()].flatMap((server) => hostsIn(server.at('hosts')))
  // A name without a dot is a Service of the mesh.
  const isKnown = (host: string) => host === '*' || (host.includes('.') && !isPlaceholder(host))
  if (own.length === 0 || served.length === 0 || !own.every(isKnown)) return undefined
  const { namespace: itsNamespace } = virtualService.ref
  const isLetIn = (namespace: string) =>
    ['*', itsNamespace].includes(namespace === '.' ? gateway.ref.namespace : namespace)
  const taken = served.flatMap((written) => {
    const [host = '', namespace = '*'] = written.split('/').reverse()
    return isLetIn(namespace) ? [host] : []
  })
  if (taken.some((host) => !isKnown(host))) return undefined
  return taken.some((host) => own.some((name) => overlap(host, name)))
}

/** The hosts of a list, in lower case. */
export function hostsIn(list: Cursor): string[] {
  return [...list.items()].flatMap(({ string }) => string?.toLowerCase() ?? [])
}

/** Whether two names have hosts in common: `*` is any text. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => (name.startsWith('*') ? name.slice(1) : undefined))
  if (a !== undefined && b !== undefined) return a.endsWith(b) || b.endsWith(a)
  if (a !== undefined) return other.endsWith(a)
  return b === undefined ? one === other : one.endsWith(b)
}
