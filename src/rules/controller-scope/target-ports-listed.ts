import { podOf } from '../../cluster/pod'
import { isServiceOf } from '../../kubernetes/charts/backend-services'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { servicesIn } from '../../kubernetes/ingress/services'
import { selectedValues, selectionMarks } from '../../kubernetes/object/service'
import { servingKinds, workloadsBehind } from '../../kubernetes/workload/serving-pods'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/target-ports-listed',
  summary: 'The number of the port to which the Service of a route sends requests is one that its Pods list.',
  since: '1.21.0',
  scope: 'snapshot',
  kinds: ['Service'],
  reads: [...backendKinds, ...servingKinds],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports
    unlisted: ({
      service,
      port,
      workload,
      ports,
      user,
    }: Record<'service' | 'port' | 'workload' | 'ports' | 'user', string>) =>
      `${service} sends requests to the port ${port} of the Pods of ${workload}, which list only ${ports}. If nothing listens on ${port}, the requests of ${user} fail. Write the targetPort that the container listens on, or list the port in the container.`,
  },
  putBack: { unlisted: 'changed' },
  *partners(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (kind === 'Service') yield* [manifest.ref.name, ...selectedValues(manifest)]
    else if (servingKinds.includes(kind)) yield* selectionMarks(manifest)
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Service' ? [...backendKinds, ...servingKinds] : ['Service']),
  nearKinds: () => ['Service', ...backendKinds],
  check({ manifest, snapshot, report }) {
    const backends = servicesIn(snapshot)
      .backendsTo(manifest.ref.name)
      .filter((one) => isServiceOf(one, manifest))
    const [workload, ...others] = backends.length > 0 ? workloadsBehind(manifest, snapshot) : []
    const listed = workload && others.length === 0 ? portsListedBy(workload) : undefined
    if (!workload || !listed) return
    for (const { at, port, names } of targetsOf(manifest)) {
      const user = backends.find(({ wanted }) => wanted !== undefined && names.includes(wanted))?.name
      if (!user || listed.includes(port)) continue
      const args = { service: nameOf(manifest.ref), workload: nameOf(workload.ref), user: nameOf(user.manifest.ref) }
      const ports = enumerated(listed.map(String))
      const ends = [at, podOf(workload).at('spec', 'containers'), user]
      report(ends, 'unlisted', { ...args, port: String(port), ports }, { keys: [String(port)] })
    }
  },
})

interface Target {
  /** The field that decides it. */
  readonly at: Cursor
  readonly port: number
  /** The name and the number of the port of the Service. */
  readonly names: readonly unknown[]
}

/** The ports of a Service whose target is a number. */
function targetsOf({ root }: Manifest): Target[] {
  return [...root.at('spec', 'ports').items()].flatMap((port): Target[] => {
    const target = port.at('targetPort')
    const at = target.isSet ? target : port.at('port')
    const names = [port.at('port').value, port.at('name').string]
    return typeof at.value === 'number' ? [{ at, port: at.value, names }] : []
  })
}

/** The numbers of the ports that the containers of a workload list; undefined where one of them lists none. */
function portsListedBy(workload: Manifest): number[] | undefined {
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  const lists = containers.map((one) => [...one.at('ports').items()].map((port) => port.at('containerPort').value))
  const isWhole =
    lists.length > 0 && lists.every((ports) => ports.length > 0 && ports.every((one) => typeof one === 'number'))
  return isWhole ? lists.flat().filter((one) => typeof one === 'number') : undefined
}
