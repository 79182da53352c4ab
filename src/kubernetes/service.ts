import type { Manifest } from '../manifest/manifest'
import { shareNamespace } from './namespace'

/** Whether a Service sends traffic to the Pods of a workload; one without a selector is filled by somebody else. */
export function selects(service: Manifest, workload: Manifest): boolean {
  const selector = [...service.root.at('spec', 'selector').entries()]
  const labels = workload.root.at('spec', 'template', 'metadata', 'labels')
  return (
    selector.length > 0 &&
    shareNamespace(service, workload) &&
    selector.every(([key, value]) => value.string !== undefined && labels.at(key).string === value.string)
  )
}
