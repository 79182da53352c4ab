import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { keptApartFrom } from '../../kubernetes/workload/placement'
import { servingKinds, workloadsLabelled } from '../../kubernetes/workload/serving-pods'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/replicas-apart',
  summary: 'The Pods that a workload keeps its own Pods apart from are there.',
  since: '1.31.0',
  scope: 'snapshot',
  kinds: servingKinds,
  reads: servingKinds,
  messages: {
    // Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    nobody: ({ workload, selected, labels }: Record<'workload' | 'selected' | 'labels', string>) =>
      `${workload} has its Pods kept apart from those with ${selected}, and nothing here makes such Pods: its own have ${labels}. So all its replicas may run on one node, and are lost with it. Select the labels of its own Pods.`,
  },
  *partners(manifest, _, __, isTouched) {
    if (isTouched) for (const at of keptApartFrom(manifest)) yield* longestOf(at)
  },
  partnerKinds: () => servingKinds,
  nearKinds: () => servingKinds,
  check({ manifest, snapshot, report }) {
    const labels = podOf(manifest).at('metadata', 'labels')
    for (const at of keptApartFrom(manifest)) {
      const asked = [...at.entries()]
      if (!isOfOwnRelease(asked, labels) || isThere(asked, manifest, snapshot)) continue
      const differing = asked.filter(([key, { string }]) => labels.at(key).string !== string)
      // Its own Pods, of which it runs none.
      if (differing.length === 0) continue
      const selected = wordsOf(differing.map(([key, { string }]) => [key, string]))
      const own = wordsOf(differing.map(([key]) => [key, labels.at(key).string]))
      report(at, 'nobody', { workload: nameOf(manifest.ref), selected, labels: own }, { keys: [selected] })
    }
  },
})

/** The labels that all objects of a release have, which no other release has with the same value. */
const ofRelease: ReadonlySet<string> = new Set(['app.kubernetes.io/instance', 'release'])

/** Whether labels are those of Pods of the same release, which are described as the workload's own Pods are. */
function isOfOwnRelease(asked: readonly (readonly [string, Cursor])[], labels: Cursor): boolean {
  const isWritten = asked.every(([key, { string }]) => string && !isPlaceholder(string) && labels.at(key).string)
  return isWritten && asked.some(([key, { string }]) => ofRelease.has(key) && labels.at(key).string === string)
}

function isThere(asked: readonly (readonly [string, Cursor])[], { ref }: Manifest, snapshot: Snapshot): boolean {
  const [first] = asked
  const among = first ? workloadsLabelled(ref.namespace, first[0], first[1].string, snapshot) : []
  return among.some((one) => {
    const labels = podOf(one).at('metadata', 'labels')
    return asked.every(([key, { string }]) => labels.at(key).string === string)
  })
}

function longestOf(at: Cursor): string[] {
  const values = [...at.entries()].flatMap(([, { string }]) => string || [])
  return values.sort((one, other) => other.length - one.length).slice(0, 1)
}

function wordsOf(labels: readonly (readonly [string, string | undefined])[]): string {
  return enumerated(labels.map(([key, value]) => `${key}: ${value}`))
}
