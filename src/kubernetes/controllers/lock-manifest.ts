import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { chartFacts } from '../charts/chart-facts'
import { controllerFacts } from '../workload/controller-facts'
import { lockPattern } from './leader-lock'

/** The kinds a leader is written into; Endpoints were the first ones. */
export const lockKinds: readonly GroupKind[] = ['ConfigMap', 'Lease.coordination.k8s.io', 'Endpoints']

/** The holder of a lock in its manifest, and its place. */
export interface LockRecord {
  readonly at: Cursor
  /** Empty if the lock was released; undefined if it is unknown. */
  readonly holder: string | undefined
}

/**
 * The record of a leader in a manifest: client-go writes it as JSON into an annotation, or into the fields of a Lease.
 * Source: https://github.com/kubernetes/client-go/tree/master/tools/leaderelection/resourcelock
 */
export function lockRecordOf({ ref, root }: Manifest): LockRecord | undefined {
  // In this namespace, a Lease is the heartbeat of a node and no leader election.
  if (ref.namespace === 'kube-node-lease') return undefined
  const at = root.at('metadata', 'annotations', 'control-plane.alpha.kubernetes.io/leader')
  if (at.exists) return { at, holder: holderIn(at.string ?? '') }
  const holder = root.at('spec', 'holderIdentity')
  return ref.kind === 'Lease' && holder.exists ? { at: holder, holder: holder.string } : undefined
}

function holderIn(record: string): string | undefined {
  return record.match(/"holderIdentity"\s*:\s*"([^"]*)"/)?.[1]
}

/**
 * Whether an object without a record is a lock nevertheless, by its name: a ConfigMap with data is none, and helm does
 * not change the holder in a chart's own object.
 */
export function isLockByName(manifest: Manifest): boolean {
  const { ref, root } = manifest
  if (ref.kind === 'Endpoints' || ref.namespace === 'kube-node-lease' || isLockOfChart(manifest)) return false
  const holdsData = ['data', 'binaryData'].some((field) => [...root.at(field).entries()].length > 0)
  return !holdsData && (isNameOfIngressLock(ref.name) || usualNames.test(ref.name))
}

/** Whether a lock is part of the chart of a controller. */
export function isLockOfChart({ root }: Manifest): boolean {
  return chartsWithLock.test(root.at('metadata', 'labels', 'helm.sh/chart').string ?? '')
}

const chartsWithLock = new RegExp(
  `^(?:${chartFacts.flatMap(({ name, makesLock }) => (makesLock ? name : [])).join('|')})-\\d`,
)

/** Whether ingress controllers or their charts use a name for their lock. */
export function isNameOfIngressLock(name: string): boolean {
  return ingressLockNames.test(name)
}

const ingressLockNames = new RegExp(
  [
    ...controllerFacts
      .flatMap(({ election }) => election)
      .map((way) => `^${patternOf(lockPattern(way, way.default))}$`),
    '^ingress-controller-leader',
    '^kong-ingress-controller-leader-',
    'ingress.*-leader(?:-election)?$',
  ].join('|'),
)

/** The suffixes of lock names, by controller. */
const usualNames = /-leader(?:-election)?$|^leader-elect(?:ion)?$/

function patternOf(name: string): string {
  return name.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll('{class}', '.+')
}
