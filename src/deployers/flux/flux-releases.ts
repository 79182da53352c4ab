import path from 'node:path/posix'
import type { FluxKustomization } from '../../gitops/flux-kustomization'
import {
  type HelmReleaseChart,
  hasRevisionInVersion,
  helmReleaseChartAt,
  readHelmRelease,
} from '../../gitops/helm-release'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { placeInArtifact } from '../../sources/kustomization'
import type { ChartElsewhere } from '../common/chart-elsewhere'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'
import { siteOfFolder } from '../common/missing-folder'
import type { FoundFolder, NotFollowed } from './composed-artifact'
import { elsewhere, type FluxOwners, idOf } from './flux-owners'
import type { FluxReferences } from './flux-references'
import { ownValuesOf, substitutionsOf, valuesOf } from './flux-values'
import { chartOfHelmRelease, idOfRelease } from './helm-release-chart'
import { postRenderersOf } from './post-renderers'

/** The HelmReleases of one side, with their charts. */
export class FluxReleases {
  constructor(
    private readonly references: FluxReferences,
    private readonly owners: FluxOwners,
    private readonly named: GitOpsSources,
  ) {}

  /** @param patches HelmReleases that are only patches of others */
  deploy(releases: readonly Manifest[], patches: readonly Manifest[]): void {
    const charts = new Map(releases.map((manifest) => [manifest, this.chartOf(manifest)]))
    const all = [...patches, ...releases.filter((manifest) => !charts.get(manifest))]
    for (const [manifest, chart] of charts) if (chart) this.helmRelease(manifest, chart, all)
  }

  /** The chart of a HelmRelease; undefined for a patch of one, which has none. */
  private chartOf(manifest: Manifest): HelmReleaseChart | undefined {
    const { root, ref } = manifest
    const { chart, chartRef } = readHelmRelease(root)
    if (!chartRef.exists) return textAt(chart.chart) === '' ? undefined : chart
    const referred = this.references.sourceOf(chartRef, ref.namespace, manifest)
    if (textAt(chartRef.at('kind')) !== 'HelmChart')
      return { ...chart, chart: chartRef.at('name'), sourceRef: chartRef }
    return helmReleaseChartAt(referred ? referred.root.at('spec') : chartRef.at('spec'))
  }

  /** https://fluxcd.io/flux/components/helm/helmreleases/ */
  private helmRelease(manifest: Manifest, chart: HelmReleaseChart, patches: readonly Manifest[]): void {
    const release = readHelmRelease(manifest.root)
    const own = manifest.ref.namespace || this.namespaceOf(manifest)
    const written = textAt(chart.chart)
    const folder = placeInArtifact(written)
    const composed = this.composed(chart, own, manifest, folder)
    const found = composed && 'place' in composed ? composed : undefined
    const place = composed ? found?.place : folder
    const url = this.references.urlOf(chart.sourceRef, own, manifest)
    const { checkout } = this.named.repositoryIndex
    const mayBeHere = textAt(chart.sourceRef.at('kind')) === 'GitRepository' && place !== undefined
    const isHere = () =>
      mayBeHere && (url ? this.named.isHere(url, place) : checkout.has(path.join(place, 'Chart.yaml')))
    if (place === undefined || !(found || isHere())) {
      const why = composed && 'reason' in composed ? `: ${composed.reason}` : ''
      const reason = `the chart ${written}${url ? ` of ${url}` : ''} is not in this repository${why}`
      const id = idOfRelease(manifest)
      this.named.skipRelease(manifest, id, () => this.releaseElsewhere(manifest, chart, own), reason, {
        ...(url ? { url } : {}),
        fields: this.named.fieldsOf(manifest, fieldsOf(chart)),
      })
      return
    }
    if (!found) this.references.track(chart.sourceRef, own, manifest)
    const artifact = found?.files ?? this.references.artifactOf(chart.sourceRef, own, manifest)
    const file = place.endsWith('.tgz') ? place : path.join(place, 'Chart.yaml')
    if (!artifact.has(file)) {
      this.named.skip(manifest, 'not-in-artifact', artifact.whyNot(file))
      return
    }
    if (found && found.place !== folder && chart.valuesFiles.isList) {
      this.named.skip(
        manifest,
        'values-outside',
        `its valuesFiles are in other folders of this repository than it names`,
      )
      return
    }
    const holders = release.valuesFrom.map((one) => this.references.holderOf(one, own, manifest))
    const values = valuesOf(manifest, { chart, place, holders, artifact }, this.named)
    if (!values) return
    const patch = patches.find(({ ref }) => ref.name === manifest.ref.name)
    if (patch) this.named.skip(manifest, 'patched', `it is rendered without the patch in ${patch.origin.path}`)
    const target = textAt(release.targetNamespace)
    for (const cluster of release.kubeConfig.exists ? [elsewhere(manifest)] : this.owners.targetsOf(manifest)) {
      this.named.add(
        {
          kind: 'helm',
          id: idOf(manifest, cluster),
          origin: 'named',
          target: cluster,
          declaredAt:
            checkout.tree.at(place).length > 0 ? declarationSite(manifest) : siteOfFolder(manifest, chart.chart),
          definitionFiles: [
            ...holders.flatMap((holder) => holder?.origin.path ?? []),
            ...this.owners.appliedBy(manifest),
            ...(found?.definedIn ?? this.references.definitionsOf(chart.sourceRef, own, manifest)),
          ],
          chart: place,
          packed: artifact,
          ...(hasRevisionInVersion(chart) ? { isVersionLonger: true as const } : {}),
          values,
          ...(ownValuesOf(manifest, holders).replaced === undefined ? {} : { incomplete: true as const }),
          set: {},
          ...postRenderersOf(release, manifest),
          crds: release.crds,
          storage: textAt(release.storageNamespace) || own,
          ...(release.keepsRenamed ? { keepsRenamed: true as const } : {}),
          release: release.releaseName,
          namespace: target || own || 'default',
        },
        manifest,
      )
    }
  }

