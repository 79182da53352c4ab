import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  endsAt,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import type { Claims } from '../../kubernetes/controllers/controller-claims'
import { type SharedClaim, sharedClaim, sharedNamespaces } from '../../kubernetes/controllers/controller-overlap'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import {
  classFactsOf,
  limitingValue,
  narrowingAdvice,
  ownClassOf,
  remedyFor,
} from '../../kubernetes/controllers/controller-remedy'
import { areOneController, isInstalledBy, shareCluster } from '../../kubernetes/controllers/same-controller'
import { classAnnotation } from '../../kubernetes/ingress/ingress-class'
import { labelsOf } from '../../kubernetes/object/label-selector'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Overlap {
  first: string
  second: string
  /** The objects that both take: Ingresses, or another kind. */
  takes: string
  /** The classes, in words; of the old annotation the name alone. */
  name: string
  /** The namespaces both watch. */
  where: string
  /** The effect. */
  outcome: string
  /** The setting that gives it its own class. */
  fixed: string
  /** The setting that gives it a class of its own. */
  own: string
  /** The fix, by the class or the namespaces. */
  remedy: string
  /** The fix by namespaces, as the end of a sentence; empty if no limit on one of the two alone helps. */
  limiting: string
}

const flapping = 'so each keeps overwriting the addresses in their status'

export default defineRule({
  id: 'controller-scope/namespace-isolated',
  summary: 'No two ingress controllers of a cluster serve the same Ingresses.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: [
    'IngressClass.networking.k8s.io',
    'GatewayClass.gateway.networking.k8s.io',
    'Ingress.networking.k8s.io',
    'Namespace',
    ...partKinds,
  ],
  messages: {
    overlap: ({ first, second, name, where, remedy }: Overlap) =>
      `${first} and ${second} both serve the Ingresses of ${name} in ${where}, ${flapping}. ${remedy}.`,
    annotated: ({ first, second, name, where, fixed, own, ingress }: Overlap & { ingress: string }) =>
      `${first} and ${second} have different classes, but in ${where} both serve Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${flapping}. Name the class in spec.ingressClassName instead, or set ${own} of ${fixed} to another name.`,
    unclassed: ({ first, second, where, own, limiting }: Overlap) =>
      `${first} and ${second} both serve Ingresses without a class in ${where}, ${flapping}. Remove ${own} from one of them${limiting}.`,
    contested: ({ first, second, takes, name, where, outcome, remedy }: Overlap) =>
      `${first} and ${second} both serve the ${takes} of ${name} in ${where}, ${outcome}. ${remedy}.`,
    contestedAnnotation: ({
      first,
      second,
      name,
      where,
      fixed,
      own,
      outcome,
      ingress,
    }: Overlap & { ingress: string }) =>
      `${first} and ${second} have different classes, but in ${where} both serve Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${outcome}. Name the class in spec.ingressClassName instead, or set ${own} of ${fixed} to another name.`,
    contestedUnclassed: ({ first, second, takes, where, own, outcome, limiting }: Overlap) =>
      `${first} and ${second} both serve ${takes} without a class in ${where}, ${outcome}. Limit one of them to a class with ${own}${limiting}.`,
    contestedRoutes: ({ first, second, takes, where, remedy }: Overlap) =>
      `${first} and ${second} both serve the same ${takes} in ${where}, so traffic meant for one also reaches the other. ${remedy}.`,
  },
  later: {
    contested: '1.1.0',
    contestedAnnotation: '1.1.0',
    contestedUnclassed: '1.1.0',
    contestedRoutes: '1.1.0',
  },
  putBack: { annotated: 'nothing' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    // The chart's name may be in another object.
    if (manifest.root.at('spec', 'chartRef').exists) yield* marksOfControllers
    if (['IngressClass', 'GatewayClass'].includes(manifest.ref.kind)) yield* marksOfControllers
    if (manifest.ref.kind === 'Ingress') yield* classAnnotation(manifest).exists ? marksOfControllers : []
    if (groupKindOf(manifest.ref) === 'Namespace' && manifest.root.at('metadata', 'labels').exists)
      yield* marksOfControllers
    for (const { facts, claims, watched } of controllersOf(manifest)) {
      yield* marksOfControllers
      if (watched.scope === 'selector') yield* labelsOf(watched.selector)
      // Its classes may be in another object.
      if (claims.length === 0) yield* facts.classes.flatMap(({ controller }) => controller ?? [])
      for (const { controller, facts: way } of claims) {
        if (controller) yield controller
        // Only between classes of different names does it matter which Ingresses still use the annotation.
        if (controller !== way.controller) yield 'kubernetes.io/ingress.class'
      }
    }
  },
  check({ manifest, snapshot, report, skip, isWritten }) {
    for (const first of controllersOf(manifest, snapshot)) {
      if (first.inShell)
        skip(first.place, 'a shell splits its arguments, so the namespaces that it watches are unknown')
      else if (first.watched.scope === 'unknown')
        skip(first.watched.at, 'no file here shows which namespaces it watches')
      for (const second of controllersIn(snapshot)) {
        if (first.facts.takes !== second.facts.takes || !comesFirst(first, second)) continue
        if (mayBeCopies(first, second) || areOneController(first, second)) continue
        if (!shareCluster(first, second) || isInstalledBy(first, second)) continue
        const namespaces = sharedNamespaces(first, second, snapshot)
        const shared = namespaces && sharedClaim(first, second, snapshot)
        if (!shared) continue
        const labels = namespaces.found.map(({ root }) => root.at('metadata', 'labels'))
        const [places, otherPlaces] = [placesOf(first), placesOf(second)]
        const [writesFirst, writesSecond] = [places, otherPlaces].map((all) => all.some((at) => isWritten(at.manifest)))
        const fixed = writesSecond && !writesFirst ? second : first
        const overlap = { ...messageArgs(first, second, shared, fixed), where: namespaces.words }
        const [[one, ...more], [other, ...others]] = [places, otherPlaces]
        const ends = [one, other, ...labels, ...more, ...others].filter((end) => end !== undefined)
        const about = { keys: keysOf(first, second), value: limitingValue(fixed) }
        const byFlags = namespaces.found.length === 0
        const known =
          byFlags && [first, second].every(({ facts, installed }) => facts.name === 'ingress-nginx' && !installed)
        const through = shared.by === 'class' && shared.through ? [shared.through] : []
        if (first.facts.takes !== 'Ingresses') {
          const labelled = through.map(({ root }) => root.at('metadata', 'labels'))
          report([...ends, ...labelled], 'contestedRoutes', overlap, about)
        } else if (shared.by === 'none') report(ends, known ? 'unclassed' : 'contestedUnclassed', overlap, about)
        else if (shared.by === 'class') {
          const classes = through.map(({ root }) => root.at('spec', 'controller'))
          report([...ends, ...classes], known ? 'overlap' : 'contested', overlap, about)
        } else {
          const at = classAnnotation(shared.ingress)
          const ingress = nameOf(shared.ingress.ref)
          report([...ends, at], known ? 'annotated' : 'contestedAnnotation', { ...overlap, ingress }, about)
        }
      }
    }
  },
})

