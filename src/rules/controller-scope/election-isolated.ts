import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  endsAt,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { type LeaderLock, sharedLock } from '../../kubernetes/controllers/leader-lock'
import { areOneController, isInstalledBy, shareCluster } from '../../kubernetes/controllers/same-controller'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface SharedLock {
  first: string
  second: string
  lock: string
  /** The object that names the lock, and the other fields that must name it. */
  own: string
}

export default defineRule({
  id: 'controller-scope/election-isolated',
  summary: 'No two ingress controllers share a leader-election lock.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: partKinds,
  messages: {
    shared: ({ first, second, lock, own }: SharedLock) =>
      `${first} and ${second} are two controllers but share the leader-election lock ${lock}, so only one of them leads and the Ingresses of the other never get an address in their status. Give one of them its own lock with ${own}.`,
  },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    // The chart's name may be in another object.
    if (manifest.root.at('spec', 'chartRef').exists) yield* marksOfControllers
    for (const { facts } of controllersOf(manifest)) yield* facts.marks
  },
  check({ manifest, snapshot, report }) {
    for (const first of controllersOf(manifest, snapshot)) {
      for (const second of controllersIn(snapshot)) {
        if (identityOf(first.manifest.ref) >= identityOf(second.manifest.ref)) continue
        const lock = sharedLock(first.locks, second.locks)
        const other = second.locks[0]
        if (!lock || !other || areOneController(first, second)) continue
        if (!shareCluster(first, second) || isInstalledBy(first, second)) continue
        if (lock.namespace === '' && !shareNamespace(first.manifest, second.manifest)) continue
        const names = { first: nameOfController(first), second: nameOfController(second) }
        const kind = lock.kinds.find((one) => other.kinds.includes(one)) ?? ''
        const lockName = nameOf({ group: '', kind, namespace: lock.namespace, name: lock.name })
        const [[one, ...more], [another, ...others]] = [endsAt(first, [lock.at]), endsAt(second, [other.at])]
        const ends = [one, another, ...more, ...others].filter((end) => end !== undefined)
        report(ends, 'shared', { ...names, lock: lockName, own: namedBy(first, lock) }, { keys: [lock.name] })
      }
    }
  },
})

/** A chart's Role names the lock that its value names. */
function namedBy({ facts, installed }: Controller, { setBy }: LeaderLock): string {
  const id = facts.election.at(-1)?.id ?? ''
  const value = installed?.release.facts.flags.find(({ flag, value }) => flag === id && value !== undefined)?.value
  return value ? `${value} in its values` : `${setBy}, and name that lock in its Role`
}
