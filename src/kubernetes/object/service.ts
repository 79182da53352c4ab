import { podOf } from '../../cluster/pod'
import type { Manifest } from '../../manifest/manifest'
import { shareNamespace } from './namespace'

/** Whether a Service sends traffic to the Pods of a workload; endpoints without a selector come from elsewhere. */
export function selects(service: Manifest, workload: Manifest): boolean {
  const selector = [...service.root.at('spec', 'selector').entries()]
  const labels = podOf(workload).at('metadata', 'labels')
  return (
    selector.length > 0 &&
    shareNamespace(service, workload) &&
    selector.every(([key, value]) => value.string !== undefined && labels.at(key).string === value.string)
  )
}

/**
 * The strings of a Service's selector, or of a workload's labels: each Service holds one of those of the Pods it
 * selects.
 */
export function* selectionMarks(manifest: Manifest): Iterable<string> {
  const isService = manifest.ref.kind === 'Service'
  const marks = isService ? manifest.root.at('spec', 'selector') : podOf(manifest).at('metadata', 'labels')
  for (const [key, value] of marks.entries()) {
    if (value.string && (isService || !neverSelected.includes(key))) yield value.string
  }
}

/** Labels of the chart's release, which change with it: no selector has them. */
const neverSelected = [
  'helm.sh/chart',
  'chart',
  'heritage',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/version',
]
