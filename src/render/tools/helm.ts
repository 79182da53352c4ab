import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startOf } from '../../region'
import type { Checkout } from '../../revision/checkout'
import { chartWithLocals } from '../../sources/chart'
import { inside } from '../../sources/kustomization'
import { isUnmetSchema, type Lack, lackOfHelm } from '../../sources/lack'
import { asPacked } from '../../sources/packed'
import { realPlace } from '../../sources/places'
import type { HelmSource } from '../../sources/source'
import type { ChartNetwork } from './chart-network'
import { copiesOf, dependencyFault, fetchDependencies, putDependencies } from './dependencies'
import { type Running, templateWithApis } from './helm-template'
import { type Failure, type FailureCause, lineRegion, type Piece, type Rendering, withoutFolder } from './rendering'
import type { Outcome } from './tool'

/** The files of the repository that a release is made of. */
export async function helmFiles(source: HelmSource, whole: Checkout): Promise<string[]> {
  const checkout = await asPacked(source, whole)
  const values = source.values.flatMap((one) => ('path' in one ? [one.path] : []))
  const charts = await chartWithLocals(checkout, source.chart)
  const files = charts.length > 0 ? charts.flatMap(({ folder }) => checkout.below(folder)) : [source.chart]
  return [...new Set([...files, ...values])].sort()
}

/** A chart laid out on disk, and the prefix of its templates' names. */
export interface LaidOutChart {
  readonly folder: string
  /** Paths on disk below the chart's folder, by the folder of the repository they are copies of. */
  readonly copies: ReadonlyMap<string, string>
  readonly name: string
}

