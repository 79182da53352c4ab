import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../manifest/manifest'
import { readFluxKustomization } from './flux-kustomization'
import { readHelmRelease } from './helm-release'
import { gitOpsKind } from './kinds'
import { textAt } from './text'

/** The kinds of sources that objects of Flux name. */
export const fluxSourceKinds = [
  'HelmRepository.source.toolkit.fluxcd.io',
  'GitRepository.source.toolkit.fluxcd.io',
  gitOpsKind.ociRepository,
  'Bucket.source.toolkit.fluxcd.io',
  gitOpsKind.fluxHelmChart,
] as const satisfies readonly GroupKind[]

/** The kinds of Flux's objects that name sources. */
export const fluxUserKinds = [gitOpsKind.fluxKustomization, gitOpsKind.helmRelease] as const

/** An object that a Kustomization or HelmRelease of Flux needs before it does anything. */
export interface FluxReference {
  readonly kind: GroupKind
  readonly namespace: string
  readonly name: string
  /** The name; a namespace that is written is beside it. */
  readonly at: Cursor
  readonly namespaceAt: Cursor
}

/**
 * The objects that a Kustomization or HelmRelease waits for and takes its files of; without a namespace, those of its
 * own. https://fluxcd.io/flux/components/helm/helmreleases/#dependencies
 */
export function fluxReferencesOf(manifest: Manifest): readonly FluxReference[] {
  const { root, ref } = manifest
  const own = groupKindOf(ref)
  const to = (at: Cursor, kind: GroupKind | undefined): FluxReference[] => {
    const [name, namespaceAt] = [at.at('name'), at.at('namespace')]
    const called = textAt(name)
    if (kind === undefined || called === '') return []
    return [{ kind, namespace: textAt(namespaceAt) || ref.namespace, name: called, at: name, namespaceAt }]
  }
  const source = (at: Cursor) =>
    to(
      at,
      fluxSourceKinds.find((kind) => kind.startsWith(`${textAt(at.at('kind'))}.`)),
    )
  const needed = [...root.at('spec', 'dependsOn').items()].flatMap((one) => to(one, own))
  if (own === gitOpsKind.fluxKustomization) return [...needed, ...source(readFluxKustomization(root).sourceRef)]
  const { chart, chartRef } = readHelmRelease(root)
  return [...needed, ...source(chart.sourceRef), ...source(chartRef)]
}

/** The sources among them: the objects whose content it deploys. */
export function fluxSourcesOf(manifest: Manifest): readonly FluxReference[] {
  return fluxReferencesOf(manifest).filter(({ kind }) => fluxSourceKinds.some((one) => one === kind))
}
