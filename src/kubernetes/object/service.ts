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
 * Strings to look for Services and their Pods by. All Pods of a Service have the longest value of its selector; a
 * Service has one of the labels of its Pods.
 */
export function selectionMarks(manifest: Manifest): string[] {
  const isService = manifest.ref.kind === 'Service'
  return isService ? longestOf(selectedValues(manifest)) : labelsOfPods(manifest)
}

/** The values in the selector of a Service. */
export function selectedValues(service: Manifest): string[] {
  return [...service.root.at('spec', 'selector').entries()].flatMap(([, { string }]) => string || [])
}

function longestOf(values: readonly string[]): string[] {
  const [longest] = [...values].sort((one, other) => other.length - one.length)
  return longest === undefined ? [] : [longest]
}

function labelsOfPods(workload: Manifest): string[] {
  const labels = podOf(workload).at('metadata', 'labels')
  return [...labels.entries()].flatMap(([key, { string }]) => (neverSelected.includes(key) ? [] : string || []))
}

/** Labels of the chart's release, which change with it: no selector has them. */
const neverSelected = [
  'helm.sh/chart',
  'chart',
  'heritage',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/version',
]
