import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'

/** Contour's kind of routes. */
export const proxyKind: GroupKind = 'HTTPProxy.projectcontour.io'

/**
 * The places at which an HTTPProxy names Services, all of its own namespace, with the numbers of their ports. Source:
 * https://github.com/projectcontour/contour/blob/v1.33.6/internal/dag/httpproxy_processor.go (computeRoutes, processHTTPProxyTCPProxy)
 * and cache.go (LookupService)
 */
export function servicesOfProxy({ root }: Manifest): Cursor[] {
  const spec = root.at('spec')
  const routes = [...spec.at('routes').items()]
  return [...routes, spec.at('tcpproxy')].flatMap((one) => [...one.at('services').items()])
}
