import path from 'node:path/posix'
import { parseDocument } from 'yaml'
import { entryOf } from '../../entry'
import type { Finding } from '../../finding/report'
import { isKnownChart } from '../../kubernetes/charts/chart-release'
import type { Account, Witness } from '../../ledger/entry'
import type { LeftOut } from '../../sides/fetched-input'
import type { RenderedSide } from '../../sides/rendered-side'
import { type Chart, type Dependency, localFolderOf, readChart, vendored } from '../../sources/chart'
import type { Lack } from '../../sources/lack'
import { type HelmSource, nameOfSource } from '../../sources/source'
import { nameOfDependency } from '../../values/umbrella-releases'
import { lineFor } from '../entries-not-fetched'
import type { AccountedSide } from './accounted-side'
import { assumedFor } from './not-followed'
import { isOfGaps } from './plain-files'

/** A release that is rendered without a dependency of its chart, and the other side of it. */
interface Without {
  readonly source: HelmSource
  readonly other: HelmSource | undefined
  readonly lack: Lack
  /** None for a dependency of a chart that it includes. */
  readonly dependency: Dependency | undefined
  readonly isSame: boolean
  /** The reason why it is left out, where its place may be asked. */
  readonly why: LeftOut | undefined
}

/**
 * Files that request a chart's dependency, or give it values, if the chart is rendered without it: the objects of the
 * dependency are not judged. The values of known charts are.
 */
export async function missingDependencies(
  was: AccountedSide,
  is: AccountedSide,
  findings: readonly Finding[],
): Promise<Witness> {
  const found = new Map<string, Account>()
  const stated = new Set(
    findings.flatMap(({ rule, status, location }) =>
      isOfGaps(rule) && status === 'introduced' ? [location.path] : [],
    ),
  )
  for (const [one, other] of [
    [is, was],
    [was, is],
  ] as const) {
    for (const without of await renderedWithout(one, other)) {
      const name = nameOfDependency(without.source, without.dependency?.as ?? without.lack.about)
      const account: Account = {
        state: 'not-judged',
        cause: 'dependency-not-vendored',
        reason: reasonOf(without),
        remedy: remedyFor(without),
        ...assumedFor({ kind: 'HelmChart', name }, one),
        ...(stated.has(without.lack.path ?? '') ? { reported: true as const } : {}),
      }
      for (const file of filesFor(without, one, other)) if (!found.has(file)) found.set(file, account)
    }
  }
  return (file) => found.get(file)
}

function reasonOf({ source, lack: { about }, dependency, why }: Without): string {
  const from = dependency?.repository ? ` of ${dependency.repository}` : ''
  const without = `${nameOfSource(source)} is rendered without its dependency ${about}${from}`
  return why ? `${without}: ${why.reason}` : `${without}, which is not in this repository`
}

function remedyFor({ source, why, dependency }: Without): string {
  if (source.fetched)
    return `To have it judged, name the place in the config: ${lineFor('charts', dependency?.repository ?? 'URL')}.`
  const chart = source.chart || '.'
  return why?.isFetched
    ? `To have it judged, make the release render with the dependencies and no cluster: \`helm dependency build ${chart}\` and \`helm template ${chart}\` show the error.`
    : `To have it judged, run \`helm dependency build ${chart}\` and commit the result.`
}

async function renderedWithout(one: AccountedSide, other: AccountedSide): Promise<Without[]> {
  const found: Without[] = []
  for (const { source, partial } of one.rendered) {
    if (source.kind !== 'helm' || source.origin === 'probed' || source.baseSourceId !== undefined) continue
    const lacks = partial?.lacks.filter(({ what }) => what === 'dependency') ?? []
    if (lacks.length === 0) continue
    const { checkout } = one.side
    const chart = await readChart(checkout, source.chart)
    const its = other.rendered.map((side: RenderedSide) => side.source).find(({ id }) => id === source.id)
    const there = its?.kind === 'helm' ? { its, chart: await readChart(other.side.checkout, its.chart) } : undefined
    for (const lack of lacks) {
      const dependency = dependencyOf(chart, lack)
      if (dependency) {
        const isHere = vendored(checkout, chart, dependency) ?? localFolderOf(chart, dependency)
        if (isHere !== undefined || isKnownChart(dependency.name, dependency.repository)) continue
      }
      const isSame = requestOf(dependency) === requestOf(there && dependencyOf(there.chart, lack))
      found.push({ source, other: there?.its, lack, dependency, isSame, why: one.side.whyWithout(source) })
    }
  }
  return found
}

function dependencyOf({ dependencies }: Chart, { about, path: file }: Lack): Dependency | undefined {
  return dependencies.find(({ name, at }) => name === about && at.path === file)
}

function requestOf(dependency: Dependency | undefined): string {
  const { at: _, ...request } = dependency ?? { at: undefined }
  return JSON.stringify(request)
}

/** The files that ask for a dependency or pin it, and those in which the values that it takes differ. */
function* filesFor(
  { source, other, lack, dependency, isSame }: Without,
  one: AccountedSide,
  { texts }: AccountedSide,
): Iterable<string> {
  const isOther = (before: string | undefined, after: string | undefined) =>
    before !== after && (!dependency || valuesFor(dependency.as, before) !== valuesFor(dependency.as, after))
  const asks = lack.path ?? ''
  if (dependency ? !isSame : texts.get(asks) !== one.texts.get(asks)) yield asks
  yield path.join(path.dirname(asks), 'Chart.lock')
  const files = [
    path.join(source.chart, 'values.yaml'),
    ...source.values.flatMap((its) => ('path' in its ? its.path : [])),
  ]
  for (const file of files) if (isOther(texts.get(file), one.texts.get(file))) yield file
  const written = ({ values }: HelmSource) => values.map((its) => ('text' in its ? its.text : ''))
  const before = other ? written(other) : []
  if (written(source).some((text, index) => isOther(before[index], text)))
    yield* [source.declaredAt.path, ...(source.definitionFiles ?? [])]
}

/**
 * The values that an included chart with that name or alias gets from a text; the text itself, if it cannot be read.
 */
function valuesFor(name: string, text: string | undefined): string {
  if (text === undefined) return '{}'
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
  if (document.errors.length > 0) return text
  try {
    const values: Record<string, unknown> = document.toJS() ?? {}
    return JSON.stringify({ own: entryOf(values, name), global: entryOf(values, 'global') })
  } catch {
    // Aliases that expand without end.
    return text
  }
}
