import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseDocument } from 'yaml'
import type { Checkout } from '../../revision/checkout'
import type { HelmSource, Values } from '../../sources/source'
import { copiedChart, helmFiles, layOutChart, piecesIn, rendersAsInstalled, upgradeOf } from '../tools/helm'
import { type Running, template } from '../tools/helm-template'
import type { Piece, Rendering } from '../tools/rendering'
import { type Answers, edited, foundObject, type Part, partsOf } from './answers'
import { filesInChart, unpackChart } from './packed-chart'
import { type Attempt, withoutRefused } from './refusals'
import { ofVersion, type Questions, questionsIn } from './uncertain-actions'

/** Helm renders no chart with a larger file: `MaxDecompressedFileSize` of its loader. */
const maxTextBytes = 5 * 1024 * 1024

/** The questions of a release's templates to the cluster, including those in packed charts and in values. */
export async function questionsOf(source: HelmSource, checkout: Checkout): Promise<Questions> {
  const files = await helmFiles(source, checkout)
  const texts: string[] = []
  for (const [file, content] of await checkout.read(files)) {
    if ('missing' in content) continue
    if (file.endsWith('.tgz'))
      texts.push(
        ...filesInChart(content).flatMap(({ content: its }) => (its.includes('{{') ? [its.toString('utf8')] : [])),
      )
    else texts.push(Buffer.from(content).toString('utf8'))
  }
  for (const one of source.values) if ('text' in one) texts.push(one.text)
  const { functions } = questionsIn(texts, !rendersAsInstalled(source))
  return { functions: source.isVersionLonger ? new Set([...functions, ofVersion]) : functions }
}

/** A release as a cluster with other answers would have it. */
export interface AnsweredRendering {
  /** Undefined where the chart does not render with any part of the answer. */
  readonly pieces: readonly Piece[] | undefined
  /** The questions for which the chart refuses the answer. */
  readonly refused: readonly string[]
  /** All questions that it has. */
  readonly questions: readonly string[]
}

/** An answer to the questions of a chart. */
export interface Answering {
  readonly answers: Answers
  readonly questions: Questions
  /** The one question that gets the answer; without it, all of them. */
  readonly only: string | undefined
}

const none: AnsweredRendering = { pieces: undefined, refused: [], questions: [] }

/**
 * Renders a release as a cluster with other answers would.
 *
 * @param postRender the changes that a deployer makes to the output
 */
