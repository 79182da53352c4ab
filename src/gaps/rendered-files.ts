import type { Finding } from '../finding/report'
import type { Witness } from '../ledger/entry'
import { nameOfSource, type Source } from '../sources/source'
import type { AccountedSide } from './accounted-side'
import { judgedAs, objectsAccount } from './judged-as'
import { isOfGaps, lower } from './plain-files'
import { failedTaking, renderedNames } from './source-files'

/** Files of sources that do not render: of a chart without a known release that is no more than a guess. */
export function failing(
  was: AccountedSide,
  is: AccountedSide,
  findings: readonly Finding[],
  sure: 'known' | 'guessed',
): Witness {
  const present = new Set(is.rendered.map(({ source }) => source.id))
  const stated = findings.filter(({ rule, status }) => isOfGaps(rule) && status === 'introduced')
  const withoutTool = stated.some(({ message }) => message === 'tool')
  return (file) => {
    const failed = failedTaking(was.takings.get(file) ?? [], is.takings.get(file) ?? [], (id) => !present.has(id))
    if (!failed) return undefined
    const { source, failure } = failed
    const isGuessed = isGuess(source)
    if (isGuessed !== (sure === 'guessed')) return undefined
    const isStated = failure.missing
      ? withoutTool
      : stated.some(({ location: { path: place } }) => place === failure.path || isWithin(place, source))
    const elsewhere = failure.remote?.[0]
    const reason = elsewhere
      ? `it takes in ${elsewhere.text}, which is not in this repository, and does not build without it`
      : lower(failure.reason)
    return {
      state: 'not-judged',
      cause: failure.leftOut
        ? 'chart-elsewhere'
        : elsewhere
          ? 'remote-entry'
          : isGuessed && !failure.cause.startsWith('dependency-')
            ? 'no-release'
            : failure.cause,
      reason: `${nameOfSource(source)}: ${reason}`,
      ...(isStated ? { reported: true as const } : {}),
    }
  }
}

/** Whether a path is in the folder of a source. */
function isWithin(place: string, source: Source): boolean {
  const folder = source.kind === 'helm' ? source.chart : source.root
  return folder === '' || place.startsWith(`${folder}/`)
}

/** Files of sources that were rendered: those that hold their objects, and what decides the rest of them. */
export function renderedFiles(was: AccountedSide, is: AccountedSide): Witness {
  return (file) => {
    const takings = [was, is].flatMap((side) => side.takings.get(file) ?? [])
    const sources = renderedNames(takings)
    if (sources.length === 0) return undefined
    const holding = takings.filter(({ rendered, holdsObjects }) => holdsObjects && !rendered.failure)
    const written = [was, is].flatMap((side) => side.objects.get(file) ?? [])
    const made = [...new Set(holding.flatMap(({ objects }) => objects))]
    if (made.length > 0) return judgedAs(made, sources)
    const account = holding.length > 0 ? objectsAccount(written, sources) : undefined
    if (!account && isTemplate(file) && takings.every(({ rendered }) => isGuess(rendered.source))) {
      const reason = `${sources.join(', ')}: it renders to nothing, and no release of the chart is known`
      return { state: 'not-judged', cause: 'no-release', reason }
    }
    return account ?? { state: 'input', reason: 'what is rendered with it is judged', sources }
  }
}

/** Whether a chart is rendered with its own values, as no release of it is known. */
function isGuess({ kind, origin }: Source): boolean {
  return kind === 'helm' && (origin === 'discovered' || origin === 'probed')
}

/** Whether a file of a chart makes objects by itself. */
function isTemplate(file: string): boolean {
  return /(?:^|\/)templates\/(?:.*\/)?[^_/][^/]*\.(?:ya?ml|json|tpl)$/.test(file) && !/(?:^|\/)tests?\//.test(file)
}
