import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { traefikServiceKinds, traefikServicesIn } from '../ingress/traefik-services'
import { ingressRouteKinds, middlewareKinds, serversTransportKinds } from './traefik-middleware'

/** Envoy Gateway's own kind of filters, which routes name. */
export const routeFilterKind: GroupKind = 'HTTPRouteFilter.gateway.envoyproxy.io'

const filteredKinds: readonly GroupKind[] = ['HTTPRoute', 'GRPCRoute'].map(
  (kind) => `${kind}.gateway.networking.k8s.io`,
)

/** The kinds that name extensions. */
export const extendedKinds: readonly GroupKind[] = [
  ...ingressRouteKinds,
  ...traefikServiceKinds,
  ...middlewareKinds,
  ...filteredKinds,
]

/** An object of a controller's own kind by which a route has its requests changed, shared out or sent. */
export interface ExtensionName {
  /** In all groups that the controller reads. */
  readonly kinds: readonly GroupKind[]
  readonly namespace: string
  readonly name: string
  readonly at: Cursor
}

/** The extensions that an object names, as far as their names are written. */
export function extensionsNamedBy(user: Manifest): ExtensionName[] {
  const kind = groupKindOf(user.ref)
  const named = filteredKinds.includes(kind)
    ? filtersOf(user)
    : extendedKinds.includes(kind)
      ? ofTraefikObject(user)
      : []
  // One with a provider is no object.
  return named.filter(
    ({ name, namespace }) =>
      name !== '' && namespace !== '' && !name.includes('@') && ![name, namespace].some(isPlaceholder),
  )
}

function filtersOf({ ref, root }: Manifest): ExtensionName[] {
  return [...root.at('spec', 'rules').items()]
    .flatMap((rule) => [rule, ...rule.at('backendRefs').items()])
    .flatMap((one) => [...one.at('filters').items()])
    .map((filter) => filter.at('extensionRef'))
    .filter((at) => `${at.at('kind').string}.${at.at('group').string}` === routeFilterKind)
    .map((at) => ({
      kinds: [routeFilterKind],
      namespace: ref.namespace,
      name: at.at('name').string ?? '',
      at: at.at('name'),
    }))
}

function ofTraefikObject(user: Manifest): ExtensionName[] {
  const { ref, root } = user
  const routes = [...root.at('spec', 'routes').items()]
  const middlewares = [...routes.map((one) => one.at('middlewares')), root.at('spec', 'chain', 'middlewares')]
  const services = traefikServicesIn(user)
  const named = (kinds: readonly GroupKind[], at: Cursor, namespace?: Cursor): ExtensionName => ({
    kinds,
    namespace: namespace?.string || ref.namespace,
    name: at.string ?? '',
    at,
  })
  return [
    ...middlewares
      .flatMap((list) => [...list.items()])
      .map((one) => named(middlewareKinds, one.at('name'), one.at('namespace'))),
    ...services
      .filter((one) => one.at('kind').string === 'TraefikService')
      .map((one) => named(traefikServiceKinds, one.at('name'), one.at('namespace'))),
    ...services.map((one) => named(serversTransportKinds, one.at('serversTransport'))),
  ]
}

/** The first name of an extension in a snapshot. */
export function firstNameOf(snapshot: Snapshot, extension: Pick<ExtensionName, 'kinds' | 'namespace' | 'name'>) {
  return namersIn(snapshot).get(keyOf(extension))
}

function namersIn(snapshot: Snapshot): ReadonlyMap<string, ExtensionName> {
  const before = known.get(snapshot)
  if (before) return before
  const found = new Map<string, ExtensionName>()
  for (const one of extendedKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(extensionsNamedBy))
    if (!found.has(keyOf(one))) found.set(keyOf(one), one)
  known.set(snapshot, found)
  return found
}

function keyOf({ kinds, namespace, name }: Pick<ExtensionName, 'kinds' | 'namespace' | 'name'>): string {
  return JSON.stringify([kinds[0], namespace, name])
}

/** The rule asks for every name; a snapshot never changes. */
const known = new WeakMap<Snapshot, ReadonlyMap<string, ExtensionName>>()
