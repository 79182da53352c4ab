import type { Cursor } from '../manifest/cursor'
import type { Manifest } from '../manifest/manifest'
import type { ClusterNode } from './cluster-facts'
import { podOf } from './pod'

/**
 * The label requirement of a workload that no known node meets; undefined if a node may meet it, or if the nodes are
 * unknown. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export function unmetByNodes(workload: Manifest, nodes: readonly ClusterNode[]): Cursor | undefined {
  if (nodes.length === 0 || nodes.some(({ name }) => name === undefined)) return undefined
  const spec = podOf(workload).at('spec')
  const selector = [...spec.at('nodeSelector').entries()]
  const required = spec.at('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  const terms = [...required.at('nodeSelectorTerms').items()]
  const hasLabel = (node: ClusterNode, [key, { string }]: readonly [string, Cursor]) =>
    string === undefined || mayHave(node, key, (value) => value === string)
  const fits = (node: ClusterNode) =>
    selector.every((entry) => hasLabel(node, entry)) &&
    (terms.length === 0 || terms.some((term) => meetsTerm(node, term)))
  if (nodes.some(fits)) return undefined
  const unmet = selector.find((entry) => !nodes.some((node) => hasLabel(node, entry)))
  return unmet?.[1] ?? (terms.length > 0 ? required.at('nodeSelectorTerms') : spec.at('nodeSelector'))
}

function meetsTerm(node: ClusterNode, term: Cursor): boolean {
  return [...term.at('matchExpressions').items()].every((expression) => {
    const values = [...expression.at('values').items()].map(({ string }) => string)
    return mayHave(node, expression.at('key').string ?? '', (value) => {
      switch (expression.at('operator').string) {
        case 'In':
          return values.includes(value) && value !== undefined
        case 'NotIn':
          return !values.includes(value)
        case 'Exists':
          return value !== undefined
        case 'DoesNotExist':
          return value === undefined
        default:
          return true
      }
    })
  })
}

/** Whether a node may have a label with a matching value: an unknown label may have any. */
function mayHave(node: ClusterNode, key: string, matches: (value: string | undefined) => boolean): boolean {
  const labels = node.at.at('metadata', 'labels')
  if (labels.exists) return matches(labels.at(key).string)
  const known = {
    'kubernetes.io/hostname': node.name,
    'kubernetes.io/arch': node.architecture?.value,
    'kubernetes.io/os': node.operatingSystem?.value,
  }
  const value = Object.entries(known).find(([name]) => name === key.replace(/^beta\./, ''))?.[1]
  return value === undefined || matches(value)
}