export async function renderAnswered(
  source: HelmSource,
  checkout: Checkout,
  running: Running,
  { answers, questions: { functions }, only }: Answering,
  postRender: (pieces: readonly Piece[]) => Promise<Rendering>,
): Promise<AnsweredRendering> {
  const chart = await layOutChart(source, checkout, running.network)
  if ('failure' in chart) return none
  const copy = source.chart.endsWith('.tgz')
    ? path.join(running.home, 'chart')
    : await copiedChart(chart.folder, running.home)
  if (copy === undefined) return none
  if (source.chart.endsWith('.tgz')) await unpackChart(await readFile(chart.folder), copy)
  await unpackDependencies(copy)
  const { ending } = answers
  if (ending !== undefined) await lengthenVersion(path.join(copy, 'Chart.yaml'), ending)
  const inTemplates = await textsIn(copy)
  const values = await textsOfValues(source.values, checkout)
  // The values of a release may have templates, too.
  const inValues = new Map(values.map(({ text }, index) => [`values ${index}`, text]))
  const all = new Map([...inTemplates, ...inValues])
  const isInValues = questionsIn([...inValues.values(), ...valuesOfCharts(inTemplates)], true).functions.size > 0
  if (answers.finds) {
    const templates = path.join(copy, 'templates')
    // A chart may have a file of that name.
    const isMade = await mkdir(templates, { recursive: true }).then(
      () => true,
      () => false,
    )
    if (!isMade) return none
    await writeFile(path.join(templates, '_ingress-guard.tpl'), foundObject(all.values()))
  }
  const attempt = async (parts: readonly Part[], options: readonly string[]): Promise<Attempt<readonly Piece[]>> => {
    const texts = edited(all, parts)
    for (const [file, text] of inTemplates) await writeFile(path.join(copy, file), texts.get(file) ?? text, 'latin1')
    const answering: HelmSource = {
      ...source,
      values: values.map(({ text, name }, index) => ({ text: texts.get(`values ${index}`) ?? text, name })),
    }
    const outcome = await template(answering, copy, checkout, running, options)
    if (outcome.stopped !== undefined) return undefined
    if (outcome.status !== 0) return { refusal: outcome.stderr }
    const output = ending === undefined ? outcome.stdout : withoutEnding(outcome.stdout, ending)
    const laid = await postRender(piecesIn(output, source, chart, checkout))
    return 'failure' in laid ? { refusal: laid.failure.reason } : { rendering: laid.pieces }
  }
  const parts = partsOf(all, answers, functions, isInValues)
  const asked = only === undefined ? parts : parts.filter(({ question }) => question === only)
  const isNamed = (part: Part, refusal: string) => refusal.includes(`/${part.file}:`)
  const asUpgrade = upgradeOf(source)
  // As in the rendering without answers: some charts refuse an upgrade.
  for (const options of asUpgrade.length > 0 ? [asUpgrade, []] : [[]]) {
    const { rendering, refused } = await withoutRefused(asked, (some) => attempt(some, options), isNamed)
    if (rendering) {
      const questions = parts.map(({ question }) => question)
      return { pieces: rendering, refused: refused.map(({ question }) => question), questions }
    }
  }
  return none
}

/** Appends to the version of a chart, as Flux does. */
async function lengthenVersion(file: string, ending: string): Promise<void> {
  const chart = parseDocument(await readFile(file, 'utf8'), { logLevel: 'silent', version: '1.1' })
  const [version = ''] = String(chart.get('version') ?? '').split('+')
  chart.set('version', `${version}+${ending}`)
  await writeFile(file, String(chart))
}

/** A text without what was appended, as the names of charts in labels have it: with another sign, and cut. */
function withoutEnding(text: string, ending: string): string {
  let left = text
  for (let length = ending.length; length > 3; length--)
    for (const sign of ['+', '_', '-', '.']) left = left.replaceAll(`${sign}${ending.slice(0, length)}`, '')
  return left
}

/** Puts folders in the place of the packed charts that a chart has in `charts/`. */
async function unpackDependencies(chart: string): Promise<void> {
  const folder = path.join(chart, 'charts')
  const entries = await readdir(folder).catch(() => [])
  for (const entry of entries.filter((one) => one.endsWith('.tgz'))) {
    const archive = await readFile(path.join(folder, entry))
    if (filesInChart(archive).length === 0) continue
    await unpackChart(archive, path.join(folder, entry.slice(0, -'.tgz'.length)))
    await rm(path.join(folder, entry))
  }
}

/** Every text of a chart that may have actions: `tpl` fills in files that are no templates. */
async function textsIn(chart: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const file of (await readdir(chart, { recursive: true })).sort()) {
    const place = path.join(chart, file)
    const found = await stat(place)
    if (!found.isFile() || found.size > maxTextBytes) continue
    // Every byte is preserved: a template may contain invalid UTF-8.
    const text = await readFile(place, 'latin1')
    if (text.includes('{{')) texts.set(file, text)
  }
  return texts
}

function valuesOfCharts(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([file, text]) => (/(?:^|\/)templates\//.test(file) ? [] : [text]))
}

async function textsOfValues(values: readonly Values[], checkout: Checkout): Promise<{ text: string; name: string }[]> {
  const texts = await checkout.texts(values.flatMap((one) => ('path' in one ? [one.path] : [])))
  return values.map((one) => ('path' in one ? { text: texts.get(one.path) ?? '', name: one.path } : one))
}
