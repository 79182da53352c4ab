import type { Finding } from '../../finding/report'
import type { Witness } from '../../ledger/entry'
import { abridged } from '../../listing'
import { nameOfLack } from '../../sources/lack'
import { nameOfSource, type Source } from '../../sources/source'
import { type IdleInput, isLeftover } from '../idle-sources'
import type { AccountedSide } from './accounted-side'
import { judgedAs, objectsAccount } from './judged-as'
import { isOfGaps, lower } from './plain-files'
import { type FailedTaking, failedTakings, isLeftOut, renderedNames, type Taking } from './source-files'
import { isGuess, isTemplate, unreachedFiles } from './unreached-files'

/**
 * Files of sources that do not render, or that are read from their files without them: for a chart without a known
 * release, or a source that nothing deploys, that is only a guess.
 */
export function failing(
  was: AccountedSide,
  is: AccountedSide,
  findings: readonly Finding[],
  idle: IdleInput,
  sure: 'known' | 'guessed',
): Witness {
  const present = new Set(is.rendered.map(({ source }) => source.id))
  const stated = findings.filter(({ rule, status }) => isOfGaps(rule) && status === 'introduced')
  const withoutTool = stated.some(({ message }) => message === 'tool')
  const isUnsure = ({ source, failure }: FailedTaking) => isGuess(source) || isLeftover(source, failure, idle)
  return (file) => {
    const failed = failedTakings(
      was.takings.get(file) ?? [],
      is.takings.get(file) ?? [],
      (id) => !present.has(id),
    ).find((one) => isUnsure(one) === (sure === 'guessed'))
    if (!failed) return undefined
    const { source, failure, asWritten } = failed
    const name = nameOfSource(source)
    const isStated = failure.missing
      ? withoutTool
      : stated.some(({ location: { path: place } }) => place === failure.path || isWithin(place, source))
    if (isLeftover(source, failure, idle) && !isStated)
      return {
        state: 'not-deployed',
        cause: 'idle',
        reason: `${name}: no Argo CD or Flux object deploys it, and ${lower(failure.reason)}`,
      }
    const elsewhere = failure.remote?.[0]
    const reason = elsewhere
      ? `it uses ${elsewhere.text}, which is not in this repository, and cannot be built without it`
      : lower(failure.reason)
    return {
      state: 'not-judged',
      cause: causeOfFailure(failed),
      reason: asWritten
        ? `${name}: only its manifests are read, without rendering, because ${reason}`
        : `${name}: ${reason}`,
      ...(isStated ? { reported: true as const } : {}),
    }
  }
}

/** The id of the cause for which a source is not rendered whole. */
export function causeOfFailure({ source, failure, asWritten }: FailedTaking): string {
  if (failure.missing) return failure.cause
  if (failure.leftOut) return 'chart-elsewhere'
  if (failure.remote?.length) return 'remote-entry'
  if (isGuess(source) && !failure.cause.startsWith('dependency-')) return 'no-release'
  return asWritten && !failure.cause.startsWith('dependency-') ? 'read-as-written' : failure.cause
}

/** Whether a path is in the folder of a source. */
function isWithin(place: string, source: Source): boolean {
  const folder = source.kind === 'helm' ? source.chart : source.root
  return folder === '' || place.startsWith(`${folder}/`)
}

/** Files of rendered sources: those with their objects, and those that decide the rest of them. */
export async function renderedFiles(was: AccountedSide, is: AccountedSide): Promise<Witness> {
  const unreached = await unreachedFiles(was, is)
  return (file) => {
    const passed = unreached.get(file)
    if (passed) return passed
    const all = [was, is].flatMap((side) => side.takings.get(file) ?? [])
    const takings = all.filter((one) => !isLeftOut(one))
    const sources = renderedNames(takings)
    if (sources.length === 0) return undefined
    const holding = takings.filter(({ rendered, holdsObjects }) => holdsObjects && !rendered.failure)
    const written = [was, is].flatMap((side) => side.objects.get(file) ?? [])
    const made = [...new Set(holding.flatMap(({ objects }) => objects))].sort()
    if (made.length > 0) return judgedAs(made, sources)
    const account = holding.length > 0 ? objectsAccount(written, sources) : undefined
    if (!account && isTemplate(file) && takings.every(({ rendered }) => isGuess(rendered.source))) {
      // The release that does not render is the reason.
      if (all.some((one) => isOwn(one) && (isLeftOut(one) || one.rendered.failure))) return undefined
      const reason = `${abridged(sources, 2)}: it renders no object with any of the known values`
      return { state: 'not-judged', cause: 'no-release', reason }
    }
    return (
      account ?? { state: 'input', reason: `the objects rendered with it are judged${withoutLacks(takings)}`, sources }
    )
  }
}

/** Whether a release is not one with supposed values, which say nothing of others. */
function isOwn({ rendered: { source } }: Taking): boolean {
  return source.origin !== 'probed'
}

/** The missing parts of the renderings, which may be what the file configures. */
function withoutLacks(takings: readonly Taking[]): string {
  const parts = takings.flatMap(({ rendered: { partial } }) => (partial?.manner === 'reduced' ? [partial] : []))
  const names = new Set(parts.flatMap(({ lacks }) => lacks.map(nameOfLack)))
  return names.size > 0 ? `, without ${abridged([...names])}` : ''
}

/** The templates of a chart. They may be plain files elsewhere that the chart includes by a symbolic link. */
export function templatesOf(was: AccountedSide, is: AccountedSide): ReadonlySet<string> {
  return new Set(
    [was, is].flatMap(({ takings }) =>
      [...takings].flatMap(([file, its]) => (its.some(({ objects }) => objects.length > 0) ? [file] : [])),
    ),
  )
}
