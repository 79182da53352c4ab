import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { selects } from '../object/service'
import type { Controller } from './controller'
import { portsOf } from './controller-service'

/** Whether a Service brings traffic to some workload. */
export function selectsSome(service: Manifest, head: Snapshot): boolean {
  return workloadKinds.flatMap((kind) => head.ofKind(kind)).some((workload) => selects(service, workload))
}

/** Whether a load balancer for web traffic leads to Pods that no object shows: they may be those of a release. */
export function mayBringTraffic({ namespace }: Controller, head: Snapshot): boolean {
  return head.ofKind('Service').some((service) => {
    const isBeside = service.ref.namespace === namespace || service.ref.namespace === '' || namespace === ''
    const isForWeb = portsOf(service).some(({ key }) => key === 'TCP/443' || key === 'TCP/80')
    if (!isBeside || !isForWeb || service.root.at('spec', 'type').string !== 'LoadBalancer') return false
    return !selectsSome(service, head)
  })
}
