import { type ClusterFacts, type ClusterLock, clusterKind, describesCluster } from '../../cluster/cluster-facts'
import {
  controllerKinds,
  controllersIn,
  controllersOf,
  marksOfControllers,
} from '../../kubernetes/controllers/controller'
import { electsBy } from '../../kubernetes/controllers/leader-lock'
import { isNameOfIngressLock } from '../../kubernetes/controllers/lock-manifest'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Held = { lock: string; holder: string; renewed: string }

export default defineRule({
  id: 'controller-scope/lock-held',
  summary: 'The leader of an ingress controller is a running Pod of the cluster.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [clusterKind],
  reads: controllerKinds,
  messages: {
    // A machine that was removed from the cluster still ran the controller's container and renewed the lock:
    // docs/incidents/000.md
    ghost: ({ lock, holder, renewed, namespace }: Held & { namespace: string }) =>
      `${lock} is held by ${holder}, which is not a Pod in namespace ${namespace}${renewed}, so no Pod there writes the status of Ingresses. Find the machine outside the cluster that still runs it and stop it, then delete the lock; the Pods then elect a new leader.`,
    expired: ({ lock, holder, renewed, takenAt }: Held & { takenAt: string }) =>
      `${lock} is held by ${holder}${renewed}, and had expired at ${takenAt}, when this inventory was taken, so no Pod leads and none writes the status of Ingresses. Check that the controller's ServiceAccount may still update the lock, and why no other Pod took it over.`,
  },
  partners(manifest) {
    return describesCluster(manifest) || controllersOf(manifest).length > 0 ? marksOfControllers : []
  },
  check({ manifest, snapshot, report }) {
    const { facts } = snapshot
    const users = controllersIn(snapshot)
    for (const lock of facts.locks.filter(({ at }) => at.manifest === manifest)) {
      const user = users.find((controller) => electsBy(controller, lock))
      if (!lock.holder || (!user && !isNameOfIngressLock(lock.name))) continue
      const { value: holder, at } = lock.holder
      const { kind, namespace, name } = lock
      const words = nameOf({ group: '', kind, namespace, name })
      const renewed = lock.renewTime ? ` and was last renewed at ${lock.renewTime.value}` : ''
      const ends = [at, ...(user?.locks[0] ? [user.locks[0].at] : [])]
      if (isGhost(holder, namespace, facts)) {
        report(ends, 'ghost', { lock: words, holder, renewed, namespace }, { keys: [words] })
      } else if (facts.takenAt && isExpired(lock, facts.takenAt.value)) {
        const takenAt = facts.takenAt.value
        report(ends, 'expired', { lock: words, holder, renewed, takenAt }, { keys: [words] })
      }
    }
  },
})

/**
 * Whether no Pod of the namespace is the holder: client-go's identity is the name of the Pod or of its host, in many
 * programs followed by `_` and an id. Unknown if no Pod of the namespace is listed.
 */
function isGhost(holder: string, namespace: string, { pods, nodes }: ClusterFacts): boolean {
  const there = pods.filter((pod) => pod.namespace === namespace)
  const hosts = [...there.map(({ node }) => node), ...nodes.map(({ name }) => name)]
  const known = [...there.map(({ name }) => name), ...hosts].filter((name) => name !== undefined)
  return there.length > 0 && !known.some((name) => holder === name || holder.startsWith(`${name}_`))
}

/** Whether a lock was not renewed within its duration. */
function isExpired({ renewTime, duration }: ClusterLock, takenAt: string): boolean {
  if (!renewTime || duration === undefined) return false
  const ends = Date.parse(renewTime.value) + duration * 1000
  return Number.isFinite(ends) && ends < Date.parse(takenAt)
}
