import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { ofTraefik } from './traefik-kinds'
import { traefikServiceKinds } from './traefik-services'
import { virtualServiceKind } from './virtual-service'

/** The routes of the Gateway API whose rules share requests out by weights. */
export const weighedRoutes: readonly GroupKind[] = ['HTTPRoute', 'GRPCRoute'].map(
  (kind) => `${kind}.gateway.networking.k8s.io`,
)

const ingressRouteKinds = ofTraefik('IngressRoute')

const envoyGroup = 'gateway.envoyproxy.io'
const kongPluginKind: GroupKind = 'KongClusterPlugin.configuration.konghq.com'
const faultPolicyKind: GroupKind = `BackendTrafficPolicy.${envoyGroup}`
const accessPolicyKind: GroupKind = `SecurityPolicy.${envoyGroup}`

/** The kinds that belong to one route. */
export const answeringKinds: readonly GroupKind[] = [
  'Ingress.networking.k8s.io',
  ...weighedRoutes,
  ...ingressRouteKinds,
  ...traefikServiceKinds,
  virtualServiceKind,
]

/** The kinds that refuse requests of other objects. */
export const refusingKinds: readonly GroupKind[] = [faultPolicyKind, accessPolicyKind, kongPluginKind]

/** A place that has all requests of an object, or of one of its rules, refused. */
export interface Refusal {
  readonly kind: 'unweighted' | 'aborted' | 'denied' | 'terminated' | 'returned' | 'looped'
  readonly at: Cursor
  /** What differs from other places of the object. */
  readonly key: string
  /** What messages name. */
  readonly detail: string
}

/** The places of an object that have all requests refused. */
export function refusalsOf(manifest: Manifest): Refusal[] {
  const kind = groupKindOf(manifest.ref)
  if (kind === 'Ingress.networking.k8s.io') return [...returnsOf(manifest), ...loopsOf(manifest)]
  if (weighedRoutes.includes(kind)) return unweightedRules(manifest)
  if (ingressRouteKinds.includes(kind) || traefikServiceKinds.includes(kind)) return unweightedServices(manifest)
  if (kind === virtualServiceKind) return faultsOf(manifest)
  if (kind === faultPolicyKind) return abortsOf(manifest)
  if (kind === accessPolicyKind) return denialsOf(manifest)
  return kind === kongPluginKind ? terminationsOf(manifest) : []
}

/** The first place, if there are any and all have the weight 0. */
function allWithoutWeight(backends: readonly Cursor[]): Cursor | undefined {
  const weights = backends.map((one) => one.at('weight'))
  return weights.every(({ value }) => value === 0) ? weights[0] : undefined
}

/** Source: Gateway API 1.6.1, apis/v1/httproute_types.go, BackendRefs: 500 where all weights are 0 */
function unweightedRules({ root }: Manifest): Refusal[] {
  return [...root.at('spec', 'rules').items()].flatMap((rule, index): Refusal[] => {
    const at = allWithoutWeight([...rule.at('backendRefs').items()])
    const filters = [...rule.at('filters').items()]
    const isRedirect = filters.some((one) => one.at('type').string === 'RequestRedirect')
    const key = JSON.stringify(rule.at('matches').value ?? index)
    return at && !isRedirect ? [{ kind: 'unweighted', at, key, detail: 'the Gateway answers 500' }] : []
  })
}

/**
 * A single service of a route has no weight. Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/provider/kubernetes/crd/kubernetes_http.go
 * and pkg/server/service/loadbalancer/wrr/wrr.go, Add
 */
function unweightedServices({ root }: Manifest): Refusal[] {
  const shared = [...root.at('spec', 'weighted', 'services').items()]
  const routes = [...root.at('spec', 'routes').items()].map((route) => [...route.at('services').items()])
  return [shared, ...routes.filter((services) => services.length > 1)].flatMap((services): Refusal[] => {
    const at = allWithoutWeight(services)
    const key = JSON.stringify(services.map((one) => one.at('name').value))
    return at ? [{ kind: 'unweighted', at, key, detail: 'Traefik answers 503' }] : []
  })
}

/**
 * The fault of the first rule, if that takes all requests of clients from outside. Source:
 * https://istio.io/latest/docs/reference/config/networking/virtual-service/#HTTPFaultInjection-Abort
 */
