import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { tlsEntries } from './ingress'
import { classAnnotation, classOf, isDefaultClass } from './ingress-class'
import { routerKind } from './openshift-router'

const annotation = 'route.openshift.io/termination'
const controller = 'openshift.io/ingress-to-route'

/** The start of the names of its classes: `openshift-default`. */
const prefix = 'openshift-'

/** Annotations of the controllers of Ingresses: `nginx.ingress.kubernetes.io/ssl-redirect`. */
const ofControllers = '.ingress.kubernetes.io/'

/** The strings that objects contain which decide whether OpenShift serves an Ingress, and with which certificate. */
export function* marksOfRouters(ingress: Manifest): Generator<string> {
  if (terminationOf(ingress) !== undefined || hasEmptyEntry(ingress))
    yield* [controller, 'kind: IngressController', 'is-default-class']
}

/**
 * Whether OpenShift makes a Route with TLS for a host of an Ingress that no TLS entry lists, and has a certificate for it: the
 * annotation, or one empty entry, is enough, and the router has a certificate for the hosts below its own domain, which is
 * `apps.` and the domain of the cluster unless it names another. Pods end the TLS of `passthrough` themselves. Sources:
 * openshift/route-controller-manager at 1916ceb059f5, pkg/route/ingress/ingress.go, tlsEnabled and ingressManaged;
 * openshift/installer at main, pkg/asset/manifests/ingress.go, `apps.` in generateClusterIngress; openshift/api,
 * operator/v1/types_ingress.go, `domain`
 */
export function hasRouteWithTls(ingress: Manifest, host: string, snapshot: Snapshot): boolean {
  const termination = terminationOf(ingress) ?? (hasEmptyEntry(ingress) && isOpenshift(ingress, snapshot) ? 'edge' : '')
  if (termination === '' || !mayBeOfOpenshift(ingress, snapshot)) return false
  if (termination === 'passthrough') return true
  const domains = snapshot.ofKind(routerKind).flatMap(({ root }) => root.at('spec', 'domain').string ?? [])
  // Its certificate is for names with one label more.
  const above = host.slice(host.indexOf('.') + 1)
  return above.startsWith('apps.') || domains.includes(above)
}

/** How TLS ends for an Ingress by its annotation for OpenShift. */
export function terminationOf(ingress: Manifest): 'edge' | 'reencrypt' | 'passthrough' | undefined {
  const { string } = ingress.root.at('metadata', 'annotations', annotation)
  return string === 'edge' || string === 'reencrypt' || string === 'passthrough' ? string : undefined
}

/** Other controllers take an empty entry, too. */
function hasEmptyEntry(ingress: Manifest): boolean {
  return tlsEntries(ingress).some(({ at }) => at.isMap && [...at.entries()].length === 0)
}

/** Whether something other than the Ingress's TLS shows a cluster of OpenShift. */
function isOpenshift(ingress: Manifest, snapshot: Snapshot): boolean {
  const classes = snapshot.ofKind('IngressClass.networking.k8s.io')
  return (
    snapshot.ofKind(routerKind).length > 0 || classes.some(isOfOpenshift) || classNameOf(ingress).startsWith(prefix)
  )
}

function classNameOf(ingress: Manifest): string {
  return classAnnotation(ingress).string || classOf(ingress) || ''
}

/** OpenShift takes Ingresses of its class, and those without a class; the annotations of another controller are a sign of that. */
function mayBeOfOpenshift(ingress: Manifest, snapshot: Snapshot): boolean {
  const classes = snapshot.ofKind('IngressClass.networking.k8s.io')
  const name = classNameOf(ingress)
  if (name !== '') {
    const known = classes.filter(({ ref }) => ref.name === name)
    return known.length > 0 ? known.every(isOfOpenshift) : name.startsWith(prefix)
  }
  if (classes.some((one) => isDefaultClass(one) && !isOfOpenshift(one))) return false
  if (classes.length > 0 && !classes.some(isOfOpenshift)) return false
  const annotations = [...ingress.root.at('metadata', 'annotations').entries()]
  return !annotations.some(([key]) => key.includes(ofControllers))
}

function isOfOpenshift({ root }: Manifest): boolean {
  return root.at('spec', 'controller').string === controller
}
