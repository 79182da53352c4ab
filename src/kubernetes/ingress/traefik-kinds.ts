import type { GroupKind } from '../../manifest/manifest'

/** Traefik's API groups; releases before 3.0.0 read the older one, too. */
const groups = ['traefik.io', 'traefik.containo.us']

/** A kind of Traefik in both of its groups. */
export function ofTraefik(kind: string): GroupKind[] {
  return groups.map((group) => `${kind}.${group}`)
}

/** The kinds that route requests, connections and datagrams to Services. */
export const traefikRouteKinds: readonly GroupKind[] = ['IngressRoute', 'IngressRouteTCP', 'IngressRouteUDP'].flatMap(
  ofTraefik,
)
