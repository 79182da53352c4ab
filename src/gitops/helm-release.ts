import { createHash } from 'node:crypto'
import type { Cursor } from '../manifest/cursor'
import { textAt } from './text'

/**
 * A HelmRelease of Flux, each field where it is written.
 * https://fluxcd.io/flux/components/helm/helmreleases/
 */
export interface HelmRelease {
  readonly chart: HelmReleaseChart
  /** The HelmChart or OCIRepository that it takes its chart of. */
  readonly chartRef: Cursor
  /** They override `valuesFrom`, in which the last entry wins. */
  readonly values: Cursor
  readonly valuesFrom: readonly ValuesReference[]
  readonly targetNamespace: Cursor
  readonly releaseName: string
  /** The namespace of the release's record, where it is not that of the HelmRelease. */
  readonly storageNamespace: Cursor
  /** Whether a chart of another name upgrades the release, which is uninstalled first by default. */
  readonly keepsRenamed: boolean
  /** Given where it installs to another cluster. */
  readonly kubeConfig: Cursor
  readonly postRenderers: Cursor
  /** Whether postRenderers apply to hooks, too. */
  readonly postRenderStrategy: Cursor
  /** The policies for the CRDs in `crds/` of its chart. */
  readonly crds: { readonly install: CrdPolicy; readonly upgrade: CrdPolicy }
  /** It then neither upgrades nor, when it is deleted, uninstalls. */
  readonly suspended: boolean
}

/** `Skip` applies no CRDs, `Create` those that the cluster does not have, `CreateReplace` all; none is deleted. */
export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace'

/** The chart of a HelmRelease, or of a HelmChart of Flux. */
export interface HelmReleaseChart {
  readonly chart: Cursor
  readonly version: Cursor
  readonly sourceRef: Cursor
  readonly valuesFiles: Cursor
  readonly ignoreMissingValuesFiles: Cursor
  readonly reconcileStrategy: Cursor
}

/**
 * Whether Flux appends a revision to the version of the chart, which differs with each of them.
 * https://fluxcd.io/flux/components/source/helmcharts/#reconcile-strategy
 */
export function hasRevisionInVersion({ reconcileStrategy, valuesFiles }: HelmReleaseChart): boolean {
  return textAt(reconcileStrategy) === 'Revision' || [...valuesFiles.items()].length > 0
}

/** An entry of `valuesFrom`. */
export interface ValuesReference {
  readonly kind: Cursor
  readonly name: Cursor
  /** The key of the data that holds the values. */
  readonly key: string
  /** The path of the one value that it gives, where it does not give values. */
  readonly targetPath: Cursor
  /** Whether that value is used literally. */
  readonly literal: Cursor
  readonly optional: Cursor
}

export function readHelmRelease(root: Cursor): HelmRelease {
  const spec = root.at('spec')
  const targetNamespace = spec.at('targetNamespace')
  const target = textAt(targetNamespace)
  const name = textAt(root.at('metadata', 'name'))
  return {
    chart: helmReleaseChartAt(spec.at('chart', 'spec')),
    chartRef: spec.at('chartRef'),
    values: spec.at('values'),
    valuesFrom: [...spec.at('valuesFrom').items()].map((one) => ({
      kind: one.at('kind'),
      name: one.at('name'),
      key: textAt(one.at('valuesKey')) || 'values.yaml',
      targetPath: one.at('targetPath'),
      literal: one.at('literal'),
      optional: one.at('optional'),
    })),
    targetNamespace,
    releaseName: textAt(spec.at('releaseName')) || shortenedReleaseName(target ? `${target}-${name}` : name),
    storageNamespace: spec.at('storageNamespace'),
    keepsRenamed: textAt(spec.at('upgrade', 'chartNameChangeStrategy')) === 'InPlaceUpdate',
    kubeConfig: spec.at('kubeConfig'),
    postRenderers: spec.at('postRenderers'),
    postRenderStrategy: spec.at('postRenderStrategy'),
    suspended: spec.at('suspend').value === true,
    crds: { install: crdPolicyAt(spec.at('install')), upgrade: crdPolicyAt(spec.at('upgrade')) },
  }
}

/** The default of the controller's code, which its documentation does not state for upgrades. */
function crdPolicyAt(action: Cursor): CrdPolicy {
  const written = textAt(action.at('crds'))
  return written === 'Skip' || written === 'CreateReplace' ? written : 'Create'
}

export function helmReleaseChartAt(root: Cursor): HelmReleaseChart {
  return {
    chart: root.at('chart'),
    version: root.at('version'),
    sourceRef: root.at('sourceRef'),
    valuesFiles: root.at('valuesFiles'),
    ignoreMissingValuesFiles: root.at('ignoreMissingValuesFiles'),
    reconcileStrategy: root.at('reconcileStrategy'),
  }
}

/**
 * Helm limits the name of a release to 53 characters; Flux keeps the start of a longer one and appends a hash.
 * https://fluxcd.io/flux/components/helm/helmreleases/#release-name
 */
export function shortenedReleaseName(name: string): string {
  if (name.length <= 53) return name
  return `${name.slice(0, 40)}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}
