import type { Snapshot } from '../../cluster/snapshot'
import { abridged } from '../../listing'
import type { Manifest } from '../../manifest/manifest'
import { classAnnotation } from '../ingress/ingress-class'
import { labelsOf, matchesLabels } from '../object/label-selector'
import { labelOfNamespace } from '../object/namespace'
import type { Controller } from './controller'
import type { Claims } from './controller-claims'
import type { Watched } from './controller-scope'

/** The namespaces that two controllers both watch. */
export interface SharedNamespaces {
  readonly words: string
  /** The Namespaces among them that a selector finds by their labels. */
  readonly found: readonly Manifest[]
}

/** The namespaces that two controllers both watch; undefined when they share none, or none that is known. */
export function sharedNamespaces(a: Controller, b: Controller, snapshot: Snapshot): SharedNamespaces | undefined {
  const [one, other] = [a.watched, b.watched]
  if (one.scope === 'all') return described(withoutThose(other, b, one.except))
  if (other.scope === 'all') return described(withoutThose(one, a, other.except))
  if (one.scope === 'selector' && other.scope === 'selector') {
    // Equal selectors always match the same namespaces.
    if (one.selector === other.selector) return described(labelled(one.selector))
    const found = labelledNamespaces(snapshot, one.selector).filter((namespace) => finds(other.selector, namespace))
    return described(inWords(found.map(({ ref }) => ref.name)), found)
  }
  const named = [one, other].flatMap((watched) => (watched.scope === 'namespaces' ? [watched.names] : []))
  const [names = [], others] = named
  if (others) return described(inWords(names.filter((name) => others.includes(name))))
  const selector = [one, other].flatMap((watched) => (watched.scope === 'selector' ? watched.selector : []))[0]
  if (selector === undefined) return undefined
  const found = labelledNamespaces(snapshot, selector).filter(({ ref }) => names.includes(ref.name))
  return described(inWords(found.map(({ ref }) => ref.name)), found)
}

/** The Namespaces that are written and that a selector finds. */
function labelledNamespaces(snapshot: Snapshot, selector: string): Manifest[] {
  return snapshot.ofKind('Namespace').filter((namespace) => finds(selector, namespace))
}

function finds(selector: string, namespace: Manifest): boolean {
  return labelsOf(selector).length > 0 && matchesLabels(selector, (key) => labelOfNamespace(namespace, key))
}

function described(words: string | undefined, found: readonly Manifest[] = []): SharedNamespaces | undefined {
  return words === undefined ? undefined : { words, found }
}

function withoutThose(watched: Watched, { manifest }: Controller, except: readonly string[]): string | undefined {
  switch (watched.scope) {
    case 'all': {
      const left = [...new Set([...except, ...watched.except])]
      return left.length > 0 ? `every namespace but ${left.join(', ')}` : 'every namespace'
    }
    case 'namespaces':
      return inWords(watched.names.filter((name) => !except.includes(name)))
    case 'selector':
      return labelled(watched.selector)
    case 'unknown':
      return except.length > 0 ? undefined : `the namespace ${manifest.ref.kind} ${manifest.ref.name} is limited to`
  }
}

function inWords(written: readonly string[]): string | undefined {
  const names = [...new Set(written)]
  if (names.length === 0) return undefined
  return `${names.length > 1 ? 'namespaces' : 'namespace'} ${abridged(names, 5)}`
}

function labelled(selector: string): string {
  return `the namespaces labelled ${selector}`
}

/** The Ingresses that two controllers share: of a class; or with the old annotation, or without a class. */
export type SharedClaim =
  /** The IngressClass that both take for different reasons: one by its controller, one by its name. */
  | { readonly by: 'class'; readonly name: string; readonly through?: Manifest | undefined }
  | { readonly by: 'annotation'; readonly name: string; readonly ingress: Manifest }
  | { readonly by: 'none'; readonly name: string }

/**
 * The Ingresses that two controllers share. If a release is unknown, it has to hold for every possible one; then the
 * weakest statement is reported.
 */
export function sharedClaim(a: Controller, b: Controller, snapshot: Snapshot): SharedClaim | undefined {
  let weakest: SharedClaim | undefined
  for (const one of a.claims) {
    for (const other of b.claims) {
      const shared =
        sharedClass(one, other, snapshot, a.facts !== b.facts) ??
        sharedByLabels(a, one, b, other, snapshot) ??
        sharedOtherwise(a, one, b, other, snapshot)
      if (!shared) return undefined
      if (!weakest || weakest.by === 'class') weakest = shared
    }
  }
  return weakest
}

