import { podOf } from '../../cluster/pod'
import { lossOf } from '../../kubernetes/fields/refusal'
import { written } from '../../kubernetes/fields/written-path'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { alternatives } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Part = Record<'object' | 'container' | 'loss', string>

/** The ways in which a probe asks a container; it has exactly one. */
const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket']

export default defineRule({
  id: 'ingress-tls/pods-accepted',
  summary: 'The volumes, mounts, names and probes of the Pods of a workload agree.',
  since: '1.13.0',
  scope: 'manifest',
  // Webhooks may add volumes to a Pod itself, and not to the template of a workload.
  kinds: ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'Job.batch', 'CronJob.batch'],
  messages: {
    volume: ({ object, container, volume, known, loss }: Part & { volume: string; known: string }) =>
      `The API server rejects ${object}, because its container ${container} mounts the volume ${volume}, and its Pods have ${known}: ${loss}. Add the volume, or name one that is there.`,
    repeated: ({ object, field, value, loss }: Record<'object' | 'field' | 'value' | 'loss', string>) =>
      `The API server rejects ${object}, because ${field} is ${value} twice: ${loss}. Give each one a value of its own, or remove one.`,
    handler: ({ object, container, probe, found, loss }: Part & { probe: string; found: string }) =>
      `The API server rejects ${object}, because the ${probe} of its container ${container} has ${found}: ${loss}. Keep exactly one of ${alternatives(handlers)}.`,
  },
  check({ manifest, report }) {
    const spec = podOf(manifest).at('spec')
    const args = { object: nameOf(manifest.ref), loss: lossOf(manifest) }
    const reportRepeated = (names: readonly Cursor[]) => {
      for (const at of repeatedIn(names))
        report(at, 'repeated', { ...args, field: written(at), value: at.string ?? '' }, { keys: [at.string ?? ''] })
    }
    const containers = ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
    const claims = [...manifest.root.at('spec', 'volumeClaimTemplates').items()].map((one) =>
      one.at('metadata', 'name'),
    )
    const own = [...spec.at('volumes').items()].map((one) => one.at('name'))
    reportRepeated(own)
    reportRepeated(containers.map((one) => one.at('name')))
    const volumes = [spec.at('volumes'), ...own, ...claims].flatMap(({ string }) => string ?? [])
    for (const one of containers) {
      // One without an image is a part of a patch.
      if (!one.at('image').string) continue
      const container = one.at('name').string ?? ''
      const mounts = [...one.at('volumeMounts').items()]
      reportRepeated(mounts.map((mount) => mount.at('mountPath')))
      for (const at of mounts.map((mount) => mount.at('name'))) {
        const volume = at.string ?? ''
        if (volume === '' || volumes.includes(volume) || [volume, ...volumes].some(isPlaceholder)) continue
        const known = volumes.length > 0 ? `only ${volumes.join(', ')}` : 'none'
        report(at, 'volume', { ...args, container, volume, known }, { keys: [container, volume] })
      }
      for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
        const at = one.at(probe)
        const found = handlers.filter((handler) => isSet(at.at(handler)))
        if (found.length === 1 || [...at.entries()].length === 0) continue
        const fault = found.length === 0 ? 'no handler' : `the handlers ${found.join(' and ')}`
        report(at, 'handler', { ...args, container, probe, found: fault }, { keys: [container, probe] })
      }
    }
  },
})

function isSet(field: Cursor): boolean {
  return field.exists && field.value !== null
}

/** The names that one before them has already. */
function repeatedIn(names: readonly Cursor[]): Cursor[] {
  return names.filter(({ string = '' }, index) => {
    if (string === '' || isPlaceholder(string)) return false
    return names.slice(0, index).some((other) => other.string === string)
  })
}
