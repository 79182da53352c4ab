import type { GroupKind } from '../../manifest/manifest'

/** The API group that Traefik reads before 3.0.0 only. */
export const formerGroup = 'traefik.containo.us'

/** Traefik's API groups. */
export const traefikGroups: readonly string[] = ['traefik.io', formerGroup]

/** A kind of Traefik in both of its groups. */
export function ofTraefik(kind: string): GroupKind[] {
  return traefikGroups.map((group) => `${kind}.${group}`)
}

/** The kinds that route requests, connections and datagrams to Services. */
export const traefikRouteKinds: readonly GroupKind[] = ['IngressRoute', 'IngressRouteTCP', 'IngressRouteUDP'].flatMap(
  ofTraefik,
)
