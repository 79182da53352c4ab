import { controllerKinds, controllersOf, marksOfControllers } from '../../kubernetes/controllers/controller'
import { expiriesOf } from '../../kubernetes/object/expiry'
import { cleanupPolicyKinds, cleanupsOf, kindsTakenBy } from '../../kubernetes/protection/cleanup-policy'
import { clusterObjectFacts } from '../../kubernetes/protection/cluster-object'
import { isVital } from '../../kubernetes/protection/vital-kinds'
import { abridged } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/cleanup-safe',
  summary: 'No tool that cleans up a cluster deletes objects that requests need.',
  since: '1.16.0',
  scope: 'change',
  kinds: '*',
  messages: {
    expires: ({ object, place, mark, tool, when }: Record<'object' | 'place' | 'mark' | 'tool' | 'when', string>) =>
      `This change gives ${object} the ${place} \`${mark}\`, so ${tool}, where it runs, deletes it ${when}, and again each time that something recreates it. Remove the ${place}.`,
    cleaned: ({ policy, schedule, takes }: Record<'policy' | 'schedule' | 'takes', string>) =>
      `After this change ${policy} deletes ${takes} each time that its schedule (${schedule}) comes up. Let it match only what may go, by names, namespaces or labels.`,
  },
  putBack: { expires: 'changed', cleaned: 'changed' },
  *partners(manifest, _, isGone, isTouched) {
    if (isGone || !isTouched || !isCleanup(manifest)) return
    const kinds = kindsTakenBy(manifest)
    yield* kinds.flatMap((kind) => (controllerKinds.includes(kind) ? [] : [kind.split('.')[0] ?? kind]))
    if (kinds.some((kind) => controllerKinds.includes(kind))) yield* marksOfControllers
  },
  partnerKinds: (manifest) => (isCleanup(manifest) ? kindsTakenBy(manifest) : [groupKindOf(manifest.ref)]),
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    if (isCleanup(after)) {
      const were = before ? cleanupsOf(before, base) : []
      const known = new Set(were.flatMap(({ takes, unread }) => (unread ? [] : takes)))
      const policy = nameOf(after.ref)
      for (const { at, takes, unread } of cleanupsOf(after, head)) {
        const added = takes.filter((one) => !known.has(one))
        if (added.length === 0) continue
        if (unread) {
          skip(
            unread,
            `its field ${unread.path.at(-1)} is not read, so whether it deletes ${abridged(added)} is not known`,
          )
          continue
        }
        const schedule = after.root.at('spec', 'schedule').string ?? ''
        report(at, 'cleaned', { policy, schedule, takes: abridged(added) }, { keys: added })
      }
      return
    }
    if (!before) return
    const had = new Set(expiriesOf(before).map(({ key }) => key))
    for (const { at, key, place, tool, when } of expiriesOf(after)) {
      if (had.has(key) || !isNeeded(before)) continue
      const args = { object: nameOf(after.ref), place, mark: `${key}: ${at.string}`, tool, when }
      report(at, 'expires', args, { keys: [key] })
    }
  },
})

function isCleanup({ ref }: Manifest): boolean {
  return cleanupPolicyKinds.includes(groupKindOf(ref))
}

/** Whether requests or the cluster itself need an object. */
function isNeeded(manifest: Manifest): boolean {
  return isVital(manifest.ref) || clusterObjectFacts(manifest.ref) !== undefined || controllersOf(manifest).length > 0
}