  /** The chart in an artifact that is put together from others; undefined for any other artifact. */
  private composed({ sourceRef }: HelmReleaseChart, own: string, manifest: Manifest, folder: string | undefined) {
    const isArtifact = textAt(sourceRef.at('kind')) === 'ExternalArtifact'
    if (isArtifact) return whole(this.references.composedChart(sourceRef, own, manifest))
    return folder === undefined ? undefined : whole(this.references.composedFolder(sourceRef, own, manifest, folder))
  }

  private releaseElsewhere(manifest: Manifest, chart: HelmReleaseChart, own: string): ChartElsewhere {
    const release = readHelmRelease(manifest.root)
    const { chartRef } = release
    const referred = chartRef.exists ? this.references.sourceOf(chartRef, own, manifest) : undefined
    const isChart = textAt(chartRef.at('kind')) === 'HelmChart'
    const artifact = isChart || !chartRef.exists ? this.references.sourceOf(chart.sourceRef, own, manifest) : referred
    const owners = this.owners.of(manifest)
    return chartOfHelmRelease(manifest, {
      chart,
      artifact,
      definitions: [referred, artifact].filter((one) => one !== undefined),
      holders: release.valuesFrom.map((one) => this.references.holderOf(one, own, manifest)),
      namespace: textAt(release.targetNamespace) || own || 'default',
      targets: release.kubeConfig.exists ? [elsewhere(manifest)] : this.owners.targetsOf(manifest),
      idOf: (target) => idOf(manifest, target),
      appliedBy: this.owners.appliedBy(manifest),
      // Variables are filled in where a rendering contains the object.
      substitutions: this.named.bringerOf(manifest)
        ? []
        : owners.map(({ kustomization, manifest: owner }) => this.substitutionsBy(kustomization, owner)),
    })
  }

  /** The values that a Kustomization substitutes; undefined where it does not. */
  private substitutionsBy(kustomization: FluxKustomization, manifest: Manifest): Record<string, string> | undefined {
    const { postBuild, substituteFrom } = kustomization
    if (!postBuild.value) return undefined
    const holders = substituteFrom.flatMap(
      (reference) => this.references.holderOf(reference, manifest.ref.namespace, manifest) ?? [],
    )
    return substitutionsOf(kustomization, holders)
  }

  /** The namespace that the Kustomization in an object's folder sets, or else the tree that applies it. */
  private namespaceOf(manifest: Manifest): string {
    const file = manifest.origin.path
    const beside = this.named.kustomization(file.includes('/') ? path.dirname(file) : '')?.namespace
    const [owner] = this.owners.of(manifest)
    return beside || (owner ? textAt(owner.kustomization.targetNamespace) : '')
  }
}

/** The fields that say where a chart is. */
function fieldsOf({ sourceRef, chart }: HelmReleaseChart): Cursor[] {
  return [sourceRef.at('kind'), sourceRef.at('name'), chart].filter(({ exists }) => exists)
}

/** A folder of an artifact, if no part of it is from elsewhere. */
function whole(found: FoundFolder | NotFollowed | undefined): FoundFolder | NotFollowed | undefined {
  return found && 'missing' in found ? (found.missing[0] ?? found) : found
}
