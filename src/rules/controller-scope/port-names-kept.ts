import { controllersOf } from '../../kubernetes/controllers/controller'
import { servicesTo } from '../../kubernetes/controllers/controller-service'
import { selectedValues, selectionMarks } from '../../kubernetes/object/service'
import { isOneService, webhookKinds, webhooksIn } from '../../kubernetes/protection/webhook'
import { lostPortNames } from '../../kubernetes/workload/lost-port-names'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import { enumerated } from '../../listing'
import { sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Lost = Record<'service' | 'port' | 'target' | 'workload' | 'known', string>

export default defineRule({
  id: 'controller-scope/port-names-kept',
  summary: 'A port that a Service asks its Pods for by a name keeps this name.',
  since: '1.27.0',
  scope: 'change',
  kinds: ['Service', ...servingKinds],
  reads: webhookKinds,
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports
    service: ({ service, port, target, workload, known }: Lost) =>
      `${service} sends the requests of its port ${port} to the port ${target} of its Pods, and after this change those of ${workload} have ${known}. So the Service has no endpoint for this port, and all requests to it fail. Give the Service the name of a port of the containers, or its number.`,
    webhook: ({
      service,
      port,
      target,
      workload,
      known,
      webhook,
      resources,
    }: Lost & Record<'webhook' | 'resources', string>) =>
      `${service} sends the requests of its port ${port} to the port ${target} of its Pods, and after this change those of ${workload} have ${known}. So the API server cannot call the webhook ${webhook}, and rejects ${resources} that it must check. Give the Service the name of a port of the containers, or its number.`,
  },
  putBack: { service: 'changed', webhook: 'changed' },
  *partners(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (kind === 'Service') yield* [manifest.ref.name, ...selectedValues(manifest)]
    else if (servingKinds.includes(kind)) yield* selectionMarks(manifest)
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Service' ? [...webhookKinds, ...servingKinds] : ['Service']),
  nearKinds: () => ['Service', ...webhookKinds, ...servingKinds],
  check({ change, base, head, report }) {
    const { after } = sidesOf(change)
    for (const lost of (after && lostPortNames(base, head).get(after)) ?? []) {
      const { service, port, workload, names, name: target } = lost
      // service-reaches reports the Service of clients.
      if (controllersOf(workload, head).length > 0 && servicesTo(workload, head).includes(service)) continue
      const number = port.at('port').value
      const known = names.length > 0 ? `only ports with the names ${enumerated(names, 5)}` : 'no port with a name'
      const args = { service: nameOf(service.ref), port: String(number), target, workload: nameOf(workload.ref), known }
      const ends = lost.cause === service ? [lost.at, workload.root] : [lost.at, port.at('targetPort')]
      const keys = [args.service, args.port]
      const called = webhooksIn(head).find(
        (one) => one.closed && isOneService(one.service, service.ref) && portOf(one.at) === number,
      )
      if (!called) report(ends, 'service', args, { keys })
      else
        report(
          [...ends, called.service.at],
          'webhook',
          { ...args, webhook: called.name, resources: called.resources },
          { keys },
        )
    }
  },
})

/** The port of the Service that the API server calls. */
function portOf(webhook: Cursor): unknown {
  return webhook.at('clientConfig', 'service', 'port').value ?? 443
}
