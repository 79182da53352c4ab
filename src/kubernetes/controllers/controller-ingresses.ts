import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { classReadFrom, isDefaultClass } from '../ingress/ingress-class'
import type { Controller } from './controller'
import type { Claims } from './controller-claims'
import type { Watched } from './controller-scope'

/**
 * Whether a controller certainly takes an Ingress: it watches its namespace, and claims it in every possible mode of
 * its release.
 */
export function takesIngress({ watched, claims }: Controller, ingress: Manifest, snapshot: Snapshot): boolean {
  if (!watches(watched, ingress.ref.namespace)) return false
  return claims.length > 0 && claims.every((way) => claimsIngress(way, ingress, snapshot))
}

/** Whether a controller may take an Ingress: no known fact about its namespaces and classes excludes it. */
export function mayTakeIngress({ watched, claims, facts }: Controller, ingress: Manifest, snapshot: Snapshot): boolean {
  if (facts.takes !== 'Ingresses') return false
  const isKnown = watched.scope === 'all' || watched.scope === 'namespaces'
  if (isKnown && !watches(watched, ingress.ref.namespace)) return false
  return claims.length === 0 || claims.some((way) => claimsIngress(way, ingress, snapshot))
}

/** Whether a namespace is certainly among the watched ones. */
export function watches(watched: Watched, namespace: string): boolean {
  if (watched.scope === 'all') return !watched.except.includes(namespace)
  return watched.scope === 'namespaces' && watched.names.includes(namespace)
}

function claimsIngress(way: Claims, ingress: Manifest, snapshot: Snapshot): boolean {
  const classes = snapshot.ofKind('IngressClass.networking.k8s.io')
  const named = classReadFrom(ingress, way.reads)
  if (named?.from === 'annotation') return way.names.includes(named.name)
  // The API server gives the default class to Ingresses without one.
  const byDefault = () => (way.reads.includes('field') ? classes.find(isDefaultClass)?.ref.name : undefined)
  const name = named ? named.name : byDefault()
  if (name === undefined) return way.unclassed
  if (way.by === 'none') return false
  if (way.by === 'name') return way.names.includes(name)
  const objects = classes.filter(({ ref }) => ref.name === name)
  // A class without a manifest usually comes with its controller: a release's values name it.
  const isNamed = way.names.includes(name) && (way.made === undefined || way.by !== 'controller')
  if (objects.length === 0) return isNamed || way.made === name
  const isOwn = objects.some(({ root }) => root.at('spec', 'controller').string === way.controller)
  if (way.by === 'both') return isOwn && way.names.includes(name)
  return isOwn || (way.by === 'either' && way.names.includes(name))
}
