import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { helmReleaseChartAt, readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import {
  filedRelease,
  generatedApplication,
  inflatedChart,
  mayInstallRemote,
  releaseKinds,
} from '../charts/chart-release'
import { type RemoteRelease, remoteReleasesOf } from '../charts/remote-release'
import { nearest } from './component-needs'

/** The word of a chart's name by which it is one of CRDs: `karpenter-crd`, `kgateway-crds`, `gateway-crds-helm`. */
const crdWords: readonly string[] = ['crd', 'crds']

/** Charts whose CRDs are in a chart of another name, by the name that the word alone leaves. */
const otherNames: ReadonlyMap<string, string> = new Map([
  // https://github.com/linkerd/linkerd2/tree/edge-25.8.3/charts
  ['linkerd', 'linkerd-control-plane'],
])

/** The chart whose CRDs a chart of this name has: `kgateway` of `kgateway-crds`; undefined of one that has others. */
export function chartOfCrds(chart: string): string | undefined {
  const words = chart.split('-')
  const left = words.filter((word) => !crdWords.includes(word))
  if (left.length !== words.length - 1 || left.length === 0) return undefined
  const stem = left.join('-')
  return otherNames.get(stem) ?? stem
}

/** The last part of the name of a chart: one of a registry is named with its path. */
export function shortNameOf({ chart }: Pick<RemoteRelease, 'chart'>): string {
  return chart.split('/').at(-1) ?? ''
}

/** Where a chart is from: the folder of a registry, or the repository. */
export function originOf({ chart, repository }: RemoteRelease): string {
  return chart.includes('/') ? chart.slice(0, chart.lastIndexOf('/')) : repository
}

/** The release of a chart, and the release of the chart with its CRDs. */
export interface CrdsPair {
  readonly main: RemoteRelease
  readonly crds: RemoteRelease
}

const known = new WeakMap<Snapshot, readonly CrdsPair[]>()

/**
 * The releases of a cluster whose CRDs are those of another release, of the same repository. Of several releases of the
 * CRDs, it is the one in the same folder; where there is none, it is unknown which one counts.
 */
export function crdsPairsIn(snapshot: Snapshot): readonly CrdsPair[] {
  const before = known.get(snapshot)
  if (before) return before
  const releases = releaseKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter(mayInstallRemote)
    .flatMap((one) => remoteReleasesOf(one, snapshot))
  const ofCrds = releases.filter((one) => chartOfCrds(shortNameOf(one)) !== undefined)
  const pairs =
    ofCrds.length === 0
      ? []
      : releases.flatMap((main) => {
          const its = ofCrds.filter(
            (one) => chartOfCrds(shortNameOf(one)) === shortNameOf(main) && originOf(one) === originOf(main),
          )
          const [near] = nearest(
            main.manifest,
            its.map(({ manifest }) => manifest),
          )
          return its.filter(({ manifest }) => manifest === near).map((crds) => ({ main, crds }))
        })
  known.set(snapshot, pairs)
  return pairs
}

/** Whether an object is a part of a release: the object itself, or the one that has its version. */
export function isPartOf({ manifest, versionAt }: RemoteRelease, one: Manifest): boolean {
  return manifest === one || versionAt.manifest === one
}

/** Strings that the objects of a release and of its CRDs contain, by the chart that an object names. */
export function marksOfCrdsPair(manifest: Manifest): string[] {
  return [...chartsNamedBy(manifest)].flatMap((chart) => {
    const name = shortNameOf({ chart })
    const of = chartOfCrds(name)
    if (of !== undefined) return [of]
    const words = (others.get(name) ?? name).split('-')
    return words.map((_, last) => `${words.slice(0, last + 1).join('-')}-crd`)
  })
}

const others = new Map([...otherNames].map(([stem, chart]) => [chart, stem]))

/** The charts that an object itself names. */
function* chartsNamedBy(manifest: Manifest): Iterable<string> {
  const { root, ref, object } = manifest
  switch (groupKindOf(ref)) {
    case gitOpsKind.helmRelease:
      yield textAt(readHelmRelease(root).chart.chart)
      break
    case gitOpsKind.ociRepository:
      yield textAt(readFluxSource(root).url)
      break
    case gitOpsKind.fluxHelmChart:
      yield textAt(helmReleaseChartAt(root.at('spec')).chart)
      break
    case gitOpsKind.application:
    case generatedApplication:
      yield* readApplication(root).sources.map(({ chart }) => textAt(chart))
      break
    case gitOpsKind.applicationSet:
      yield* readApplication(root.at('spec', 'template')).sources.map(({ chart }) => textAt(chart))
      break
    case gitOpsKind.k3sChart:
      yield textAt(readK3sChart(root).chart)
      break
    case inflatedChart:
      yield textAt(root.at('name'))
      break
    case filedRelease:
      yield object.context?.release?.chart ?? ''
  }
}
