import type { Manifest } from '../../manifest/manifest'

/**
 * Whether Flux leaves an object that exists in the cluster as it is. Source:
 * https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources
 */
export function isNeverUpdated({ root }: Manifest): boolean {
  const marks = ['annotations', 'labels'].map((map) => root.at('metadata', map, 'kustomize.toolkit.fluxcd.io/ssa'))
  return marks.some(({ string }) => ['ifnotpresent', 'ignore'].includes(string?.toLowerCase() ?? ''))
}
