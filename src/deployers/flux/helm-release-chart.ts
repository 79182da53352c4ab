import path from 'node:path/posix'
import { readFluxSource } from '../../gitops/flux-source'
import { type HelmReleaseChart, hasRevisionInVersion, readHelmRelease } from '../../gitops/helm-release'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { inside, placeInArtifact } from '../../sources/kustomization'
import type { HelmSource, Target, Values } from '../../sources/source'
import { substituted } from '../../sources/substitution'
import type { ChartElsewhere, WantedChart } from '../common/chart-elsewhere'
import { FluxArtifact, sourceIgnoresAmong } from '../common/flux-artifact'
import { declarationSite } from '../common/gitops-sources'
import { ownValuesOf } from './flux-values'
import { postRenderersOf } from './post-renderers'

/** The fields of the objects that a HelmRelease refers to. */
interface HelmReleaseContext {
  /** Its chart, or that of the object it refers to. */
  readonly chart: HelmReleaseChart
  /** The HelmRepository, OCIRepository or GitRepository that the chart comes from. */
  readonly artifact: Manifest | undefined
  /** The objects that name the chart. */
  readonly definitions: readonly Manifest[]
  /** The objects that its `valuesFrom` refers to, in order. */
  readonly holders: readonly (Manifest | undefined)[]
  readonly namespace: string
  readonly targets: readonly Target[]
  readonly idOf: (target: Target) => string
  /** The files by which it is applied. */
  readonly appliedBy: readonly string[]
  /** The variables that each of the Kustomizations that apply it substitutes. */
  readonly substitutions: readonly (Readonly<Record<string, string>> | undefined)[]
}

/** The id of the release of a HelmRelease, the same for each version of its chart. */
export function idOfRelease({ ref, origin }: Manifest): string {
  return `flux:${ref.kind}/${ref.namespace}/${ref.name}:${origin.path}`
}

/** The release of a HelmRelease whose chart is not in this repository. */
export function chartOfHelmRelease(
  manifest: Manifest,
  { chart, artifact, definitions, holders, namespace, targets, ...its }: HelmReleaseContext,
): ChartElsewhere {
  const release = readHelmRelease(manifest.root)
  const source = artifact && readFluxSource(artifact.root)
  const isOfRegistry = artifact?.ref.kind === 'OCIRepository'
  const [substitutions, ...others] = its.substitutions
  const fill = (text: string) => substituted(text, substitutions)
  const own = () => ownValuesOf(manifest, holders)
  const parts = [manifest, ...definitions, ...holders.filter((one) => one !== undefined)]
  return {
    id: idOfRelease(manifest),
    manifest,
    release: release.releaseName,
    namespace,
    wanted() {
      // Applied several times with different variables, it is several releases.
      const isSeveral = others.length > 0 && its.substitutions.some(Boolean)
      const wanted = isSeveral || own().lacking !== undefined ? undefined : wantedBy(chart, artifact, fill)
      // Only the cluster has the other variables.
      return JSON.stringify(wanted?.request)?.includes('${') ? undefined : wanted
    },
    version: isOfRegistry && source ? source.version : chart.version.exists ? chart.version : chart.chart,
    place: source ? source.url : chart.sourceRef,
    valuesLacking: () => own().lacking,
    valuesReplaced: () => own().replaced,
    inputs: [...parts.map(({ object }) => object.content), JSON.stringify([targets, namespace, substitutions ?? {}])],
    sources(folder, checkout): HelmSource[] | undefined {
      const [fromChart, { values: fromRelease, lacking }] = [valuesOfChart(chart, folder, checkout), own()]
      if (!fromChart || lacking !== undefined) return undefined
      const values = [
        ...fromChart,
        ...fromRelease.map((one) => ('text' in one ? { ...one, text: fill(one.text) } : one)),
      ]
      // A variable that only the cluster has may have any value, even one that the chart refuses.
      const isUnfilled = values.some((one) => 'text' in one && one.text.includes('${'))
      const files = [...parts.slice(1).map((one) => one.origin.path), ...its.appliedBy]
      return targets.map((target) => ({
        kind: 'helm',
        id: its.idOf(target),
        origin: 'named',
        target,
        declaredAt: declarationSite(manifest),
        definitionFiles: [...new Set(files)],
        ...(isUnfilled ? { incomplete: true as const } : {}),
        chart: folder,
        values,
        set: {},
        ...postRenderersOf(release, manifest),
        crds: release.crds,
        storage: textAt(release.storageNamespace) || manifest.ref.namespace,
        ...(release.keepsRenamed ? { keepsRenamed: true as const } : {}),
        ...(artifact?.ref.kind === 'GitRepository' && hasRevisionInVersion(chart)
          ? { isVersionLonger: true as const }
          : {}),
        release: release.releaseName,
        namespace,
      }))
    },
  }
}

