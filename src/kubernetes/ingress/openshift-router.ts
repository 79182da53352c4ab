import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { selectsBy, selectsLabels } from '../object/label-selector'
import { labelOfNamespace } from '../object/namespace'
import { openshiftRouteKind } from './openshift-route'

/** The kind whose objects run the routers of OpenShift. */
export const routerKind: GroupKind = 'IngressController.operator.openshift.io'

/** Whether it runs no router; without a number it runs some. */
export function isIdle({ root }: Manifest): boolean {
  return root.at('spec', 'replicas').value === 0
}

/**
 * The selector by which a router leaves a Route out; undefined where it serves the Route, or may do so. The labels of a Namespace that is not here are unknown. Source: openshift/api,
 * operator/v1/types_ingress.go, IngressControllerSpec
 */
export function exclusionOf(router: Manifest, route: Manifest, snapshot: Snapshot): Cursor | undefined {
  const ofRoutes = router.root.at('spec', 'routeSelector')
  const ofNamespaces = router.root.at('spec', 'namespaceSelector')
  if (ofRoutes.isMap && !selectsLabels(ofRoutes, route.root.at('metadata', 'labels'))) return ofRoutes
  const [namespace] = snapshot.get({ group: '', kind: 'Namespace', namespace: '', name: route.ref.namespace })
  const isLeftOut =
    namespace && ofNamespaces.isMap && !selectsBy(ofNamespaces, (key) => labelOfNamespace(namespace, key))
  return isLeftOut ? ofNamespaces : undefined
}

/** Routes that a router no longer serves, by the place of the cause. */
export interface LostRoutes {
  readonly at: Cursor
  /** By name. */
  readonly routes: readonly Manifest[]
}

/**
 * The Routes that stay and that a change of a router takes from it, where no other router here may serve them. A router that is not
 * here may, above all the one of the name `default`, so without that one only hosts of the router's own domain count: their DNS records
 * lead to it.
 */
export function lostRoutes(
  before: Manifest,
  after: Manifest | undefined,
  base: Snapshot,
  head: Snapshot,
): LostRoutes[] {
  const others = head.ofKind(routerKind).filter((one) => one.ref.name !== before.ref.name && !isIdle(one))
  const isAlone = [before, ...others].some(({ ref }) => ref.name === 'default')
  const found = new Map<string, { at: Cursor; routes: Manifest[] }>()
  for (const route of head.ofKind(openshiftRouteKind)) {
    const [was, ...copies] = base.get(route.ref)
    const isKept =
      !was || copies.length > 0 || exclusionOf(before, was, base) || !(isAlone || isOfDomain(route, before))
    if (isKept || others.some((one) => !exclusionOf(one, route, head))) continue
    const at = causeOf(before, after, route, head)
    if (!at) continue
    const known = found.get(at.path.join('.'))
    if (known) known.routes.push(route)
    else found.set(at.path.join('.'), { at, routes: [route] })
  }
  for (const { routes } of found.values()) routes.sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
  return [...found.values()]
}

function causeOf(before: Manifest, after: Manifest | undefined, route: Manifest, head: Snapshot): Cursor | undefined {
  if (!after) return before.root
  return isIdle(after) ? after.root.at('spec', 'replicas') : exclusionOf(after, route, head)
}

function isOfDomain(route: Manifest, { root }: Manifest): boolean {
  const domain = root.at('spec', 'domain').string
  return domain !== undefined && route.root.at('spec', 'host').string?.endsWith(`.${domain}`) === true
}