/** @param products whether they are two products, so that a class of one name cannot be one of each */
function sharedClass(a: Claims, b: Claims, snapshot: Snapshot, products: boolean): SharedClaim | undefined {
  const assumed = (one: Claims, other: Claims) => products && isAssumed(one, other, snapshot)
  const [classesOfA, classesOfB] = [classesOf(a, b, snapshot, assumed(a, b)), classesOf(b, a, snapshot, assumed(b, a))]
  const names = [...classesOfA.keys()].filter((name) => classesOfB.has(name)).sort()
  const [first = ''] = names
  const through = a.controller === b.controller ? undefined : (classesOfA.get(first) ?? classesOfB.get(first))
  if (names.length > 0) return { by: 'class', name: names.join(', '), through }
  if (a.controller === undefined || a.controller !== b.controller || !isOpen(a) || !isOpen(b)) return undefined
  const same = a.names.length > 0 && a.names.join() === b.names.join()
  return { by: 'class', name: same ? a.names.join(', ') : `of ${a.controller}` }
}

/**
 * The overlap of two controllers of GatewayClasses, one of which selects its classes by labels: the written classes
 * with those labels. If there are none, a controller that takes every class in every namespace shares everything with
 * it.
 */
function sharedByLabels(
  a: Controller,
  one: Claims,
  b: Controller,
  other: Claims,
  snapshot: Snapshot,
): SharedClaim | undefined {
  const selectors = [...one.names, ...other.names]
  if (one.by !== 'labels' || other.by !== 'labels' || selectors.length === 0) return undefined
  const written = snapshot
    .ofKind('GatewayClass.gateway.networking.k8s.io')
    .filter(({ root }) => root.at('spec', 'controllerName').string === one.controller)
  const [found] = written.filter((each) => selectors.every((selector) => hasLabels(each, selector)))
  if (found) return { by: 'class', name: found.ref.name, through: found }
  const takesAll = [a, b].some(
    ({ watched, claims }) => watched.scope === 'all' && claims.some(({ names }) => !names[0]),
  )
  return written.length === 0 && takesAll ? { by: 'class', name: `labelled ${selectors[0]}` } : undefined
}

function hasLabels({ root }: Manifest, selector: string): boolean {
  return matchesLabels(selector, (key) => root.at('metadata', 'labels', key).string)
}

/** Whether every class of its controller is its own. */
function isOpen({ by, reads }: Claims): boolean {
  return reads.includes('field') && (by === 'controller' || by === 'either')
}

/** The classes whose Ingresses are taken, by the name that `spec.ingressClassName` gives them, with their objects. */
function classesOf(claims: Claims, other: Claims, snapshot: Snapshot, assumed: boolean) {
  const { controller, names, by, made } = claims
  if (by === 'none' || !claims.reads.includes('field')) return new Map<string, Manifest | undefined>()
  const all = snapshot.ofKind('IngressClass.networking.k8s.io')
  const own = all
    .filter(({ root }) => controller !== undefined && root.at('spec', 'controller').string === controller)
    .filter(({ ref }) => by !== 'both' || names.includes(ref.name))
    .map((one) => [one.ref.name, one] as const)
  // A class that names its controller belongs to it, no matter which release creates the class.
  const madeByIt = [made, other.controller === controller ? other.made : undefined]
    .filter((name) => name !== undefined && (by !== 'both' || names.includes(name)))
    .map((name) => [name ?? '', undefined] as const)
  const alone = own.length === 0 && madeByIt.length === 0
  // A flag that also selects a class by its name has no effect if there is no such class.
  const isThere = (name: string) => alone || name === other.made || all.some(({ ref }) => ref.name === name)
  const byName = by === 'name' || by === 'either' || (alone && assumed)
  const named = byName ? names.filter((name) => by === 'name' || isThere(name)) : []
  const found = by === 'name' ? [] : [...madeByIt, ...own]
  return new Map<string, Manifest | undefined>([...named.map((name) => [name, undefined] as const), ...found])
}

/**
 * Whether a controller's class can be the IngressClass with that name, which has no manifest: next to a controller of
 * another product, its owner does not matter.
 */
function isAssumed({ controller, names, facts }: Claims, other: Claims, snapshot: Snapshot): boolean {
  if (controller !== facts.controller || controller === other.facts.controller) return false
  return !snapshot.ofKind('IngressClass.networking.k8s.io').some(({ ref }) => names.includes(ref.name))
}

/** Distinct classes still meet where Ingresses use the annotation, or name no class at all. */
function sharedOtherwise(
  a: Controller,
  one: Claims,
  b: Controller,
  other: Claims,
  snapshot: Snapshot,
): SharedClaim | undefined {
  const names = one.names.filter((name) => other.names.includes(name))
  const isRead = names.length > 0 && [one, other].every(({ reads }) => reads.includes('annotation'))
  for (const ingress of isRead ? snapshot.ofKind('Ingress.networking.k8s.io') : []) {
    const name = classAnnotation(ingress).string
    if (name === undefined || !names.includes(name) || ingress.root.at('spec', 'ingressClassName').exists) continue
    if ([a, b].every(({ watched }) => watches(watched, ingress.ref.namespace)))
      return { by: 'annotation', name, ingress }
  }
  return one.unclassed && other.unclassed ? { by: 'none', name: '' } : undefined
}

function watches(watched: Watched, namespace: string): boolean {
  if (watched.scope === 'all') return !watched.except.includes(namespace)
  return watched.scope === 'namespaces' && watched.names.includes(namespace)
}
