import path from 'node:path/posix'
import { type Failure, isUnparsable } from '../render/tools/rendering'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { readChart, vendored } from '../sources/chart'
import type { HelmSource, KustomizeSource, Source } from '../sources/source'
import { failureOf } from './failure-of'

/** The facts of the base about sources that nothing names. */
export interface IdleInput {
  /** Whether objects, or the files of a tool, name the folders that are deployed. */
  readonly namedElsewhere: boolean
  /** Sources that the base does not have, and that fail in a Kustomization that did not build at the base either. */
  readonly brokenBefore: ReadonlySet<string>
  /** Sources of examples that lack what a bootstrap makes. */
  readonly beforeBootstrap: ReadonlySet<string>
  /** Its charts have remote dependencies, and none of them is vendored. */
  readonly vendorsNothing: boolean
}

/**
 * Whether a source that nothing names fails for no fault of this change: it did not build at the base either, or it is
 * new in a repository that names its deployed folders, as an archive or a scaffold is.
 */
export function isIdle(source: Source, failure: Failure, before: RenderedSide | undefined, input: IdleInput): boolean {
  if (source.origin !== 'discovered') return false
  if (before) return isBroken(failureOf(before))
  return input.brokenBefore.has(source.id) || isLeftover(source, failure, input)
}

/**
 * Whether a source is not deployed, and the tool that would deploy it could not build it either: it is a leftover, or an example
 * that is there to be copied.
 */
export function isLeftover({ origin, id }: Source, { cause }: Failure, input: IdleInput): boolean {
  const { namedElsewhere, beforeBootstrap } = input
  return origin === 'discovered' && (beforeBootstrap.has(id) || (namedElsewhere && unbuildable.has(cause)))
}

/**
 * The causes for which the tool that deploys it could not build a source either; the other ones are limits of this
 * gate.
 */
const unbuildable: ReadonlySet<Failure['cause']> = new Set<Failure['cause']>(['tool-failed', 'chart-not-vendored'])

/** Whether a new chart lacks a dependency in a repository that vendors none: it is like all others there. */
export function isLikeOthers(
  { kind }: Source,
  { cause }: Failure,
  before: RenderedSide | undefined,
  { vendorsNothing }: IdleInput,
): boolean {
  return kind === 'helm' && cause === 'dependency-not-vendored' && before === undefined && vendorsNothing
}

/** Whether the base's charts have remote dependencies and vendor none of them. */
export async function vendorsNothing({ checkout }: SideOfChange, after: readonly RenderedSide[]): Promise<boolean> {
  if (!after.some((side) => failureOf(side)?.cause === 'dependency-not-vendored')) return false
  const folders = [...checkout.tree.entries.keys()]
    .filter((file) => path.basename(file) === 'Chart.yaml' && !checkout.tree.ignores(file))
    .map((file) => (file.includes('/') ? path.dirname(file) : ''))
  const charts = await Promise.all(folders.map((folder) => readChart(checkout, folder)))
  const remote = charts.flatMap((chart) =>
    chart.dependencies.filter(({ repository }) => isRemote(repository)).map((one) => ({ chart, one })),
  )
  return remote.length > 0 && remote.every(({ chart, one }) => vendored(checkout, chart, one) === undefined)
}

function isRemote(repository: string): boolean {
  return repository !== '' && !repository.startsWith('file:')
}

/** Whether a source fails for a reason in its files. */
function isBroken(failure: Failure | undefined): boolean {
  return failure !== undefined && !failure.missing && failure.cause !== 'tool-stopped'
}

/**
 * The new sources that fail in a Kustomization of the base which failed there by itself, for the same cause, or for a
 * template that helm could not parse at the base either.
 */
export async function brokenBefore(base: SideOfChange, after: readonly RenderedSide[]): Promise<ReadonlySet<string>> {
  const known = new Set(base.discovery.sources.map(({ id }) => id))
  const found = new Set<string>()
  for (const side of after) {
    const { source } = side
    const failure = failureOf(side)
    if (!failure || known.has(source.id)) continue
    const own = source.kind === 'kustomize' ? blamedIn(base, source, failure) : sameChart(base, source, failure)
    if (!own) continue
    const was = failureOf(await base.render(own))
    if (isBroken(was) && was?.path === failure.path && was.cause === failure.cause && was.about === failure.about)
      found.add(source.id)
  }
  return found
}

function blamedIn({ discovery }: SideOfChange, source: KustomizeSource, { path }: Failure): Source | undefined {
  const blamed = [...discovery.kustomizations.values()].find(({ file }) => file === path)
  return blamed && { ...source, id: `kustomize:${blamed.folder}`, root: blamed.folder }
}

function sameChart({ discovery }: SideOfChange, { chart }: HelmSource, failure: Failure): Source | undefined {
  if (!isUnparsable(failure)) return undefined
  return discovery.sources.find((one) => one.kind === 'helm' && one.chart === chart)
}