/** https://fluxcd.io/flux/components/source/ocirepositories/#reference */
function wantedBy(
  { chart, version }: HelmReleaseChart,
  artifact: Manifest | undefined,
  fill: (text: string) => string,
): WantedChart | undefined {
  if (!artifact) return undefined
  const { url, ref } = readFluxSource(artifact.root)
  const [repository, name] = [fill(textAt(url)), fill(textAt(chart))]
  if (repository === '') return undefined
  switch (artifact.ref.kind) {
    case 'HelmRepository':
      return { request: { kind: 'chart', repository, chart: name, version: fill(textAt(version)) }, folder: '' }
    case 'OCIRepository': {
      if (choosesByItself(artifact)) return undefined
      const of = (key: string) => fill(textAt(ref.at(key)))
      const range = of('digest') || of('semver')
      const which = range ? { version: range } : { version: '', tag: of('tag') || 'latest' }
      return { request: { kind: 'chart', repository, chart: '', ...which }, folder: '' }
    }
    case 'GitRepository': {
      const place = placeInArtifact(name)
      const of = ['commit', 'tag', 'semver', 'branch'].flatMap((key) => {
        const written = fill(textAt(ref.at(key)))
        return written === '' ? [] : [[key, written] as const]
      })
      // Without a reference, Flux takes this branch:
      // https://fluxcd.io/flux/components/source/gitrepositories/#reference
      const branch = of.length === 0 ? { branch: 'master' } : {}
      // Another kind of reference, such as `name`, is any ref of Git.
      return place === undefined || ref.at('name').exists
        ? undefined
        : {
            request: {
              kind: 'tree',
              repository,
              ...branch,
              ...Object.fromEntries(of),
              folders: withIgnoresAbove(place),
            },
            folder: place,
            packed: (files) => new FluxArtifact(artifact, sourceIgnoresAmong(files)),
          }
    }
    default:
      return undefined
  }
}

/**
 * Whether an OCIRepository chooses among tags or layers in a way that is not followed: by a regular expression of Go, or
 * by another type than that of charts.
 */
function choosesByItself({ root }: Manifest): boolean {
  const { spec, ref } = readFluxSource(root)
  const filters = ref.at('semver').exists && !ref.at('digest').exists && textAt(ref.at('semverFilter')) !== ''
  const type = textAt(spec.at('layerSelector', 'mediaType'))
  return filters || (type !== '' && type !== 'application/vnd.cncf.helm.chart.content.v1.tar+gzip')
}

/** A folder, and the files above it that say what Flux leaves out of it. */
function withIgnoresAbove(place: string): string[] {
  const parts = place === '' ? [] : place.split('/')
  return [place, ...parts.map((_, depth) => path.join(...parts.slice(0, depth), '.sourceignore'))]
}

/**
 * The values files of the chart itself that a release names; they replace its `values.yaml`.
 *
 * @returns undefined if their content is unknown
 */
function valuesOfChart({ valuesFiles, ...chart }: HelmReleaseChart, folder: string, checkout: Checkout) {
  const values: Values[] = []
  for (const file of valuesFiles.items()) {
    const place = inside(folder, textAt(file))
    if (place === undefined) return undefined
    if (checkout.has(place)) values.push({ path: place })
    else if (chart.ignoreMissingValuesFiles.value !== true) return undefined
  }
  const hasOwn = values.some((one) => 'path' in one && one.path === path.join(folder, 'values.yaml'))
  return values.length === 0 || hasOwn ? values : undefined
}
