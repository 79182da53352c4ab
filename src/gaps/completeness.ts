import { gitOpsKind } from '../gitops/kinds'
import { loadFile } from '../manifest/load'
import { groupKindOf } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { absentCharts, remoteEntries } from '../sources/kustomization'
import type { Target } from '../sources/source'

/** The inputs that show what may be missing from one side of a change. */
interface CompletenessInput {
  readonly head: SideOfChange
  /** The renderings, including failed ones. */
  readonly rendered: readonly RenderedSide[]
  /** Files that could not be read. */
  readonly unreadable: readonly string[]
  /** The texts of plain files, by path. */
  readonly texts: Iterable<readonly [path: string, text: string]>
  readonly clustersOf: (path: string) => readonly string[]
}

/**
 * Whether a cluster has parts that were not inspected and may contain an object that seems missing: a release
 * of a remote chart, a source that did not render, a file that could not be read. It is computed on first use: only a
 * few rules state that an object is in no manifest.
 */
export function mayHideObjects(input: CompletenessInput): (cluster: string) => boolean {
  let known: ReadonlySet<string> | undefined
  return (cluster) => {
    known ??= new Set(placesOf(input))
    // An object that belongs to no particular cluster may be deployed to each of them, and the other way round.
    return known.has(cluster) || known.has('') || (cluster === '' && known.size > 0)
  }
}

function* placesOf({ head, rendered, unreadable, texts, clustersOf }: CompletenessInput): Iterable<string> {
  const ofTarget = (target: Target) => ('cluster' in target ? [target.cluster] : clustersOf(target.path))
  for (const { manifest } of head.discovery.notInspected) yield* clustersOf(manifest.origin.path)
  for (const { source, failure, partial, remote, charts, unreadable: lost } of rendered) {
    if (failure || partial || remote.length > 0 || lost.length > 0 || charts.some(({ vendored }) => !vendored))
      yield* ofTarget(source.target)
  }
  for (const one of head.discovery.kustomizations.values()) {
    if ([remoteEntries(one, head.checkout), absentCharts(one, head.checkout)].some(({ length }) => length > 0))
      yield* clustersOf(one.file)
  }
  for (const path of unreadable) yield* clustersOf(path)
  for (const [path, text] of texts) if (installsByK3s(text)) yield* clustersOf(path)
}

/** Whether a text makes K3s install a chart, which discovery does not read. https://docs.k3s.io/add-ons/helm */
function installsByK3s(text: string): boolean {
  if (!mentions(text, k3sGroup)) return false
  return loadFile({ text }, (document) => mentions(document, k3sGroup)).objects.some(
    ({ ref }) => groupKindOf(ref) === gitOpsKind.k3sChart || groupKindOf(ref) === gitOpsKind.k3sChartConfig,
  )
}

const k3sGroup = 'helm.cattle.io'
