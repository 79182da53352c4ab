import type { Snapshot } from '../../cluster/snapshot'
import { istioGatewayKind } from '../ingress/virtual-service'
import { istioSecretsOf } from './istio-tls'
import { routeClaimKinds, routeClaims } from './route-claim'

/** The Secrets that routes of Traefik and Contour and Gateways of Istio name, whether something makes them or not. */
export function secretsOfRoutes(snapshot: Snapshot): ReadonlySet<string> {
  const before = known.get(snapshot)
  if (before) return before
  const claimed = routeClaimKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(routeClaims)
  const found = new Set([
    ...claimed.map(({ secret }) => secret),
    ...snapshot.ofKind(istioGatewayKind).flatMap(istioSecretsOf),
  ])
  known.set(snapshot, found)
  return found
}

/** A rule asks for every claim; a snapshot never changes. */
const known = new WeakMap<Snapshot, ReadonlySet<string>>()
