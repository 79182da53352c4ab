import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Chart, chartWithLocals, localFolderOf, vendored } from '../chart'
import type { Checkout } from '../checkout'
import type { HelmSource } from '../source'
import { type Failure, firstLine, lineRegion, type Piece, type Rendering } from './rendering'
import { type Limits, type Outcome, runTool } from './tool'

/** The files of the repository that a release is made of. */
export async function helmFiles(source: HelmSource, checkout: Checkout): Promise<string[]> {
  const values = source.values.flatMap((one) => ('path' in one ? [one.path] : []))
  const charts = await chartWithLocals(checkout, source.chart)
  const files = charts.length > 0 ? charts.flatMap(({ folder }) => checkout.below(folder)) : [source.chart]
  return [...new Set([...files, ...values])].sort()
}

/** A chart laid out on disk, and what its templates are called by. */
export interface LaidOutChart {
  readonly folder: string
  /** Paths on disk below the chart's folder, by the folder of the repository they are copies of. */
  readonly copies: ReadonlyMap<string, string>
  readonly name: string
}

interface Running {
  readonly program: string
  readonly home: string
  readonly limits: Limits
}

/** Renders a release with the real helm. */
export async function renderHelm(source: HelmSource, checkout: Checkout, running: Running): Promise<Rendering> {
  const chart = await layOutChart(source, checkout)
  if ('failure' in chart) return chart
  const outcome = await template(source, chart.folder, checkout, running)
  if (outcome.status !== 0 || outcome.stopped) return { failure: failureOf(outcome, source, chart, checkout) }
  return { pieces: piecesIn(outcome.stdout, source, chart, checkout) }
}

/** Lays a chart out with its values and the charts of this repository that it takes in. */
export async function layOutChart(
  source: HelmSource,
  checkout: Checkout,
): Promise<LaidOutChart | { failure: Failure }> {
  const at = (reason: string, file: string, region = firstLine) => ({ failure: { reason, path: file, region } })
  for (const values of source.values) {
    if ('path' in values && !checkout.has(values.path))
      return at(`there is no values file ${values.path}`, source.at.path, source.at.region)
  }
  const charts = await chartWithLocals(checkout, source.chart)
  const main = charts[0]
  if (!main && !(source.chart.endsWith('.tgz') && checkout.has(source.chart)))
    return at(`there is no chart ${source.chart || '.'}`, source.at.path, source.at.region)
  await checkout.layOut(await helmFiles(source, checkout))
  const copies = new Map<string, string>()
  for (const chart of charts) {
    for (const dependency of chart.dependencies) {
      if (vendored(checkout, chart, dependency)) continue
      const { name, version, repository, at: place } = dependency
      const local = localFolderOf(chart, dependency)
      if (local === undefined) {
        const from = repository ? ` of ${repository}` : ''
        return at(
          `its dependency ${name} ${version}${from} is not in ${path.join(chart.folder, 'charts')}; run \`helm dependency build ${chart.folder || '.'}\` and commit what it brings`,
          place.path,
          place.region,
        )
      }
      if (!charts.some(({ folder }) => folder === local))
        return at(`its dependency ${name} is to be in ${local}, where no chart is`, place.path, place.region)
    }
  }
  const folder = path.join(checkout.folder, source.chart)
  if (main) await copyLocals(main, charts, checkout, copies, new Set())
  return { folder, copies, name: main?.name ?? '' }
}

/** Puts the charts of this repository that a chart takes in where helm looks for them, as `helm dependency build` does. */
async function copyLocals(
  chart: Chart,
  charts: readonly Chart[],
  checkout: Checkout,
  copies: Map<string, string>,
  above: ReadonlySet<string>,
): Promise<void> {
  if (above.has(chart.folder)) return
  for (const dependency of chart.dependencies) {
    const local = localFolderOf(chart, dependency)
    const other = charts.find(({ folder }) => folder === local)
    if (!other || vendored(checkout, chart, dependency)) continue
    await copyLocals(other, charts, checkout, copies, new Set([...above, chart.folder]))
    const target = path.join(checkout.folder, chart.folder, 'charts', other.name)
    if (!target.startsWith(checkout.folder + path.sep)) continue
    await mkdir(path.dirname(target), { recursive: true })
    await cp(path.join(checkout.folder, other.folder), target, { recursive: true, verbatimSymlinks: true })
    copies.set(`${chart.folder}/charts/${dependency.as}`, other.folder)
  }
}

