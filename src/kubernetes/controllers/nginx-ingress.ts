import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { classOf, controllerOf } from '../ingress/ingress-class'
import { isManaged } from '../ingress/managed-class'
import { controllerFactsOf } from '../workload/controller-facts'
import { type Controller, controllersHere } from './controller'
import { mayTakeIngress } from './controller-ingresses'

const product = controllerFactsOf('ingress-nginx')
const prefix = 'nginx.ingress.kubernetes.io/'

/** The annotations that make all paths of a host regular expressions. */
export const patternMarks = [`${prefix}use-regex`, `${prefix}rewrite-target`]

/** The controllers that serve an Ingress, if all that may are ingress-nginx. */
export function nginxServing(ingress: Manifest, snapshot: Snapshot): readonly Controller[] {
  const takers = controllersHere(snapshot).filter((one) => mayTakeIngress(one, ingress, snapshot))
  return takers.every(({ facts }) => facts === product) ? takers : []
}

/**
 * Whether ingress-nginx serves an Ingress: its controllers, its class or its annotations show it, or its class has a
 * usual name.
 */
export function servedByNginx(ingress: Manifest, snapshot: Snapshot): 'shown' | 'usual' | undefined {
  const takers = controllersHere(snapshot).filter((one) => mayTakeIngress(one, ingress, snapshot))
  if (takers.length > 0) return takers.every(({ facts }) => facts === product) ? 'shown' : undefined
  const says = controllerOf(snapshot, ingress)
  if (says !== undefined) return says === product.certificate?.controller ? 'shown' : undefined
  const name = classOf(ingress)
  if (isManaged(ingress) || (name !== undefined && !name.includes('nginx'))) return undefined
  const annotations = [...ingress.root.at('metadata', 'annotations').entries()]
  if (annotations.some(([key]) => key.startsWith('nginx.org/'))) return undefined
  if (annotations.some(([key]) => key.startsWith(prefix))) return 'shown'
  return name === 'nginx' ? 'usual' : undefined
}

/** A path of a rule of an Ingress. */
export interface RoutedPath {
  readonly at: Cursor
  readonly text: string
  /** In lower case; empty for all hosts. */
  readonly host: string
  readonly pathType: string
}

/** The paths of an Ingress that no tool fills in. */
export function routedPaths(ingress: Manifest): RoutedPath[] {
  return [...ingress.root.at('spec', 'rules').items()].flatMap((rule) => {
    const host = rule.at('host').string?.toLowerCase() ?? ''
    return [...rule.at('http', 'paths').items()].flatMap((path): RoutedPath[] => {
      const at = path.at('path')
      const pathType = path.at('pathType').string ?? ''
      return at.string && !isPlaceholder(at.string + host) ? [{ at, text: at.string, host, pathType }] : []
    })
  })
}

/**
 * The annotation that turns the paths of a host into regular expressions, on any of its Ingresses; `unknown` if one may
 * have it, or serves the host by itself.
 */
export function patternsAskedFor(host: string, snapshot: Snapshot): Cursor | 'unknown' | undefined {
  const known = askedBySnapshot.get(snapshot) ?? patternsIn(snapshot)
  askedBySnapshot.set(snapshot, known)
  return known.get(host)
}

/** The result is needed for every path, and a snapshot never changes. */
const askedBySnapshot = new WeakMap<Snapshot, ReadonlyMap<string, Cursor | 'unknown'>>()

/** Source: controller-v1.15.1, internal/ingress/controller/template/template.go, enforceRegexModifier */
function patternsIn(snapshot: Snapshot): ReadonlyMap<string, Cursor | 'unknown'> {
  const asked = new Map<string, Cursor | 'unknown'>()
  const ingresses = snapshot.ofKind('Ingress.networking.k8s.io').filter((one) => snapshot.get(one.ref)[0] === one)
  for (const ingress of ingresses.sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))) {
    const [regex, rewrite] = patternMarks.map((key) => ingress.root.at('metadata', 'annotations', key))
    const written = [regex?.string, rewrite?.string].filter((text) => text !== undefined)
    // The snippet may have locations of its own.
    const snippet = ingress.root.at('metadata', 'annotations', `${prefix}server-snippet`)
    if (!regex || !rewrite || (written.length === 0 && !snippet.exists) || !servedByNginx(ingress, snapshot)) continue
    for (const { host, text } of routedPaths(ingress)) {
      const by = isTrue(regex.string) ? regex : rewrite.string && rewrite.string !== text ? rewrite : undefined
      const isKnown = asked.has(host) && asked.get(host) !== 'unknown'
      if (isKnown) continue
      if (written.some(isPlaceholder)) asked.set(host, 'unknown')
      else if (by) asked.set(host, by)
      else if (snippet.exists) asked.set(host, 'unknown')
    }
  }
  return asked
}

/** Whether Go's strconv.ParseBool reads a text as true. */
function isTrue(text: string | undefined): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text ?? '')
}
