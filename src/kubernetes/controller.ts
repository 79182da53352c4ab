import type { Cursor } from '../manifest/cursor'
import type { GroupKind, Manifest } from '../manifest/manifest'
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
  const { namespace } = manifest.ref
  const claims = inShell ? [] : claimsOf(facts, args, release)
  return {
    facts,
    manifest,
    image,
    release,
    namespace,
    place,
    inShell,
    watched: inShell ? { at: place, scope: 'unknown' } : watchedBy(facts, args),
    claims,
    status: inShell ? { writes: 'unknown' } : statusOf(facts, args, isOnNodes(container)),
    locks: inShell ? [] : locksOf(facts, args, release, namespace, claims[0]?.name),
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
 * Whether two workloads run one controller: they elect one leader, which alone writes, and they watch and write the same.
 * The chart makes such two with `controller.kind: Both`.
 */
export function areOneController(a: Controller, b: Controller): boolean {
  return (
    shareNamespace(a.manifest, b.manifest) &&
    sharedLock(a.locks, b.locks) !== undefined &&
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
