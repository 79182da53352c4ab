import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isNewlyForPods } from './cilium-closure'
import type { Controller } from './controller'
import { reachOf, servicesTo } from './controller-service'
import { closingPolicies, isForObservers, isForPods, networkPolicyKind } from './network-policy'
import { closedByPlugins, pluginPolicyKinds } from './plugin-closure'
import { isOpenToOthers, isolationOf } from './pod-isolation'
import { controllersOnBoth } from './same-controller'

/** A controller that a policy newly keeps clients from. */
export interface Closure {
  /**
   * `denied`: no NetworkPolicy lets traffic in; `observed`: one lets in monitoring alone; `inside`: a policy lets in Pods
   * alone; `closed`: a policy of a network plugin lets in none from outside.
   */
  readonly how: 'denied' | 'observed' | 'inside' | 'closed'
  readonly policy: Manifest
  readonly controller: Controller
  readonly ends: readonly Cursor[]
}

/** The controllers that run on both sides and that a change of a policy closes; none for other objects. */
export function closuresBy(change: Change, base: Snapshot, head: Snapshot): Closure[] {
  const { before, after } = sidesOf(change)
  const policy = after ?? before
  if (!policy || (!after && head.get(policy.ref).length > 0)) return []
  const kind = groupKindOf(policy.ref)
  if (kind !== networkPolicyKind && !pluginPolicyKinds.includes(kind)) return []
  return controllersOnBoth(base, head).flatMap(([was, is]) => {
    const sides: Sides = { was, is, base, head }
    const byPlugins = closureByPlugins(policy, before, sides)
    if (kind !== networkPolicyKind) return byPlugins
    return [...byPlugins, ...(after ? closureBy(after, sides) : closureWithout(policy, sides))]
  })
}

interface Sides {
  readonly was: Controller
  readonly is: Controller
  readonly base: Snapshot
  readonly head: Snapshot
}

/** A NetworkPolicy that newly blocks traffic to a controller. */
function closureBy(policy: Manifest, { was, is, base, head }: Sides): Closure[] {
  const found = { policy, controller: is }
  const end = labelsOf(is)
  if (closingPolicies(is.manifest, head).includes(policy)) {
    if (closingPolicies(was.manifest, base).length > 0) return []
    return [{ ...found, how: 'denied', ends: [policy.root.at('spec', 'podSelector'), end] }]
  }
  const isOwn = (isShut: (rule: Cursor) => boolean) =>
    closingPolicies(was.manifest, base, isShut).length === 0 &&
    closingPolicies(is.manifest, head, isShut).includes(policy)
  const ends = [policy.root.at('spec', 'ingress'), end]
  if (isOwn(isForObservers))
    return isOpenToOthers(is.namespace, is.manifest, head) ? [] : [{ ...found, how: 'observed', ends }]
  const isReached = servicesTo(is.manifest, head).some((service) => reachOf(service) > 0)
  return isReached && isOwn(isForPods) && isolationOf(is.manifest, head) ? [{ ...found, how: 'inside', ends }] : []
}

/** A NetworkPolicy that was the last one to open a controller that others close. */
function closureWithout(removed: Manifest, { was, is, base, head }: Sides): Closure[] {
  const [policy] = closingPolicies(is.manifest, head)
  if (!policy || closingPolicies(was.manifest, base).length > 0) return []
  return [{ how: 'denied', policy, controller: is, ends: [removed.root, policy.root.at('spec', 'podSelector')] }]
}

/**
 * A controller that policies of a network plugin newly close: the policy of this change, or others whose way in it takes
 * away.
 */
function closureByPlugins(policy: Manifest, before: Manifest | undefined, { was, is, base, head }: Sides): Closure[] {
  const closing = closedByPlugins(is.manifest, head)
  const [first] = closing
  const end = labelsOf(is)
  if (!first) {
    if (!isNewlyForPods(policy, [was.manifest, base], [is.manifest, head])) return []
    return [{ how: 'inside', policy, controller: is, ends: [policy.root.at('spec', 'ingress'), end] }]
  }
  if (closedByPlugins(was.manifest, base).size > 0) return []
  const at = policy.root.at('spec')
  if (closing.has(policy)) return [{ how: 'closed', policy, controller: is, ends: [at, end] }]
  // An opener: with it there is a way in.
  if (!before || closedByPlugins(is.manifest, head.with([before])).size > 0) return []
  return [{ how: 'closed', policy: first, controller: is, ends: [at, first.root.at('spec'), end] }]
}

function labelsOf({ manifest }: Controller): Cursor {
  return podOf(manifest).at('metadata', 'labels')
}
