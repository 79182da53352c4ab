import { isPlaceholder } from '../../kubernetes/ingress'
import { isLockByName, lockKinds, lockRecordOf } from '../../kubernetes/lock-manifest'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

export default defineRule({
  id: 'controller-scope/lock-unmanaged',
  summary: 'No manifest is the lock by which a controller elects its leader.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: lockKinds,
  messages: {
    held: ({ lock, holder }: { lock: string; holder: string }) =>
      `${lock} is the lock of a leader election, and this manifest gives it to ${holder}; each time it is applied the leader loses it to a Pod that may be long gone, and what only a leader does stops, such as writing the status of Ingresses. Take it out of the repository; the controller makes its lock itself.`,
    shipped: ({ lock }: { lock: string }) =>
      `${lock} has the name of a lock that a controller makes for its leader election, so helm refuses to take over the one that is there already, and whatever replaces it takes the lead from its holder. Take it out of the repository; the controller makes its lock itself.`,
  },
  // Nothing is compared; but only a lock is worth reading the other files for, which tell its cluster.
  *partners(manifest) {
    if (lockRecordOf(manifest) || isLockByName(manifest)) yield manifest.ref.name
  },
  check({ manifest, report }) {
    const { ref } = manifest
    const record = lockRecordOf(manifest)
    const lock = nameOf(ref)
    if (record && record.holder !== '') {
      const told = record.holder !== undefined && !isPlaceholder(record.holder)
      report(record.at, 'held', { lock, holder: told ? (record.holder ?? '') : 'some Pod' }, { keys: [ref.name] })
    } else if (record || isLockByName(manifest)) {
      report(manifest.root.at('metadata', 'name'), 'shipped', { lock }, { keys: [ref.name] })
    }
  },
})
