import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isOfNobody } from '../ingress/source-ranges'
import { ingressRouteKinds, isForTraefik, keyOf, middlewaresOf } from './traefik-middleware'

/**
 * The list of a Middleware that lets in no client. With a strategy, the addresses are those that a header names. Source:
 * https://github.com/traefik/traefik/blob/v3.7.9/pkg/middlewares/ipallowlist/ip_allowlist.go
 */
export function closedListOf({ root }: Manifest): Cursor | undefined {
  return ['ipAllowList', 'ipWhiteList']
    .map((field) => root.at('spec', field))
    .filter((list) => !list.at('ipStrategy').exists)
    .map((list) => list.at('sourceRange'))
    .find((list) => {
      const ranges = rangesIn(list)
      return ranges.length > 0 && ranges.every(isOfNobody)
    })
}

/** The items of a list of addresses. */
export function rangesIn(list: Cursor): string[] {
  return [...list.items()].map(({ string = '' }) => string.trim())
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The IngressRoutes and Ingresses that name a Middleware for themselves. */
export function usersOfMiddleware({ ref }: Manifest, snapshot: Snapshot): readonly Manifest[] {
  return ref.namespace === '' ? [] : (usersIn(snapshot).get(keyOf(ref)) ?? [])
}

function usersIn(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const before = known.get(snapshot)
  if (before) return before
  const users = new Map<string, Manifest[]>()
  for (const kind of [...ingressRouteKinds, 'Ingress.networking.k8s.io'] as const)
    for (const user of snapshot.ofKind(kind)) {
      const names = new Set(middlewaresOf(user).map(({ name }) => name))
      if (names.size > 0 && isForTraefik(user, snapshot)) for (const name of names) append(users, name, user)
    }
  known.set(snapshot, users)
  return users
}
