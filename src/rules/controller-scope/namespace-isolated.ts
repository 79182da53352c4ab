import { releaseKinds } from '../../kubernetes/chart-release'
import {
  areOneController,
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  endsOf,
  isInstalledBy,
  marksOfControllers,
  nameOfController,
  shareCluster,
} from '../../kubernetes/controller'
import type { Claims } from '../../kubernetes/controller-claims'
import type { ClassFacts } from '../../kubernetes/controller-facts'
import { type SharedClaim, sharedClaim, sharedNamespaces } from '../../kubernetes/controller-overlap'
import { namesOfParts, partKinds } from '../../kubernetes/controller-parts'
import { classAnnotation } from '../../kubernetes/ingress-class'
import { labelsOf } from '../../kubernetes/label-selector'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

interface Overlap {
  first: string
  second: string
  /** What both take: Ingresses, or another kind. */
  takes: string
  /** The classes, in words; of the old annotation the name alone. */
  name: string
  /** The namespaces both watch. */
  where: string
  /** What comes of it. */
  outcome: string
  /** The one to mend: of two that are alike in this, the one that the change wrote. */
  mended: string
  /** What gives it a class of its own. */
  own: string
  /** What to do about the class or the namespaces. */
  mending: string
  /** What to do about the namespaces, as the end of a sentence; empty where nothing about one of the two alone helps. */
  limiting: string
}

const flapping = 'so each keeps overwriting the addresses in their status'

