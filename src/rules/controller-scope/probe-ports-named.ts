import { podOf } from '../../cluster/pod'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Asked = Record<'object' | 'container' | 'probe' | 'port' | 'known', string>

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe']

export default defineRule({
  id: 'controller-scope/probe-ports-named',
  summary: 'A probe that asks a port by its name has a container with a port of this name.',
  since: '1.17.0',
  scope: 'manifest',
  kinds: ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'Rollout.argoproj.io'],
  messages: {
    unready: ({ object, container, probe, port, known }: Asked) =>
      `The Pods of ${object} never become ready, because the ${probe} of the container ${container} asks the port ${port}, and the container has ${known}: no Service sends requests to them, and a rollout does not finish. Give the probe the name or the number of a port of the container.`,
    unprobed: ({ object, container, probe, port, known }: Asked) =>
      `The ${probe} of the container ${container} in ${object} has no effect, because it asks the port ${port}, and the container has ${known}: a container that hangs is never restarted. Give the probe the name or the number of a port of the container.`,
  },
  check({ manifest, report }) {
    const spec = podOf(manifest).at('spec')
    for (const one of ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])) {
      // One without an image is a part of a patch.
      if (!one.at('image').string) continue
      const container = one.at('name').string ?? ''
      const ports = [...one.at('ports').items()].flatMap((item) => item.at('name').string ?? [])
      const known = ports.length > 0 ? `only ports with the names ${enumerated(ports)}` : 'no port with a name'
      for (const [probe, at] of portsAsked(one)) {
        const port = at.string ?? ''
        // The kubelet reads digits in quotes as a number.
        if (port === '' || /^\d+$/.test(port) || ports.includes(port) || [port, ...ports].some(isPlaceholder)) continue
        const how = probe === 'livenessProbe' ? 'unprobed' : 'unready'
        report(at, how, { object: nameOf(manifest.ref), container, probe, port, known }, { keys: [container, probe] })
      }
    }
  },
})

/** The port that each probe of a container asks, with the field of the probe. */
function portsAsked(container: Cursor): [string, Cursor][] {
  return probes.flatMap((probe) =>
    ['httpGet', 'tcpSocket'].map((handler): [string, Cursor] => [probe, container.at(probe, handler, 'port')]),
  )
}
