import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** The annotations by which kube-downscaler takes a workload down for good, with the values that say so. */
const always: Readonly<Record<string, readonly string[]>> = {
  'downscaler/force-downtime': ['true', 'always'],
  'downscaler/downtime': ['always'],
  'downscaler/uptime': ['never'],
}

/**
 * The annotation by which kube-downscaler keeps a workload at no Pods; undefined where others exclude it, or leave it some.
 * Source: https://github.com/caas-team/py-kube-downscaler/blob/v24.8.2/README.md
 */
export function downscaledBy({ root }: Manifest): Cursor | undefined {
  const annotations = root.at('metadata', 'annotations')
  const is = (name: string, values: readonly string[]) => values.includes(annotations.at(name).string?.trim() ?? '')
  const replicas = annotations.at('downscaler/downtime-replicas').string
  if (is('downscaler/exclude', ['true']) || is('downscaler/force-uptime', ['true'])) return undefined
  if (replicas !== undefined && replicas !== '0') return undefined
  const name = Object.keys(always).find((one) => is(one, always[one] ?? []))
  return name === undefined ? undefined : annotations.at(name)
}