/** Renders a release with the real helm. */
export async function renderHelm(source: HelmSource, checkout: Checkout, running: Running): Promise<Rendering> {
  const chart = await layOutChart(source, checkout, running.network)
  if ('failure' in chart) return chart
  const upgrade = upgradeOf(source)
  const upgraded =
    upgrade.length > 0 ? await templateWithApis(source, chart.folder, checkout, running, upgrade) : undefined
  // Some charts refuse an upgrade without values that were generated at installation.
  const outcome = upgraded?.status === 0 ? upgraded : await templateWithApis(source, chart.folder, checkout, running)
  if (outcome.status !== 0 || outcome.stopped) return { failure: failureOf(outcome, source, chart, checkout) }
  // Another program may also exit with 0; an empty rendering names no template, but prints nothing either.
  const before = outcome.stdout.split(/(?<![^\n])---\n# Source: /, 1)[0] ?? ''
  if (/\S/.test(before)) {
    const reason = `helm printed output that is not a rendered manifest: ${shortened(before, checkout.folder)}`
    return { failure: { cause: 'tool-stopped', reason, ...source.declaredAt } }
  }
  return { pieces: piecesIn(outcome.stdout, source, chart, checkout) }
}

/** Prepares a chart with its values and the charts of this repository that it includes. */
export async function layOutChart(
  source: HelmSource,
  checkout: Checkout,
  network: ChartNetwork,
): Promise<LaidOutChart | { failure: Failure }> {
  const declared = (cause: FailureCause, about: string, reason: string) => ({
    failure: { cause, about, reason, ...source.declaredAt },
  })
  const unusable = (reason: string, file: string) => ({
    failure: { cause: 'file-unusable' as const, reason, path: file, region: startOf(1) },
  })
  for (const values of source.values) {
    if (!('path' in values) || checkout.has(values.path)) continue
    const { path: file } = values
    const isLost = source.packed?.has(file) === false
    const reason = isLost ? source.packed.whyNot(file) : `there is no values file ${file} in this repository`
    return declared('values-missing', file, reason)
  }
  const charts = await chartWithLocals(checkout, source.chart)
  const isInside = source.chart === '' || source.fetched || inside('', source.chart) === source.chart
  const main = isInside ? charts[0] : undefined
  if (!main && !(source.chart.endsWith('.tgz') && checkout.has(source.chart))) {
    const isFolder = source.origin !== 'named' || checkout.tree.at(source.chart).length > 0
    const reason = isFolder
      ? `there is no chart ${source.chart || '.'} in this repository`
      : withoutFolder(source.chart)
    return declared('chart-missing', source.chart, reason)
  }
  const files = await helmFiles(source, checkout)
  const broken = files.find((file) => /[\n\r]/.test(file))
  if (broken !== undefined)
    return unusable(
      `its file ${JSON.stringify(broken)} has a line break in its name, so the output of helm is ambiguous; rename it`,
      broken,
    )
  for (const [file, fault] of await checkout.layOut(files))
    return unusable(`its file ${file} cannot be used: ${fault}`, file)
  const failure =
    dependencyFault(charts, checkout, network) ??
    (await checkout.alone(
      async () => (await fetchDependencies(charts, checkout, network)) ?? putDependencies(charts, checkout),
    ))
  if (failure) return { failure }
  const folder = path.join(checkout.folder, source.chart)
  return { folder, copies: copiesOf(charts, checkout), name: main?.name ?? '' }
}

/** The arguments to render a chart as an upgrade: the release usually exists already. Only Argo CD always installs. */
export function upgradeOf(source: HelmSource): readonly string[] {
  return rendersAsInstalled(source) ? [] : ['--is-upgrade']
}

/** Whether a source is rendered as an installation, in any cluster. */
export function rendersAsInstalled({ id }: HelmSource): boolean {
  return id.startsWith('argocd:')
}

/** The output of one template. */
export interface TemplateOutput {
  /** The name that helm prints. */
  readonly template: string
  readonly text: string
}

/** A chart with more files is rendered without marks, so its lines are unknown. */
const maxFiles = 20_000

/** Renders a copy of the chart with edited templates; `--debug` prints invalid YAML, too. */
export async function renderRewritten(
  source: HelmSource,
  checkout: Checkout,
  running: Running,
  rewrite: (template: string) => string,
): Promise<TemplateOutput[]> {
  const chart = await layOutChart(source, checkout, running.network)
  if ('failure' in chart || source.chart.endsWith('.tgz')) return []
  const copy = await copiedChart(chart.folder, running.home)
  if (copy === undefined) return []
  for (const file of await readdir(copy, { recursive: true })) {
    if (!/(?:^|\/)templates\/(?:.*\/)?[^_/][^/]*\.(?:ya?ml|tpl)$/.test(file)) continue
    const place = path.join(copy, file)
    if ((await stat(place)).isFile()) await writeFile(place, rewrite(await readFile(place, 'utf8')))
  }
  const { stdout, stopped } = await templateWithApis(source, copy, checkout, running, ['--debug', ...upgradeOf(source)])
  return stopped ? [] : cutBySource(stdout)
}

/** A copy of a chart that may be edited; undefined for one of too many files. */
export async function copiedChart(chart: string, home: string): Promise<string | undefined> {
  const copy = path.join(home, 'chart')
  let left = maxFiles
  // Links that form a cycle; `.helmignore` may exclude them.
  const filter = () => --left > 0
  const copied = await cp(chart, copy, { recursive: true, dereference: true, filter }).then(
    () => left > 0,
    () => false,
  )
  return copied ? copy : undefined
}

/** Helm's output, split where it names the template of a part. */
function cutBySource(output: string): TemplateOutput[] {
  // Only a line feed ends a line here; JavaScript's other line breaks may occur in a template's text or name.
  const marks = [...output.matchAll(/(?<![^\n])---\n# Source: ([^\n]+)\n/g)]
  return marks.map((mark, index) => ({
    template: mark[1] ?? '',
    text: output.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? output.length),
  }))
}

export function piecesIn(output: string, source: HelmSource, chart: LaidOutChart, checkout: Checkout): Piece[] {
  return cutBySource(output)
    .filter(({ text }) => /\S/.test(text))
    .map(({ template, text }) => ({ template, text, path: pathOf(template, source, chart, checkout) }))
}

/** The file of the repository that helm calls `chart/charts/common/templates/x.yaml`. */
export function pathOf(
  template: string,
  { chart }: HelmSource,
  { copies }: Pick<LaidOutChart, 'copies'>,
  checkout: Checkout,
): string {
  let file = path.posix.join(chart, template.slice(template.indexOf('/') + 1))
  for (let hops = 0; hops < 20; hops++) {
    const copy = [...copies].find(([place]) => file.startsWith(`${place}/`))
    if (!copy) break
    file = path.posix.join(copy[1], file.slice(copy[0].length + 1))
  }
  if (checkout.has(file)) return file
  const linked = realPlace(checkout.tree, file)
  if (checkout.has(linked)) return linked
  if (chart.endsWith('.tgz')) return chart
  const name = file.match(/\/charts\/([^/]+)\//)?.[1]
  const archives = checkout.below(path.posix.join(chart, 'charts')).filter((one) => one.endsWith('.tgz'))
  const archive = archives.find((one) => path.posix.basename(one).startsWith(`${name}-`))
  return archive ?? path.posix.join(chart, 'Chart.yaml')
}

/** Helm's own message, at the template that it names. */
function failureOf(outcome: Outcome, source: HelmSource, chart: LaidOutChart, checkout: Checkout): Failure {
  const start = checkout.has(source.chart) ? source.chart : path.posix.join(source.chart, 'Chart.yaml')
  const first = { path: start, region: startOf(1) }
  const stopped = (reason: string): Failure => ({ cause: 'tool-stopped', reason, ...first })
  if (outcome.broken)
    return {
      cause: 'tool-missing',
      reason: `helm cannot be run: ${outcome.broken}`,
      ...source.declaredAt,
      missing: 'helm',
    }
  if (outcome.stopped) return stopped(`helm was stopped because ${outcome.stopped}`)
  if (!/\S/.test(outcome.stderr)) return stopped(`helm exited with status ${outcome.status} without a message`)
  const [message = '', ...why] = errorLinesIn(outcome)
  const whole = [message, ...why].join(' ')
  const words = shortened(whole, checkout.folder)
  const lack = lackIn(whole, source)
  const failed = { cause: 'tool-failed', reason: `helm cannot render it: ${words}`, ...(lack ? { lack } : {}) } as const
  const named = message.match(/(?<![^\s"'(<>])([^\s"'(<>]+\/templates\/[^\s:)"'>]+)(?::(\d+)(?::(\d+))?)?/)
  if (named?.[1]) {
    const region = lineRegion(Number(named[2] ?? 1), Number(named[3] ?? 0) + 1)
    return { ...failed, path: pathOf(named[1], source, chart, checkout), region }
  }
  // A fault of the declaration of the release, not of the chart.
  if (/^(?:release name|invalid kube version|invalid argument|failed parsing --set|its arguments)/.test(message))
    return { ...failed, ...source.declaredAt }
  const values = source.values.flatMap((one) => ('path' in one ? [one.path] : []))
  const own = ['values.yaml', 'Chart.yaml', 'values.schema.json'].map((file) => path.posix.join(source.chart, file))
  const meant = [...values, ...own].find((file) => message.includes(`${checkout.folder}/${file}`) && checkout.has(file))
  const loaded = own.find(
    (file) => message.startsWith(`cannot load ${path.posix.basename(file)}`) && checkout.has(file),
  )
  const region = lineRegion(Number(message.match(/yaml: line (\d+)/)?.[1] ?? 1))
  const file = meant ?? loaded
  return { ...failed, ...(file === undefined ? first : { path: file, region }) }
}

/** A release that is known has all of its values, and other switches may be among those that a schema refuses together. */
function lackIn(message: string, { origin }: HelmSource): Lack | undefined {
  if (origin !== 'discovered' && origin !== 'probed') return undefined
  const lack = lackOfHelm(message)
  return origin === 'probed' && lack && isUnmetSchema(lack) ? undefined : lack
}

/** Helm's error, and the lines that explain it. */
export function errorLinesIn({ stderr }: Pick<Outcome, 'stderr'>): string[] {
  const lines = stderr.split('\n').filter((line) => /\S/.test(line))
  const error = lines.find((line) => /^Error: /.test(line)) ?? lines.find((line) => /fatal|out of memory/.test(line))
  const message = (error ?? lines[0] ?? '').replace(/^Error: /, '')
  // Helm 4 and schemas explain the error on further lines; hints on helm's own flags are not part of it.
  const rest = error ? lines.slice(lines.indexOf(error) + 1) : []
  const why = rest.filter((line) => !/^(?:Use --debug|level=|helm\.go|\[debug\]|time=)/.test(line.trim()))
  // A chain of templates has its cause at the end.
  return [message, ...(why.length > 8 ? [...why.slice(0, 2), '…', ...why.slice(-5)] : why)]
}

/** A tool's message without the folders of this machine, at a length that a person reads. */
export function shortened(message: string, folder: string): string {
  const parent = path.dirname(folder)
  const own = message
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '.')
    .replaceAll(parent, '.')
    .replace(/\s+/g, ' ')
    .trim()
  // The start and the end of a message matter most: the middle may repeat itself a thousand times.
  const short = own.length > 400 ? `${own.slice(0, 250)} … ${own.slice(-140)}` : own
  return short.replace(/(?<![.\s])[.\s]+$/, '')
}
