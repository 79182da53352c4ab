import type { Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import type { Controller } from './controller'
import type { Claims } from './controller-claims'
import type { Watched } from './controller-scope'
import { classAnnotation } from './ingress-class'

/** The namespaces that two controllers both watch, in words; undefined when they share none, or none that is known. */
export function sharedNamespaces(a: Controller, b: Controller): string | undefined {
  const [one, other] = [a.watched, b.watched]
  if (one.scope === 'all') return withoutThose(other, b, one.except)
  if (other.scope === 'all') return withoutThose(one, a, other.except)
  if (one.scope === 'namespaces' && other.scope === 'namespaces') {
    return inWords(one.names.filter((name) => other.names.includes(name)))
  }
  // Which namespaces a selector finds is only known in the cluster, but two equal ones find the same.
  const same = one.scope === 'selector' && other.scope === 'selector' && one.selector === other.selector
  return same ? labelled(one.selector) : undefined
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

function inWords(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return `${names.length > 1 ? 'namespaces' : 'namespace'} ${names.join(', ')}`
}

function labelled(selector: string): string {
  return `the namespaces labelled ${selector}`
}

/** What two controllers both claim: a class; or Ingresses by the old annotation, or by naming no class. */
export type SharedClaim =
  /** With the IngressClass that both take for different reasons: one by its controller, one by its name. */
  | { readonly by: 'class'; readonly name: string; readonly through?: Manifest | undefined }
  | { readonly by: 'annotation'; readonly name: string; readonly ingress: Manifest }
  | { readonly by: 'none'; readonly name: string }

/**
 * What two controllers both claim. Where a release is not told, it has to hold however that release decides; then the
 * weakest claim is stated.
 */
export function sharedClaim(a: Controller, b: Controller, snapshot: Snapshot): SharedClaim | undefined {
  let weakest: SharedClaim | undefined
  for (const one of a.claims) {
    for (const other of b.claims) {
      const shared = sharedClass(one, other, snapshot) ?? sharedOtherwise(a, one, b, other, snapshot)
      if (!shared) return undefined
      if (!weakest || weakest.by === 'class') weakest = shared
    }
  }
  return weakest
}

function sharedClass(a: Claims, b: Claims, snapshot: Snapshot): SharedClaim | undefined {
  const [classesOfA, classesOfB] = [classesOf(a, snapshot), classesOf(b, snapshot)]
  const names = [...classesOfA.keys()].filter((name) => classesOfB.has(name)).sort()
  const [first = ''] = names
  const through = a.controller === b.controller ? undefined : (classesOfA.get(first) ?? classesOfB.get(first))
  if (names.length > 0) return { by: 'class', name: names.join(', '), through }
  if (a.controller === undefined || a.controller !== b.controller) return undefined
  return { by: 'class', name: a.name === b.name ? a.name : `of ${a.controller}` }
}

/** The classes whose Ingresses are taken, by the name that `spec.ingressClassName` gives them, with their objects. */
function classesOf({ controller, name, byName }: Claims, snapshot: Snapshot): Map<string, Manifest | undefined> {
  if (controller === undefined) return new Map([[name, undefined]])
  const own = snapshot
    .ofKind('IngressClass.networking.k8s.io')
    .filter((one) => one.root.at('spec', 'controller').string === controller)
    .map((one) => [one.ref.name, one] as const)
  return new Map<string, Manifest | undefined>([...(byName ? [[name, undefined] as const] : []), ...own])
}

/** Distinct classes still meet where Ingresses use the annotation, or name no class at all. */
function sharedOtherwise(
  a: Controller,
  one: Claims,
  b: Controller,
  other: Claims,
  snapshot: Snapshot,
): SharedClaim | undefined {
  if (one.name === other.name) {
    const ingress = snapshot
      .ofKind('Ingress.networking.k8s.io')
      .find(
        (candidate) =>
          classAnnotation(candidate).string === one.name &&
          !candidate.root.at('spec', 'ingressClassName').exists &&
          [a, b].every(({ watched }) => watches(watched, candidate.ref.namespace)),
      )
    if (ingress) return { by: 'annotation', name: one.name, ingress }
  }
  return one.unclassed && other.unclassed ? { by: 'none', name: '' } : undefined
}

function watches(watched: Watched, namespace: string): boolean {
  if (watched.scope === 'all') return !watched.except.includes(namespace)
  return watched.scope === 'namespaces' && watched.names.includes(namespace)
}
