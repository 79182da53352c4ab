import {
  controllerKinds,
  controllersIn,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const quotaKind = 'ResourceQuota'

/** What every Pod takes some of. */
const limits: readonly string[] = [
  'pods',
  'count/pods',
  ...['cpu', 'memory'].flatMap((one) => [one, `requests.${one}`, `limits.${one}`]),
]

export default defineRule({
  id: 'controller-scope/quota-admits',
  summary: 'The quotas of a namespace leave room for the Pods of its ingress controllers.',
  since: '1.28.0',
  scope: 'change',
  kinds: [quotaKind, ...controllerKinds],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/
    none: ({ quota, limit, controller }: Record<'quota' | 'limit' | 'controller', string>) =>
      `After this change ${quota} allows no ${limit} in its namespace, so the API server refuses each new Pod of ${controller}: those that run stay, and none takes their place after a rollout or on another node. Remove the limit, or set it to what the controller needs.`,
  },
  putBack: { none: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === quotaKind && zerosOf(manifest).length > 0) yield* marksOfControllers
  },
  check({ change, head, report }) {
    if (change.kind === 'removed' || groupKindOf(change.after.ref) !== quotaKind) return
    const { after } = change
    const had = new Set(change.kind === 'changed' ? zerosOf(change.before).map(([limit]) => limit) : [])
    const [zero] = zerosOf(after).filter(([limit]) => !had.has(limit))
    const { namespace } = after.ref
    const its = controllersIn(head).filter(
      ({ manifest, installed }) => !installed && manifest.ref.namespace === namespace,
    )
    const [first] = namespace === '' ? [] : its
    if (!zero || !first) return
    const [limit, at] = zero
    const args = { quota: nameOf(after.ref), limit, controller: nameOfController(first) }
    report([at, first.manifest.root], 'none', args, { keys: [limit] })
  },
})

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
