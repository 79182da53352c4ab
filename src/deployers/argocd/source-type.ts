import path from 'node:path/posix'
import type { ApplicationSource } from '../../gitops/application'
import type { Checkout } from '../../revision/checkout'
import { kustomizationNames } from '../../revision/kustomization-file'
import { fieldsOf } from '../../sources/untyped'

/** The ways in which Argo CD renders a folder. */
export type SourceType = 'helm' | 'kustomize' | 'directory'

/** The type that a block of a source declares. */
export type ExplicitType = SourceType | 'plugin'

/** The fields of `kustomize` that alone do not make a block count. */
const withoutWeight = [
  'forceCommonLabels',
  'forceCommonAnnotations',
  'labelWithoutSelector',
  'labelIncludeTemplates',
  'commonAnnotationsEnvsubst',
]

/**
 * The types that a source declares; Argo CD refuses more than one. An empty block is dropped, but for one of a plugin.
 * https://github.com/argoproj/argo-cd/blob/v3.5.1/util/argo/argo.go (NormalizeSource)
 *
 * @param written blocks that count even where they are empty
 */
export function explicitTypes(
  { helm, kustomize, directory, plugin }: ApplicationSource,
  written: ReadonlyMap<string, unknown>,
): ExplicitType[] {
  const weighing = Object.entries(fieldsOf(kustomize.value)).filter(([key]) => !withoutWeight.includes(key))
  const counts: Readonly<Record<ExplicitType, boolean>> = {
    helm: written.has('helm') || !isZero(helm.value),
    kustomize: written.has('kustomize') || weighing.some(([, value]) => !isZero(value)),
    directory: written.has('directory') || !isZero(directory.value),
    plugin: plugin.isMap,
  }
  return (['helm', 'kustomize', 'directory', 'plugin'] as const).filter((type) => counts[type])
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (value !== null && typeof value === 'object') return Object.values(value).every(isZero)
  return value === undefined || value === null || value === '' || value === false || value === 0
}

/**
 * The type that Argo CD detects by the files of a folder: the last of them by name decides, so a Kustomization wins
 * over a chart. https://github.com/argoproj/argo-cd/blob/v3.5.1/util/app/discovery/discovery.go (Discover)
 */
export function discoveredType(place: string, checkout: Checkout): SourceType {
  let type: SourceType = 'directory'
  for (const file of checkout.below(place)) {
    if ((path.dirname(file) === '.' ? '' : path.dirname(file)) !== place) continue
    const name = path.basename(file)
    if (name.endsWith('Chart.yaml')) type = 'helm'
    if (kustomizationNames.includes(name)) type = 'kustomize'
  }
  return type
}