export default defineRule({
  id: 'controller-scope/namespace-isolated',
  summary: 'No two ingress controllers of a cluster take the same Ingresses.',
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
    overlap: ({ first, second, name, where, mending }: Overlap) =>
      `${first} and ${second} both take the Ingresses of ${name} in ${where}, ${flapping}. ${mending}.`,
    annotated: ({ first, second, name, where, mended, own, ingress }: Overlap & { ingress: string }) =>
      `${first} and ${second} have classes of their own, but in ${where} both take Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${flapping}. Name the class in spec.ingressClassName instead, or set ${own} of ${mended} to another name.`,
    unclassed: ({ first, second, where, own, limiting }: Overlap) =>
      `${first} and ${second} both take Ingresses that name no class in ${where}, ${flapping}. Take ${own} from one of them${limiting}.`,
    contested: ({ first, second, takes, name, where, outcome, mending }: Overlap) =>
      `${first} and ${second} both take the ${takes} of ${name} in ${where}, ${outcome}. ${mending}.`,
    contestedAnnotation: ({
      first,
      second,
      name,
      where,
      mended,
      own,
      outcome,
      ingress,
    }: Overlap & { ingress: string }) =>
      `${first} and ${second} have classes of their own, but in ${where} both take Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${outcome}. Name the class in spec.ingressClassName instead, or set ${own} of ${mended} to another name.`,
    contestedUnclassed: ({ first, second, takes, where, own, outcome, limiting }: Overlap) =>
      `${first} and ${second} both take ${takes} that name no class in ${where}, ${outcome}. Have one of them take those of a class alone with ${own}${limiting}.`,
    contestedRoutes: ({ first, second, takes, where, mending }: Overlap) =>
      `${first} and ${second} both take the same ${takes} in ${where}, so what is meant for one is served by the other too. ${mending}.`,
  },
  later: {
    contested: '1.1.0',
    contestedAnnotation: '1.1.0',
    contestedUnclassed: '1.1.0',
    contestedRoutes: '1.1.0',
  },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    // Which chart it is stands elsewhere.
    if (manifest.root.at('spec', 'chartRef').exists) yield* marksOfControllers
    if (['IngressClass', 'GatewayClass'].includes(manifest.ref.kind)) yield* marksOfControllers
    if (manifest.ref.kind === 'Ingress') yield* classAnnotation(manifest).exists ? marksOfControllers : []
    if (groupKindOf(manifest.ref) === 'Namespace' && manifest.root.at('metadata', 'labels').exists)
      yield* marksOfControllers
    for (const { facts, claims, watched } of controllersOf(manifest)) {
      yield* marksOfControllers
      if (watched.scope === 'selector') yield* labelsOf(watched.selector)
      // What it claims may stand in another object.
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
      if (first.inShell) skip(first.place, 'a shell takes its arguments apart, so what it watches is not known')
      else if (first.watched.scope === 'unknown')
        skip(first.watched.at, 'no file that is read here tells what it watches')
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
        const mended = writesSecond && !writesFirst ? second : first
        const overlap = { ...wordsOf(first, second, shared, mended), where: namespaces.words }
        const [[one, ...more], [other, ...others]] = [places, otherPlaces]
        const ends = [one, other, ...labels, ...more, ...others].filter((end) => end !== undefined)
        const about = { keys: keysOf(first, second), value: decisiveValue(mended) }
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

/** Where a controller says what it watches, and where else what it takes. */
function placesOf(controller: Controller): Cursor[] {
  return endsOf(controller, [controller.watched.at, ...controller.claims.flatMap(({ at }) => at)])
}

/** Of two, the one that watches more is named first: where the change wrote both or none, it is the one to mend. */
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

function wordsOf(
  first: Controller,
  second: Controller,
  { by, name }: SharedClaim,
  mended: Controller,
): Omit<Overlap, 'where'> {
  const other = mended === first ? second : first
  const [one, two] = first.facts === second.facts ? [] : [first.facts.title, second.facts.title]
  const limiting = limitingOf(mended, other)
  const own = {
    class: ownClassOf(mended),
    annotation: mended.wordsFor(wayOf(mended)?.name ?? ''),
    // Classes differ here, so one of the two says by a flag that it takes these Ingresses, or names no class.
    none: [...first.claims, ...second.claims].map(flagForUnclassed).find((flag) => flag !== undefined),
  }[by]
  return {
    first: nameOfController(first) + (one ? ` (${one})` : ''),
    second: nameOfController(second) + (two ? ` (${two})` : ''),
    takes: first.facts.takes,
    name: by === 'class' ? (name.startsWith('of ') ? `any IngressClass ${name}` : `class ${name}`) : name,
    outcome: [first, second].every(writes)
      ? flapping
      : 'so both serve them, and which of them a client reaches is chance',
    mended: nameOfController(mended),
    own: own ?? ownClassOf(mended),
    mending: mendingOf(mended, other),
    limiting: limiting && `, or limit ${limiting}`,
  }
}

/** What parts the two: whoever watches all namespaces still meets one that is limited, so then the class comes first. */
function mendingOf(mended: Controller, other: Controller): string {
  const own = ownClassOf(mended)
  const name = nameOfController(mended)
  const limiting = limitingOf(mended, other)
  if (other.watched.scope !== 'all') return `Limit ${limiting}, or give it a class of its own with ${own}`
  const both = [...new Set([own, ownClassOf(other)])].join(' and ')
  // Without a class it takes that of the other one too.
  const given = takesEveryClass(other)
    ? `Give each of them a class of its own with ${both}`
    : `Give ${name} a class of its own with ${own}`
  const flags = [...new Set([mended, other].map(scopeOf))].join(' and ')
  return `${given}, or limit ${limiting || `both to namespaces of their own with ${flags}`}`
}

/** How one of the two is kept out of the namespaces of the other; empty where only both together can be. */
function limitingOf(mended: Controller, other: Controller): string {
  const limited = other.watched.scope !== 'all' ? mended : mended.watched.scope !== 'all' ? other : undefined
  return limited ? `${nameOfController(limited)} to other namespaces with ${scopeOf(limited)}` : ''
}

function scopeOf({ facts: { scope }, installed, wordsFor }: Controller): string {
  return installed ? `${scope.value} in its values` : inWords([wordsFor(scope.namespaces)], scope.value)
}

/** The value of its chart that limits it. */
function decisiveValue({ facts: { scope } }: Controller): string {
  return scope.value.replace(/:.*/, '')
}

function ownClassOf(controller: Controller): string {
  const way = wayOf(controller)
  if (controller.installed) return `${way?.value} in its values`
  const flags = [...new Set([way?.name, way?.controllerFlag])].flatMap((flag) =>
    flag ? controller.wordsFor(flag) : [],
  )
  return inWords(flags, way?.value)
}

/** Flags, with the value of the chart that gives them; a setting of a config file needs no other words. */
function inWords(flags: readonly string[], value: string | undefined): string {
  const words = flags.join(' and ')
  return words.startsWith('-') ? `${words} (in its chart ${value})` : words
}

/** How it decides which Ingresses are its own: where the release is not told, in the newest way. */
function wayOf({ claims, facts }: Controller): ClassFacts | undefined {
  return claims.at(-1)?.facts ?? facts.classes.at(-1)
}

/** Whether it takes all classes of its product as long as it is given none, and the product has one name for its controllers. */
function takesEveryClass({ claims, facts }: Controller): boolean {
  const isOpen = claims.some(({ by, facts: way }) => way.by === 'both' && by === 'controller')
  return isOpen || (facts.takes === 'Gateways' && claims.some(({ unclassed }) => unclassed))
}

function writes({ status }: Controller): boolean {
  return status.writes !== 'nothing' && status.writes !== 'unknown'
}

function flagForUnclassed({ facts: { unclassed = [] } }: Claims): string | undefined {
  return unclassed.flatMap((one) => ('on' in one ? `--${one.on}` : []))[0]
}

/** A wider overlap is another statement; one that this change makes narrower is not. */
function keysOf(first: Controller, second: Controller): string[] {
  const names = [first, second].flatMap(({ claims }) => claims.flatMap((one) => one.names))
  const everywhere = first.watched.scope === 'all' && second.watched.scope === 'all'
  return [...new Set(names), ...(everywhere ? ['every namespace'] : []), 'some namespace']
}
