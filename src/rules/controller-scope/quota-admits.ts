import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { quantityAt } from '../../kubernetes/workload/container-resources'
import { type OutOfRange, outOfRange } from '../../kubernetes/workload/limit-range'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const quotaKind = 'ResourceQuota'
const rangeKind = 'LimitRange'

/** What every Pod takes some of. */
const limits: readonly string[] = [
  'pods',
  'count/pods',
  ...['cpu', 'memory'].flatMap((one) => [one, `requests.${one}`, `limits.${one}`]),
]

export default defineRule({
  id: 'controller-scope/quota-admits',
  summary: 'The quotas and limits of a namespace leave room for the Pods of its ingress controllers.',
  since: '1.28.0',
  scope: 'change',
  kinds: [quotaKind, rangeKind, ...controllerKinds],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/
    none: ({ quota, limit, controller }: Record<'quota' | 'limit' | 'controller', string>) =>
      `After this change ${quota} allows no ${limit} in its namespace, so the API server refuses each new Pod of ${controller}: those that run stay, and none takes their place after a rollout or on another node. Remove the limit, or set it to what the controller needs.`,
    // Source: https://kubernetes.io/docs/concepts/policy/limit-range/
    outside: ({
      range,
      words,
      controller,
      container,
      asked,
    }: Record<'range' | 'words' | 'controller' | 'container' | 'asked', string>) =>
      `After this change ${range} allows a container in its namespace ${words}, and container ${container} of ${controller} has ${asked}. So the API server refuses each new Pod of it: those that run stay, and none takes their place after a rollout or on another node. Set a bound that admits the container, or first change its resources.`,
  },
  later: { outside: '1.29.0' },
  putBack: { none: 'changed', outside: 'changed' },
  *partners(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (kind === rangeKind || (kind === quotaKind && zerosOf(manifest).length > 0)) yield* marksOfControllers
  },
  check({ change, head, report }) {
    if (change.kind === 'removed' || change.after.ref.namespace === '') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    const kind = groupKindOf(after.ref)
    if (kind === quotaKind) {
      const had = new Set(before ? zerosOf(before).map(([limit]) => limit) : [])
      const [zero] = zerosOf(after).filter(([limit]) => !had.has(limit))
      const [first] = controllersBeside(after, head)
      if (!zero || !first) return
      const [limit, at] = zero
      const args = { quota: nameOf(after.ref), limit, controller: nameOfController(first) }
      report([at, first.manifest.root], 'none', args, { keys: [limit] })
    }
    if (kind !== rangeKind) return
    for (const controller of controllersBeside(after, head)) {
      const pod = podOf(controller.manifest)
      const had = new Set(before ? outOfRange(before.root, pod).map(keyOf) : [])
      const [first] = outOfRange(after.root, pod).filter((one) => !had.has(keyOf(one)))
      if (!first) continue
      const { bound, words, container, asked, resource } = first
      const args = { range: nameOf(after.ref), words, container, asked: quantityAt(asked) }
      const ends = [bound, asked]
      report(ends, 'outside', { ...args, controller: nameOfController(controller) }, { keys: [resource] })
    }
  },
})

/** The ingress controllers in the namespace of an object, as their Pods are written. */
function controllersBeside({ ref }: Manifest, snapshot: Snapshot): Controller[] {
  return controllersIn(snapshot).filter(
    ({ manifest, installed }) => !installed && manifest.ref.namespace === ref.namespace,
  )
}

function keyOf({ resource, container }: OutOfRange): string {
  return JSON.stringify([resource, container])
}

/** The limits of a quota that let no Pod in; one with scopes holds for some Pods only. */
function zerosOf({ root }: Manifest): [string, Cursor][] {
  const spec = root.at('spec')
  if (spec.at('scopes').isSet || spec.at('scopeSelector').isSet) return []
  const hard = spec.at('hard')
  return limits.flatMap((limit) => {
    const at = hard.at(limit)
    return at.exists && ['0', '0m', '0Mi', '0Gi'].includes(String(at.value)) ? [[limit, at] as [string, Cursor]] : []
  })
}
