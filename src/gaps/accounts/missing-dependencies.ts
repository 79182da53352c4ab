import path from 'node:path/posix'
import { parseDocument } from 'yaml'
import { entryOf } from '../../entry'
import type { Finding } from '../../finding/report'
import { isKnownChart } from '../../kubernetes/charts/chart-release'
import type { Account, Witness } from '../../ledger/entry'
import type { Checkout } from '../../revision/checkout'
import type { LeftOut } from '../../sides/fetched-input'
import type { RenderedSide } from '../../sides/rendered-side'
import { type Chart, chartWithLocals, type Dependency, localFolderOf, readChart, vendored } from '../../sources/chart'
import type { Lack } from '../../sources/lack'
import { type HelmSource, nameOfSource } from '../../sources/source'
import { nameOfDependency } from '../../values/umbrella-releases'
import { lineFor } from '../entries-not-fetched'
import type { AccountedSide } from './accounted-side'
import { assumedFor } from './not-followed'
import { isOfGaps } from './plain-files'
import { isGuess, isTemplate } from './unreached-files'

/** A release that is rendered without a dependency of its chart, and the other side of it. */
interface Without {
  readonly source: HelmSource
  readonly other: HelmSource | undefined
  readonly lack: Lack
  /** None for a dependency of a chart that it includes. */
  readonly dependency: Dependency | undefined
  /** The keys of values that reach it or include it, besides `global` and `tags`; undefined where they are not known. */
  readonly keys: readonly string[] | undefined
  /** The names of all dependencies that the release is rendered without. */
  readonly all: readonly string[]
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
        ...(one === was && (await isAskedAlone(without.lack, was.side.checkout, is.side.checkout))
          ? { isGone: true as const }
          : {}),
        ...assumedFor({ kind: 'HelmChart', name }, one),
        ...(stated.has(without.lack.path ?? '') ? { reported: true as const } : {}),
      }
      for (const file of filesFor(without, one, other)) if (!found.has(file)) found.set(file, account)
    }
  }
  return (file) => found.get(file)
}

/** Whether a file asks for the missing dependency on one side alone. */
async function isAskedAlone({ about, path: file }: Lack, checkout: Checkout, other: Checkout): Promise<boolean> {
  if (file === undefined) return false
  const asks = async (its: Checkout) => {
    const { dependencies } = await readChart(its, path.dirname(file))
    return dependencies.some(({ name, at }) => name === about && at.path === file)
  }
  return (await asks(checkout)) && !(await asks(other))
}

/** The number of dependencies that are named. */
const most = 5

function reasonOf({ source, lack: { about }, all, dependency, why }: Without): string {
  const from = dependency?.repository ? ` of ${dependency.repository}` : ''
  const name = nameOfSource(source)
  const without = `${name} is rendered without its dependency ${about}${from}`
  if (why && all.length > 1) {
    const more = all.length > most ? ` and ${all.length - most} more` : ''
    return `${name} is rendered without its dependencies ${all.slice(0, most).join(', ')}${more}, as not all of them could be fetched: ${why.reason}`
  }
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
    const all = [...new Set(lacks.map(({ about }) => about))].sort()
    for (const lack of lacks) {
      // Both sides are rendered without it; only the other one would have it.
      if (await isAskedAlone(lack, other.side.checkout, checkout)) continue
      const dependency = dependencyOf(chart, lack)
      if (dependency) {
        const isHere = vendored(checkout, chart, dependency) ?? localFolderOf(chart, dependency)
        const isKnown = isKnownChart(dependency.name, dependency.repository)
        if (isHere !== undefined || (isKnown && !(await isAskedAlone(lack, checkout, other.side.checkout)))) continue
      }
      const isSame = requestOf(dependency) === requestOf(there && dependencyOf(there.chart, lack))
      const keys = dependency ? keysFor(dependency) : await keysAbove(lack, chart, checkout)
      const why = one.side.fetched.of(source)?.without
      found.push({ source, other: there?.its, lack, dependency, keys, all, isSame, why })
    }
  }
  return found
}

/**
 * The keys of the values of the dependencies that ask for what is lacking, themselves or by charts that they include. Source:
 * https://github.com/helm/helm/blob/v3.19.0/pkg/chartutil/values.go, `coalesceDeps`: a chart gets the values below its own name.
 */
async function keysAbove({ path: file }: Lack, chart: Chart, checkout: Checkout): Promise<string[] | undefined> {
  const asking = path.dirname(file ?? '')
  const keys: string[] = []
  for (const one of chart.dependencies) {
    const folder = vendored(checkout, chart, one) ?? localFolderOf(chart, one)
    const its = folder === undefined ? [] : await chartWithLocals(checkout, folder)
    if (its.some((included) => included.folder === asking)) keys.push(...keysFor(one))
  }
  return keys.length > 0 ? keys : undefined
}

/** The keys of the values that a dependency gets, and of those that decide whether it is included. */
function keysFor({ as, condition }: Dependency): string[] {
  return [as, ...condition.split(',').flatMap((one) => one.trim().split('.')[0] || [])]
}

/** The keys that all charts get, and that of the groups of dependencies that are included. */
const ofAll = ['global', 'tags']

function dependencyOf({ dependencies }: Chart, { about, path: file }: Lack): Dependency | undefined {
  return dependencies.find(({ name, at }) => name === about && at.path === file)
}

function requestOf(dependency: Dependency | undefined): string {
  const { at: _, ...request } = dependency ?? { at: undefined }
  return JSON.stringify(request)
}

/** The files that ask for a dependency or pin it, and those in which the values that it takes differ. */
function* filesFor(
  { source, other, lack, dependency, keys, isSame }: Without,
  one: AccountedSide,
  { texts, takings: others }: AccountedSide,
): Iterable<string> {
  const isOther = (before: string | undefined, after: string | undefined) =>
    before !== after && valuesFor(keys, before) !== valuesFor(keys, after)
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
  // A template that reads values of a dependency makes nothing without them.
  for (const [file, takings] of one.takings) {
    const isOfRelease = takings.some(({ rendered }) => rendered.source.id === source.id)
    const all = [...takings, ...(others.get(file) ?? [])]
    const isIdle = all.every(({ objects, rendered }) => objects.length === 0 && isGuess(rendered.source))
    if (isOfRelease && isIdle && isTemplate(file)) yield file
  }
}

/**
 * The values below some keys of a text, and those for all charts; all values where the keys are not known, and the text
 * itself where it cannot be read.
 */
function valuesFor(keys: readonly string[] | undefined, text: string | undefined): string {
  if (text === undefined) return valuesFor(keys, '{}')
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
  if (document.errors.length > 0) return text
  try {
    const values: Record<string, unknown> = document.toJS() ?? {}
    return JSON.stringify(keys ? [...keys, ...ofAll].map((key) => entryOf(values, key)) : values)
  } catch {
    // Aliases that expand without end.
    return text
  }
}
