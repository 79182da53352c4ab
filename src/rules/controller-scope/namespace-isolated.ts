import { namesOfParts, partKinds, releaseKinds } from '../../kubernetes/chart-release'
import {
  areOneController,
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  isInstalledBy,
  marksOfControllers,
  shareCluster,
} from '../../kubernetes/controller'
import type { Claims } from '../../kubernetes/controller-claims'
import { type SharedClaim, sharedClaim, sharedNamespaces } from '../../kubernetes/controller-overlap'
import { classAnnotation } from '../../kubernetes/ingress-class'
import { labelsOf } from '../../kubernetes/label-selector'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

interface Overlap {
  first: string
  second: string
  /** The first, without the name of its product. */
  limited: string
  /** What both take: Ingresses, or another kind. */
  takes: string
  /** The class, as both name it. */
  name: string
  /** The namespaces both watch. */
  where: string
  /** How the first is limited to namespaces. */
  scope: string
  /** How it is given a class of its own. */
  own: string
  /** What comes of it. */
  outcome: string
}

const flapping = 'so each keeps overwriting the addresses in their status'

export default defineRule({
  id: 'controller-scope/namespace-isolated',
  summary: 'No two ingress controllers of a cluster take the same Ingresses.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: ['IngressClass.networking.k8s.io', 'Ingress.networking.k8s.io', 'Namespace', ...partKinds],
  messages: {
    overlap: ({ first, second, name, where, scope, own }: Overlap) =>
      `${first} and ${second} both take the Ingresses of class ${name} in ${where}, ${flapping}. Limit ${first} to its namespaces with ${scope}, or give it a class of its own with ${own}.`,
    annotated: ({ first, second, name, where, own, ingress }: Overlap & { ingress: string }) =>
      `${first} and ${second} have classes of their own, but in ${where} both take Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${flapping}. Name the class in spec.ingressClassName instead, or set ${own} of ${first} to another name.`,
    unclassed: ({ first, second, where, scope, own }: Overlap) =>
      `${first} and ${second} both take Ingresses that name no class in ${where}, ${flapping}. Take ${own} from one of them, or limit ${first} to its namespaces with ${scope}.`,
    contested: ({ first, second, limited, takes, name, where, scope, own, outcome }: Overlap) =>
      `${first} and ${second} both take the ${takes} of class ${name} in ${where}, ${outcome}. Limit ${limited} to its namespaces with ${scope}, or give it a class of its own with ${own}.`,
    contestedAnnotation: ({
      first,
      second,
      limited,
      name,
      where,
      own,
      outcome,
      ingress,
    }: Overlap & { ingress: string }) =>
      `${first} and ${second} have classes of their own, but in ${where} both take Ingresses with the annotation kubernetes.io/ingress.class: ${name}, such as ${ingress}, ${outcome}. Name the class in spec.ingressClassName instead, or set ${own} of ${limited} to another name.`,
    contestedUnclassed: ({ first, second, limited, takes, where, scope, own, outcome }: Overlap) =>
      `${first} and ${second} both take ${takes} that name no class in ${where}, ${outcome}. Have one of them take those of a class alone with ${own}, or limit ${limited} to its namespaces with ${scope}.`,
    contestedRoutes: ({ first, second, limited, takes, where, scope, own }: Overlap) =>
      `${first} and ${second} both take the same ${takes} in ${where}, so what is meant for one is served by the other too. Limit ${limited} to its namespaces with ${scope}, or give it a class of its own with ${own}.`,
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
    if (manifest.ref.kind === 'IngressClass') yield* marksOfControllers
    if (manifest.ref.kind === 'Ingress') yield* classAnnotation(manifest).exists ? marksOfControllers : []
    if (groupKindOf(manifest.ref) === 'Namespace' && manifest.root.at('metadata', 'labels').exists)
      yield* marksOfControllers
    for (const { claims, watched } of controllersOf(manifest)) {
      yield* marksOfControllers
      if (watched.scope === 'selector') yield* labelsOf(watched.selector)
      for (const { controller, facts: way } of claims) {
        if (controller) yield controller
        // Only between classes of different names does it matter which Ingresses still use the annotation.
        if (controller !== way.controller) yield 'kubernetes.io/ingress.class'
      }
    }
  },
  check({ manifest, snapshot, report, skip }) {
    for (const first of controllersOf(manifest, snapshot)) {
      if (first.inShell) skip(first.place, 'a shell takes its arguments apart, so what it watches is not known')
      else if (first.watched.scope === 'unknown')
        skip(first.watched.at, 'no file that is read here tells what it watches')
      for (const second of controllersIn(snapshot)) {
        if (first.facts.takes !== second.facts.takes || !comesFirst(first, second)) continue
        if (mayBeCopies(first.manifest, second.manifest) || areOneController(first, second)) continue
        if (!shareCluster(first, second) || isInstalledBy(first, second)) continue
        const namespaces = sharedNamespaces(first, second, snapshot)
        const shared = namespaces && sharedClaim(first, second, snapshot)
        if (!shared) continue
        const overlap = { ...wordsOf(first, second, shared), where: namespaces.words }
        const labels = namespaces.found.map(({ root }) => root.at('metadata', 'labels'))
        const parts = [first, second].flatMap(({ installed }) => installed?.release.parts ?? [])
        const ends = [first.watched.at, second.watched.at, ...labels, ...parts]
        const more = { keys: keysOf(first, second) }
        const byFlags = namespaces.found.length === 0
        const known =
          byFlags && [first, second].every(({ facts, installed }) => facts.name === 'ingress-nginx' && !installed)
        if (first.facts.takes !== 'Ingresses') report(ends, 'contestedRoutes', overlap, more)
        else if (shared.by === 'none') report(ends, known ? 'unclassed' : 'contestedUnclassed', overlap, more)
        else if (shared.by === 'class') {
          const through = shared.through ? [shared.through.root.at('spec', 'controller')] : []
          report([...ends, ...through], known ? 'overlap' : 'contested', overlap, more)
        } else {
          const at = classAnnotation(shared.ingress)
          const ingress = nameOf(shared.ingress.ref)
          report([...ends, at], known ? 'annotated' : 'contestedAnnotation', { ...overlap, ingress }, more)
        }
      }
    }
  },
})

