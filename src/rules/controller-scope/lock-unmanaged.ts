import { controllerKinds, controllersIn, marksOfControllers } from '../../kubernetes/controllers/controller'
import { electsBy } from '../../kubernetes/controllers/leader-lock'
import { isLockByName, isLockOfChart, lockKinds, lockRecordOf } from '../../kubernetes/controllers/lock-manifest'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/lock-unmanaged',
  summary: 'No manifest is the leader-election lock of a controller.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: lockKinds,
  reads: controllerKinds,
  messages: {
    held: ({ lock, holder }: { lock: string; holder: string }) =>
      `${lock} is a leader-election lock, and this manifest gives it to ${holder}. Each apply takes it from the current leader, and work that only a leader does stops, such as writing the status of Ingresses. Remove it from the repository; the controller creates its lock itself.`,
    shipped: ({ lock, instead }: { lock: string; instead: string }) =>
      `${lock} has the name of a leader-election lock that a controller creates itself, so helm refuses to take over the existing one, and replacing it takes the lead from its holder. ${instead}.`,
  },
  // Only locks are worth reading the other files for, which show their cluster.
  *partners(manifest) {
    if (lockRecordOf(manifest) || isLockByName(manifest)) yield manifest.ref.name
    if (isLockOfChart(manifest)) yield* marksOfControllers
  },
  check({ manifest, report }) {
    const { ref } = manifest
    const record = lockRecordOf(manifest)
    const lock = nameOf(ref)
    if (record && record.holder !== '') {
      const isHolderKnown = record.holder !== undefined && !isPlaceholder(record.holder)
      report(
        record.at,
        'held',
        { lock, holder: isHolderKnown ? (record.holder ?? '') : 'a fixed Pod' },
        { keys: [ref.name] },
      )
    } else if (record || isLockByName(manifest)) {
      const instead = 'Remove it from the repository; the controller creates its lock itself'
      report(manifest.root.at('metadata', 'name'), 'shipped', { lock, instead }, { keys: [ref.name] })
    }
  },
  // A newer version of a chart may contain the lock: https://github.com/nginx/kubernetes-ingress/issues/6663
  checkChange({ change, base, report }) {
    if (change.kind !== 'added' || !isLockOfChart(change.after)) return
    const { ref, root } = change.after
    const user = controllersIn(base).find((controller) => !controller.installed && electsBy(controller, ref))
    if (!user) return
    const instead = `The lock of ${nameOf(user.manifest.ref)} already exists and is not managed by helm: delete it right before the upgrade, or add the release's annotations to it`
    const ends = [root.at('metadata', 'name'), ...user.locks.slice(0, 1).map(({ at }) => at)]
    report(ends, 'shipped', { lock: nameOf(ref), instead }, { keys: [ref.name] })
  },
})