/** Runs `helm template`. */
export async function template(
  source: HelmSource,
  chart: string,
  checkout: Checkout,
  { program, home, limits }: Running,
  more: readonly string[] = [],
): Promise<Outcome> {
  const values: string[] = []
  for (const [index, one] of source.values.entries()) {
    const file = 'path' in one ? path.join(checkout.folder, one.path) : path.join(home, `values-${index}.yaml`)
    if ('text' in one) await writeFile(file, one.text)
    values.push('--values', file)
  }
  const set = Object.entries(source.set).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`])
  const facts = [
    ...(source.kubeVersion ? ['--kube-version', source.kubeVersion] : []),
    ...(source.apiVersions ?? []).flatMap((version) => ['--api-versions', version]),
    ...(source.skipCrds ? [] : ['--include-crds']),
  ]
  const args = ['template', '--namespace', source.namespace, ...values, ...set, ...facts, ...more]
  return runTool(program, [...args, '--', source.release, chart], { cwd: home, home, limits })
}

/** What one template came to. */
export interface TemplateOutput {
  /** As helm names it. */
  readonly template: string
  readonly text: string
}

/** Renders a copy of the chart with its templates rewritten; `--debug` prints also what is no YAML. */
export async function renderRewritten(
  source: HelmSource,
  checkout: Checkout,
  running: Running,
  rewrite: (template: string) => string,
): Promise<TemplateOutput[]> {
  const chart = await layOutChart(source, checkout)
  if ('failure' in chart || source.chart.endsWith('.tgz')) return []
  const copy = path.join(running.home, 'chart')
  await cp(chart.folder, copy, { recursive: true, dereference: true })
  for (const file of await readdir(copy, { recursive: true })) {
    if (!/(?:^|\/)templates\/(?:.*\/)?[^_/][^/]*\.(?:ya?ml|tpl)$/.test(file)) continue
    const place = path.join(copy, file)
    if ((await stat(place)).isFile()) await writeFile(place, rewrite(await readFile(place, 'utf8')))
  }
  const { stdout, stopped } = await template(source, copy, checkout, running, ['--debug'])
  return stopped ? [] : cutBySource(stdout)
}

/** Helm's output, cut where it says which template a part comes from. */
function cutBySource(output: string): TemplateOutput[] {
  const marks = [...output.matchAll(/^---\n# Source: (.+)\n/gm)]
  return marks.map((mark, index) => ({
    template: mark[1] ?? '',
    text: output.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? output.length),
  }))
}

function piecesIn(output: string, source: HelmSource, chart: LaidOutChart, checkout: Checkout): Piece[] {
  return cutBySource(output)
    .filter(({ text }) => /\S/.test(text))
    .map(({ template, text }) => ({ template, text, path: pathOf(template, source, chart, checkout) }))
}

/** The file of the repository behind what helm calls `chart/charts/common/templates/x.yaml`. */
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
  if (chart.endsWith('.tgz')) return chart
  const name = file.match(/\/charts\/([^/]+)\//)?.[1]
  const archives = checkout.below(path.posix.join(chart, 'charts')).filter((one) => one.endsWith('.tgz'))
  const archive = archives.find((one) => path.posix.basename(one).startsWith(`${name}-`))
  return archive ?? path.posix.join(chart, 'Chart.yaml')
}

/** Helm's own words, at the template they name. */
function failureOf(outcome: Outcome, source: HelmSource, chart: LaidOutChart, checkout: Checkout): Failure {
  const start = checkout.has(source.chart) ? source.chart : path.posix.join(source.chart, 'Chart.yaml')
  if (outcome.stopped) return { reason: `helm was ended, because ${outcome.stopped}`, path: start, region: firstLine }
  const lines = outcome.stderr.split('\n').filter((line) => /\S/.test(line))
  const error = lines.find((line) => /^Error: /.test(line)) ?? lines.find((line) => /fatal|out of memory/.test(line))
  const said = (error ?? lines[0] ?? `it ended with status ${outcome.status} and said nothing`).replace(/^Error: /, '')
  const rest = error ? lines.slice(lines.indexOf(error) + 1).filter((line) => /^\s*[-(\w]/.test(line)) : []
  const words = shortened([said, ...(/:\s*$/.test(said) || /schema/.test(said) ? rest : [])].join(' '), checkout.folder)
  const named = said.match(/([^\s"'(<>]+\/templates\/[^\s:)"'>]+)(?::(\d+)(?::(\d+))?)?/)
  const reason = `helm does not render it: ${words}`
  if (!named?.[1]) return { reason, path: start, region: firstLine }
  const line = Number(named[2] ?? 1)
  return {
    reason,
    path: pathOf(named[1], source, chart, checkout),
    region: lineRegion(line, Number(named[3] ?? 0) + 1),
  }
}

/** A tool's message without the folders of this machine, at a length that a person reads. */
export function shortened(message: string, folder: string): string {
  const own = message.replaceAll(`${folder}/`, '').replaceAll(folder, '.').replace(/\s+/g, ' ').trim()
  return (own.length > 400 ? `${own.slice(0, 400)}…` : own).replace(/[.\s]+$/, '')
}