/** Of two, the one that watches more is named first: it is the one to limit. */
function comesFirst(a: Controller, b: Controller): boolean {
  const further = breadth[a.watched.scope] - breadth[b.watched.scope]
  return further > 0 || (further === 0 && identityOf(a.manifest.ref) < identityOf(b.manifest.ref))
}

const breadth = { all: 3, selector: 2, namespaces: 1, unknown: 0 }

/** Copies of one object are one controller; an object without a namespace may be a copy of any with its name. */
function mayBeCopies({ ref: a }: Manifest, { ref: b }: Manifest): boolean {
  if (identityOf(a) === identityOf(b)) return true
  return a.kind === b.kind && a.name === b.name && (a.namespace === '') !== (b.namespace === '')
}

function wordsOf(first: Controller, second: Controller, { by, name }: SharedClaim): Omit<Overlap, 'where'> {
  const { scope, classes, dashes, takes } = first.facts
  // Where the release is not told, the newest way.
  const way = first.claims.at(-1)?.facts ?? classes.at(-1)
  const flags = [...new Set([way?.name, way?.controllerFlag])].flatMap((flag) => (flag ? `${dashes}${flag}` : []))
  const byClass = first.installed
    ? `${first.installed.release.facts.says?.class ?? way?.value} in its values`
    : `${flags.join(' and ')} (in its chart ${way?.value})`
  const own = {
    class: byClass,
    annotation: flags[0],
    // Classes differ here, so one of the two says by a flag that it takes these Ingresses, or names no class.
    none: [...first.claims, ...second.claims].map(flagForUnclassed).find((flag) => flag !== undefined) ?? byClass,
  }[by]
  const [one, other] = first.facts === second.facts ? [] : [first.facts.title, second.facts.title]
  return {
    first: nameOf(first.manifest.ref) + (one ? ` (${one})` : ''),
    second: nameOf(second.manifest.ref) + (other ? ` (${other})` : ''),
    limited: nameOf(first.manifest.ref),
    takes,
    name,
    scope: first.installed
      ? `${first.installed.release.facts.says?.scope ?? scope.value} in its values`
      : `${dashes}${scope.namespaces} (in its chart ${scope.value})`,
    own: own ?? '',
    outcome: [first, second].every(writes)
      ? flapping
      : 'so both serve them, and which of them a client reaches is chance',
  }
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
