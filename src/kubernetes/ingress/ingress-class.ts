import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'

/**
 * The class an Ingress asks for: `spec.ingressClassName`, else the older annotation; undefined when it names none.
 * ingress-nginx reads them in this order, Contour and F5's NGINX in the other; the API server takes both only when they
 * are equal. Source: ingress-nginx controller-v1.15.1, internal/ingress/controller/store/store.go, GetIngressClass
 */
export function classOf(ingress: Manifest): string | undefined {
  return ingress.root.at('spec', 'ingressClassName').string || classAnnotation(ingress).string || undefined
}

/** Whether another Ingress names a class, too. */
export function isClassUsedBeside(ingress: Manifest, name: string, snapshot: Snapshot): boolean {
  return snapshot
    .ofKind('Ingress.networking.k8s.io')
    .some((other) => classOf(other) === name && identityOf(other.ref) !== identityOf(ingress.ref))
}

/** The class of an Ingress to a controller that reads it from some places: at the first that has one. */
export function classReadFrom(
  ingress: Manifest,
  places: readonly ('field' | 'annotation')[],
): { readonly name: string; readonly from: 'field' | 'annotation' } | undefined {
  const written = {
    field: ingress.root.at('spec', 'ingressClassName').string,
    annotation: classAnnotation(ingress).string,
  }
  const from = places.find((place) => written[place])
  return from && { name: written[from] ?? '', from }
}

/** The annotation that was replaced by `spec.ingressClassName`. */
export function classAnnotation(ingress: Manifest): Cursor {
  return ingress.root.at('metadata', 'annotations', 'kubernetes.io/ingress.class')
}

/** Whether two Ingresses ask for one class, or both for none: then the cluster's default decides. */
export function sameClass(a: Manifest, b: Manifest): boolean {
  return classOf(a) === classOf(b)
}

/**
 * The `spec.controller` of an Ingress's IngressClass; undefined when that is not in the snapshot, or its copies differ.
 */
export function controllerOf(snapshot: Snapshot, ingress: Manifest): string | undefined {
  const name = classOf(ingress)
  if (!name) return undefined
  const copies = snapshot.get({ group: 'networking.k8s.io', kind: 'IngressClass', namespace: '', name })
  const controllers = new Set(copies.map((copy) => copy.root.at('spec', 'controller').string))
  return controllers.size === 1 ? [...controllers][0] : undefined
}

/**
 * The field in which an Ingress's class names its controller: a change of it changes which Ingresses the controller
 * takes.
 */
export function controllerAt(snapshot: Snapshot, ingress: Manifest): Cursor[] {
  const ref = { group: 'networking.k8s.io', kind: 'IngressClass', namespace: '', name: classOf(ingress) ?? '' }
  return snapshot
    .get(ref)
    .map((ingressClass) => ingressClass.root.at('spec', 'controller'))
    .slice(0, 1)
}

/** The annotation that makes an IngressClass the default for Ingresses without a class. */
export function defaultAnnotation(ingressClass: Manifest): Cursor {
  return ingressClass.root.at('metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class')
}

/**
 * Whether an IngressClass is the default for Ingresses without a class: the API server compares with the text `true`.
 */
export function isDefaultClass(ingressClass: Manifest): boolean {
  return defaultAnnotation(ingressClass).string === 'true'
}