function faultsOf({ root }: Manifest): Refusal[] {
  const [rule] = [...root.at('spec', 'http').items()]
  const gateways = [...root.at('spec', 'gateways').items()]
  if (!rule || rule.at('match').exists || gateways.every(({ string }) => string === 'mesh')) return []
  const abort = rule.at('fault', 'abort')
  return aborts(abort, abort.at('percentage', 'value').value ?? abort.at('percent').value ?? 0)
}

/** Source: https://gateway.envoyproxy.io/docs/api/extension_types/#faultinjectionabort */
function abortsOf({ root }: Manifest): Refusal[] {
  const abort = root.at('spec', 'faultInjection', 'abort')
  return aborts(abort, abort.at('percentage').value ?? 100)
}

function aborts(abort: Cursor, percentage: unknown): Refusal[] {
  const status = abort.at('httpStatus').value ?? abort.at('grpcStatus').value
  if (!abort.exists || typeof percentage !== 'number' || percentage < 100) return []
  return [{ kind: 'aborted', at: abort, key: '', detail: status === undefined ? 'an error' : String(status) }]
}

/** Source: https://gateway.envoyproxy.io/docs/api/extension_types/#authorization: without a default action, Deny */
function denialsOf({ root }: Manifest): Refusal[] {
  const authorization = root.at('spec', 'authorization')
  const action = authorization.at('defaultAction')
  const rules = authorization.at('rules')
  const isOpen = (action.string ?? 'Deny') !== 'Deny'
  if (!authorization.isMap || isOpen || [...rules.items()].some((rule) => rule.at('action').string !== 'Deny'))
    return []
  return [{ kind: 'denied', at: action.exists ? action : authorization, key: '', detail: '' }]
}

/** Source: https://developer.konghq.com/plugins/request-termination/ */
function terminationsOf({ root }: Manifest): Refusal[] {
  const plugin = root.at('plugin')
  const isGlobal = root.at('metadata', 'labels', 'global').string === 'true'
  const isOff = root.at('disabled').value === true || root.at('config', 'trigger').isSet
  if (plugin.string !== 'request-termination' || !isGlobal || isOff) return []
  return [{ kind: 'terminated', at: plugin, key: '', detail: String(root.at('config', 'status_code').value ?? 503) }]
}

const nginx = 'nginx.ingress.kubernetes.io'

/** A `return` of an error that no block of a server-snippet encloses. */
function returnsOf({ root }: Manifest): Refusal[] {
  const at = root.at('metadata', 'annotations', `${nginx}/server-snippet`)
  const statements = outsideOfBlocks(at.string ?? '').split(/[;\n]/)
  const status = statements.map((one) => /^\s*return\s+([45]\d\d)\b/.exec(one)?.[1]).find((one) => one !== undefined)
  return status ? [{ kind: 'returned', at, key: status, detail: status }] : []
}

/** A text without what is in braces, and without comments. */
function outsideOfBlocks(text: string): string {
  let depth = 0
  let outside = ''
  for (const line of text.split('\n')) {
    for (const part of line.replace(/#.*/, '').split(/([{}])/)) {
      if (part === '{') depth++
      else if (part === '}') depth--
      else if (depth === 0) outside += part
      if (part === '}' && depth === 0) outside += ';'
    }
    outside += '\n'
  }
  return outside
}

/** A redirect of all requests for a path to that path of the same host. */
function loopsOf({ root }: Manifest): Refusal[] {
  const annotations = root.at('metadata', 'annotations')
  return ['permanent-redirect', 'temporal-redirect'].flatMap((name): Refusal[] => {
    const at = annotations.at(`${nginx}/${name}`)
    const [, host = '', path = ''] = /^https?:\/\/([^/?#$]+)(\/[^?#$]*)?$/.exec(at.string ?? '') ?? []
    const isOwn = [...root.at('spec', 'rules').items()].some((rule) => {
      const paths = [...rule.at('http', 'paths').items()].map((one) => one.at('path').string ?? '/')
      return rule.at('host').string === host && paths.some((one) => withoutSlash(one) === withoutSlash(path))
    })
    return host !== '' && isOwn ? [{ kind: 'looped', at, key: name, detail: at.string ?? '' }] : []
  })
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
