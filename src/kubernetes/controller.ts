import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { Arguments } from './arguments'
import { type Claims, claimsOf } from './controller-claims'
import { type ControllerFacts, controllerFacts } from './controller-facts'
import { type Watched, watchedBy } from './controller-scope'
import { type Status, statusOf } from './controller-status'
import { parseImage, releaseOf } from './image'
import { type Lock, locksOf, sharedLock } from './leader-lock'
import { shareNamespace } from './namespace'

/** The kinds that run an ingress controller. */
export const controllerKinds: readonly GroupKind[] = [
  'Deployment.apps',
  'DaemonSet.apps',
  'StatefulSet.apps',
  'Rollout.argoproj.io',
]

/** Strings of which each controller's manifest has one. */
export const marksOfControllers: readonly string[] = controllerFacts.flatMap(({ marks }) => marks)

/** The account a controller's Pods run as, where the manifest names it, else where it would stand. */
export interface ServiceAccount {
  readonly name: string
  /** Empty where the manifest gives none. */
  readonly namespace: string
  readonly at: Cursor
}

/** An ingress controller, as a workload runs it. */
export interface Controller {
  readonly facts: ControllerFacts
  readonly manifest: Manifest
  /** Where its version is written. */
  readonly image: Cursor
  /** None when the tag does not tell. */
  readonly release: string | undefined
  /** The namespace its Pods run in; empty where the manifest gives none. */
  readonly namespace: string
  /** Where its arguments stand. */
  readonly place: Cursor
  /** Whether a shell takes its arguments apart: then none of them is known. */
  readonly inShell: boolean
  readonly watched: Watched
  /** One for each way its release may decide; none when its class is not told. */
  readonly claims: readonly Claims[]
  readonly status: Status
  /** What its leader is elected by: one for each way its release may do it; none when it elects none or no file tells. */
  readonly locks: readonly Lock[]
  readonly serviceAccount: ServiceAccount
}

/** The controllers that a snapshot's workloads run. */
export function controllersIn(snapshot: Snapshot): Controller[] {
  return controllerKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(controllersOf)
}

/** The controllers that a workload runs: none while it is scaled to nothing, or where the manifest is only a patch. */
export function controllersOf(manifest: Manifest): Controller[] {
  if (!controllerKinds.includes(groupKindOf(manifest.ref))) return []
  if (manifest.root.at('spec', 'replicas').value === 0) return []
  const containers = [...manifest.root.at('spec', 'template', 'spec', 'containers').items()]
  return containers.flatMap((container) => {
    if (!container.at('image').string) return []
    return recognised(container, containers.length === 1).map((facts) => read(facts, container))
  })
}

/** What a container runs: the image tells, else the program, else the labels of the Pods. */
function recognised(container: Cursor, alone: boolean): ControllerFacts[] {
  const { repository } = parseImage(container.at('image').string ?? '')
  const args = new Arguments(container)
  const labelled = alone || container.at('name').string === 'controller'
  const byImage = controllerFacts.filter(({ images }) => patterns.get(images)?.test(repository))
  const byProgram = controllerFacts.filter(({ binary }) => binary !== undefined && args.runs(binary))
  const byLabel = controllerFacts.filter((facts) => labelled && isLabelled(facts, container))
  const [found = []] = [byImage, byProgram, byLabel].filter((one) => one.length > 0)
  return found.filter((facts) => isOn(facts, container))
}

/** One expression for each row, as every workload that is read is tried. */
const patterns = new Map(controllerFacts.map(({ images }) => [images, new RegExp(images.join('|'))]))

function isLabelled({ labels }: ControllerFacts, container: Cursor): boolean {
  const written = container.manifest.root.at('spec', 'template', 'metadata', 'labels')
  return labels !== undefined && Object.entries(labels).every(([key, value]) => written.at(key).string === value)
}

/** Whether a program runs as this controller, if it can be several things. */
function isOn(facts: ControllerFacts, container: Cursor): boolean {
  const { command, enabledBy } = facts
  const args = new Arguments(container, facts)
  if (command !== undefined && !args.runs(command)) return false
  return enabledBy === undefined || (args.has(enabledBy) && args.isOn(enabledBy, true) !== false)
}

function read(facts: ControllerFacts, container: Cursor): Controller {
  const { manifest } = container
  const args = new Arguments(container, facts)
  const image = container.at('image')
  const release = releaseOf(parseImage(image.string ?? ''))
  const { inShell, place } = args
  const { namespace } = manifest.ref
  const claims = claimsOf(facts, args, release)
  return {
    facts,
    manifest,
    image,
    release,
    namespace,
    place,
    inShell,
    watched: watchedBy(facts, args),
    claims,
    status: statusOf(facts, args, release, isOnNodes(container)),
    locks: locksOf(facts, args, { release, namespace, className: claims[0]?.names[0] }),
    serviceAccount: accountOf(manifest),
  }
}

/** With the host's network or its ports the nodes are where the traffic goes. */
function isOnNodes(container: Cursor): boolean {
  const onHost = container.manifest.root.at('spec', 'template', 'spec', 'hostNetwork').value === true
  return onHost || [...container.at('ports').items()].some((port) => port.at('hostPort').exists)
}

/** The old name of the field still works: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
function accountOf({ root, ref }: Manifest): ServiceAccount {
  const pod = root.at('spec', 'template', 'spec')
  const named = [pod.at('serviceAccountName'), pod.at('serviceAccount')]
  const at = named.find(({ string }) => string) ?? pod.at('serviceAccountName')
  return { name: at.string ?? 'default', namespace: ref.namespace, at }
}

/**
 * Whether two workloads run one controller: they watch and write the same, and one of them alone writes or all write one
 * address. The chart of ingress-nginx makes such two with `controller.kind: Both`.
 */
export function areOneController(a: Controller, b: Controller): boolean {
  const agree = sharedLock(a.locks, b.locks) !== undefined || a.facts.election.length === 0
  return a.facts === b.facts && shareNamespace(a.manifest, b.manifest) && agree && described(a) === described(b)
}

function described({ watched, claims, status }: Controller): string {
  const { at: _, ...scope } = watched
  return JSON.stringify([
    scope,
    claims.map(({ names, controller }) => [names, controller]),
    status.writes === 'source' ? [status.flag, status.value] : status.writes,
  ])
}