/** The places where a controller sets its namespaces, and those where it sets its classes. */
function placesOf(controller: Controller): Cursor[] {
  return endsAt(controller, [controller.watched.at, ...controller.claims.flatMap(({ at }) => at)])
}

/** The controller that watches more comes first: if the change wrote both or none, it is the one to fix. */
function comesFirst(a: Controller, b: Controller): boolean {
  const further = breadth[a.watched.scope] - breadth[b.watched.scope]
  return further > 0 || (further === 0 && placeOf(a) < placeOf(b))
}

function placeOf({ manifest, namespace }: Controller): string {
  return `${identityOf(manifest.ref)} ${namespace}`
}

const breadth = { all: 3, selector: 2, namespaces: 1, unknown: 0 }

/** Copies of one object are one controller; an object without a namespace may be a copy of any with its name. */
function mayBeCopies(one: Controller, other: Controller): boolean {
  const [a, b] = [one.manifest.ref, other.manifest.ref]
  if (one.namespace && other.namespace && one.namespace !== other.namespace) return false
  if (identityOf(a) === identityOf(b)) return true
  return a.kind === b.kind && a.name === b.name && (a.namespace === '') !== (b.namespace === '')
}

function messageArgs(
  first: Controller,
  second: Controller,
  { by, name }: SharedClaim,
  fixed: Controller,
): Omit<Overlap, 'where'> {
  const other = fixed === first ? second : first
  const [one, two] = first.facts === second.facts ? [] : [first.facts.title, second.facts.title]
  const limiting = narrowingAdvice(fixed, other)
  const own = {
    class: ownClassOf(fixed),
    annotation: fixed.wordsFor(classFactsOf(fixed)?.name ?? ''),
    // Their classes differ, so a flag of one of the two includes these Ingresses, or they name no class.
    none: [...first.claims, ...second.claims].map(flagForUnclassed).find((flag) => flag !== undefined),
  }[by]
  return {
    first: nameOfController(first) + (one ? ` (${one})` : ''),
    second: nameOfController(second) + (two ? ` (${two})` : ''),
    takes: first.facts.takes,
    name: by === 'class' ? (name.startsWith('of ') ? `any IngressClass ${name}` : `class ${name}`) : name,
    outcome: [first, second].every(writes) ? flapping : 'so a client reaches either of them at random',
    fixed: nameOfController(fixed),
    own: own ?? ownClassOf(fixed),
    remedy: remedyFor(fixed, other),
    limiting: limiting && `, or limit ${limiting}`,
  }
}

function writes({ status }: Controller): boolean {
  return status.writes !== 'nothing' && status.writes !== 'unknown'
}

function flagForUnclassed({ facts: { unclassed = [] } }: Claims): string | undefined {
  return unclassed.flatMap((one) => ('on' in one ? `--${one.on}` : []))[0]
}

/** A wider overlap is another finding; one that this change makes narrower is not. */
function keysOf(first: Controller, second: Controller): string[] {
  const names = [first, second].flatMap(({ claims }) => claims.flatMap((one) => one.names))
  const everywhere = first.watched.scope === 'all' && second.watched.scope === 'all'
  return [...new Set(names), ...(everywhere ? ['every namespace'] : []), 'some namespace']
}
