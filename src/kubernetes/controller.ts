import { satisfies } from 'semver'
import type { Cursor } from '../manifest/cursor'
import type { GroupKind, Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { Arguments } from './arguments'
import { type ClassFacts, type ControllerFacts, controllerFacts } from './controller-facts'
import { parseImage, releaseOf } from './image'
import { shareNamespace } from './namespace'

/** The kinds that run an ingress controller. */
export const controllerKinds: readonly GroupKind[] = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps']

/** Strings of which each controller's manifest has one. */
export const marksOfControllers: readonly string[] = controllerFacts.flatMap(({ marks }) => marks)

/** The namespaces a controller watches, at the argument that says so, else where it would stand. */
export type Watched = { readonly at: Cursor } & (
  | { readonly scope: 'all' | 'unknown' }
  | { readonly scope: 'namespace'; readonly name: string }
  | { readonly scope: 'selector'; readonly selector: string }
)

/** Which Ingresses a controller takes, as one of the releases it may be decides. */
export interface Claims {
  readonly facts: ClassFacts
  /** The class it is asked for by name: by the annotation, and by `spec.ingressClassName` before 1.0.0 of ingress-nginx. */
  readonly name: string
  /** What `spec.controller` of its IngressClasses says; undefined where classes are compared by name alone. */
  readonly controller: string | undefined
  /** Whether the IngressClass of that name is its own, whatever its controller. */
  readonly byName: boolean
  /** Whether it takes Ingresses that name no class. */
  readonly unclassed: boolean
}

/** What a controller writes into the status of its Ingresses. */
export type Status =
  /** Nothing; or what cannot be told. */
  | { readonly writes: 'nothing' | 'unknown' }
  /** The addresses of a Service, or one that is given: at its argument. */
  | { readonly writes: 'source'; readonly at: Cursor; readonly flag: string; readonly value: string | undefined }
  /** The addresses of the nodes that run it, where these lead to it. */
  | { readonly writes: 'nodes' }
  /** The addresses of nodes because no source is given: at its arguments, where one belongs. */
  | { readonly writes: 'fallback'; readonly at: Cursor }

/** An ingress controller, as a workload runs it. */
export interface Controller {
  readonly facts: ControllerFacts
  readonly manifest: Manifest
  readonly image: Cursor
  /** None when the tag does not tell. */
  readonly release: string | undefined
  /** Where its arguments stand. */
  readonly place: Cursor
  /** Whether a shell takes its arguments apart: then none of them is known. */
  readonly inShell: boolean
  readonly watched: Watched
  /** One for each way its release may decide; none when its class is not told. */
  readonly claims: readonly Claims[]
  readonly status: Status
  /** What its leader is elected by, in its own namespace; undefined where no file tells. */
  readonly election: string | undefined
}

/** The controllers that a snapshot's workloads run. */
export function controllersIn(snapshot: Snapshot): Controller[] {
  return controllerKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(controllersOf)
}

/** The controllers that a workload runs: none while it is scaled to nothing, or where the manifest is only a patch. */
export function controllersOf(manifest: Manifest): Controller[] {
  if (!controllerKinds.some((kind) => kind.startsWith(`${manifest.ref.kind}.`))) return []
  if (manifest.root.at('spec', 'replicas').value === 0) return []
  const containers = [...manifest.root.at('spec', 'template', 'spec', 'containers').items()]
  return containers.flatMap((container) => {
    const facts = controllerFacts.find((one) => recognises(one, container, containers.length === 1))
    return facts && container.at('image').string ? [read(facts, container)] : []
  })
}

function recognises(facts: ControllerFacts, container: Cursor, alone: boolean): boolean {
  const { repository } = parseImage(container.at('image').string ?? '')
  if (facts.images.some((pattern) => new RegExp(pattern).test(repository))) return true
  if (new Arguments(container).runs(facts.binary)) return true
  const labels = container.manifest.root.at('spec', 'template', 'metadata', 'labels')
  const labelled = Object.entries(facts.labels).every(([key, value]) => labels.at(key).string === value)
  return labelled && (alone || container.at('name').string === 'controller')
}

function read(facts: ControllerFacts, container: Cursor): Controller {
  const { manifest } = container
  const args = new Arguments(container)
  const image = container.at('image')
  const release = releaseOf(parseImage(image.string ?? ''))
  const { inShell, place } = args
  return {
    facts,
    manifest,
    image,
    release,
    place,
    inShell,
    watched: inShell ? { at: place, scope: 'unknown' } : watchedBy(facts, args),
    claims: inShell ? [] : claimsOf(facts, args, release),
    status: inShell ? { writes: 'unknown' } : statusOf(facts, args, container),
    election: electionOf(facts, args),
  }
}

function watchedBy({ scope }: ControllerFacts, args: Arguments): Watched {
  const [namespace, selector] = [args.get(scope.namespace), args.get(scope.selector)]
  if (namespace && namespace.value !== '') {
    const { at, value } = namespace
    return value === undefined ? { at, scope: 'unknown' } : { at, scope: 'namespace', name: value }
  }
  if (selector && selector.value !== '') {
    const { at, value } = selector
    return value === undefined ? { at, scope: 'unknown' } : { at, scope: 'selector', selector: value }
  }
  return { at: namespace?.at ?? args.place, scope: 'all' }
}

function claimsOf(facts: ControllerFacts, args: Arguments, release: string | undefined): Claims[] {
  return waysOf(facts, args, release).flatMap((way): Claims[] => {
    const name = valueOr(args, way.name, way.default)
    const controller = way.controller && valueOr(args, way.controller, way.controllerDefault ?? '')
    const byName = way.byName ? args.isOn(way.byName, false) : false
    const unclassed = takesUnclassed(way, args, name)
    const told = name !== undefined && byName !== undefined && unclassed !== undefined
    if (!told || (way.controller && controller === undefined)) return []
    return [{ facts: way, name, controller, byName, unclassed }]
  })
}

/** How a release decides; where none is told, each way that has the flags which are given. */
function waysOf({ classes }: ControllerFacts, args: Arguments, release: string | undefined): ClassFacts[] {
  if (release !== undefined) return classes.filter(({ releases }) => satisfies(release, releases))
  const flags = new Set(classes.flatMap(flagsOf).filter((flag) => args.get(flag)))
  return classes.filter((way) => [...flags].every((flag) => flagsOf(way).includes(flag)))
}

function flagsOf({ name, controller, byName, unclassed }: ClassFacts): string[] {
  const flag = unclassed && 'flag' in unclassed ? unclassed.flag : undefined
  return [name, controller, byName, flag].filter((one) => one !== undefined)
}

function takesUnclassed({ unclassed }: ClassFacts, args: Arguments, name: string | undefined): boolean | undefined {
  if (!unclassed) return false
  return 'flag' in unclassed ? args.isOn(unclassed.flag, false) : name === unclassed.class
}

/** The value of an argument; what holds without it when it is absent or empty. */
function valueOr(args: Arguments, flag: string, byDefault: string): string | undefined {
  const given = args.get(flag)
  return given?.value === '' || !given ? byDefault : given.value
}

function statusOf({ status }: ControllerFacts, args: Arguments, container: Cursor): Status {
  const updates = args.isOn(status.update, true)
  if (updates !== true) return { writes: updates === false ? 'nothing' : 'unknown' }
  for (const flag of [status.service, status.address]) {
    const given = args.get(flag)
    if (given && given.value !== '') return { writes: 'source', at: given.at, flag, value: given.value }
  }
  // With the host's network or its ports the nodes are where the traffic goes.
  const onHost = container.manifest.root.at('spec', 'template', 'spec', 'hostNetwork').value === true
  const hasHostPort = [...container.at('ports').items()].some((port) => port.at('hostPort').exists)
  if (onHost || hasHostPort || args.isOn(status.nodes, false) !== false) return { writes: 'nodes' }
  return { writes: 'fallback', at: args.get(status.service)?.at ?? args.get(status.address)?.at ?? args.place }
}

function electionOf({ election }: ControllerFacts, args: Arguments): string | undefined {
  return args.inShell ? undefined : valueOr(args, election.id, election.default)
}

/**
 * Whether two workloads run one controller: they elect one leader, which alone writes, and they watch and write the same.
 * The chart makes such two with `controller.kind: Both`.
 */
export function areOneController(a: Controller, b: Controller): boolean {
  return (
    shareNamespace(a.manifest, b.manifest) &&
    a.election !== undefined &&
    a.election === b.election &&
    described(a) === described(b)
  )
}

function described({ watched, claims, status }: Controller): string {
  const { at: _, ...scope } = watched
  return JSON.stringify([
    scope,
    claims.map(({ name, controller }) => [name, controller]),
    status.writes === 'source' ? [status.flag, status.value] : status.writes,
  ])
}
