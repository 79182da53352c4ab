import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { releaseKinds } from './chart-release'

/** The kinds with settings by which requests go to the address of a Service. */
export const addressKinds: readonly GroupKind[] = [
  'ConfigMap',
  'Ingress.networking.k8s.io',
  'Service',
  'Middleware.traefik.io',
  'Middleware.traefik.containo.us',
  ...releaseKinds,
]

/** The addresses of a Service begin with these. */
export function addressOf({ ref: { name, namespace } }: Manifest): string {
  return `${name}.${namespace}`
}

/**
 * The settings of an object by which requests of clients go to the address of a Service, directly or to be
 * authenticated.
 */
export function settingsFor(address: string, manifest: Manifest): Cursor[] {
  const { root } = manifest
  const names = (at: Cursor) => at.string !== undefined && hosts(at.string).includes(address)
  switch (groupKindOf(manifest.ref)) {
    case 'Ingress.networking.k8s.io':
      return [...root.at('metadata', 'annotations').entries()].map(([, at]) => at).filter(names)
    case 'Service':
      return [root.at('spec', 'externalName')].filter(({ string = '' }) => isAddress(string, address))
    case 'ConfigMap':
      return proxiesIn(root.at('data'), address)
    case 'Middleware.traefik.io':
    case 'Middleware.traefik.containo.us':
      return [root.at('spec', 'forwardAuth', 'address')].filter(names)
    default:
      return proxiesIn(root.at('spec'), address)
  }
}

/** The settings of proxies and tunnels in a map, at any depth, also in files that it has as texts. */
function proxiesIn(at: Cursor, address: string): Cursor[] {
  if (at.isMap) return [...at.entries()].flatMap(([, inner]) => proxiesIn(inner, address))
  if (at.isList) return [...at.items()].flatMap((inner) => proxiesIn(inner, address))
  const text = at.string
  if (text === undefined || !text.includes(address)) return []
  const line = at.path.at(-1) === 'service' ? `service: ${text}` : text
  return line.split('\n').some((one) => sends(one, address)) ? [at] : []
}

/**
 * Whether a line of a configuration sends requests to an address: `service:` of cloudflared, `proxy_pass` and `server` of
 * NGINX and HAProxy, `reverse_proxy` of Caddy. Sources:
 * https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/do-more-with-tunnels/local-management/configuration-file/,
 * https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_pass, https://caddyserver.com/docs/caddyfile/directives/reverse_proxy
 */
function sends(line: string, address: string): boolean {
  const words = line.split(/[\s;]+/).filter((word) => word !== '' && word !== '-')
  const [key = '', ...values] = words
  if (key === 'service:' || key === 'proxy_pass') return values.some((word) => hosts(word).includes(address))
  if (key !== 'server' && key !== 'reverse_proxy') return false
  return values.some((word) => isAddress(word, address) || hosts(word).includes(address))
}

/** The `NAME.NAMESPACE` of the URLs in a text. */
function hosts(text: string): string[] {
  return text
    .split('://')
    .slice(1)
    .flatMap((rest) => serviceIn(rest))
}

/** Whether a text is the address of a Service, with its port or without. */
function isAddress(text: string, address: string): boolean {
  return serviceIn(text).includes(address)
}

/** The `NAME.NAMESPACE` of the host that a text begins with, if that may be a Service. */
function serviceIn(text: string): string[] {
  const [host = ''] = /^[a-z0-9.-]*/.exec(text) ?? []
  const [name, namespace, domain = 'svc'] = host.split('.')
  return name && namespace && domain === 'svc' ? [`${name}.${namespace}`] : []
}
