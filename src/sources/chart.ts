import path from 'node:path/posix'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Region } from '../region'
import type { Checkout } from '../revision/checkout'

/** A dependency of a chart, as `Chart.yaml` (or `requirements.yaml`) writes it. */
export interface Dependency {
  readonly name: string
  /** Its name in the rendering: the alias, or the chart's name. */
  readonly as: string
  readonly version: string
  readonly repository: string
  /** Paths of values, with commas: the first one that is set decides whether it is included. */
  readonly condition: string
  readonly at: { readonly path: string; readonly region: Region }
}

/** A chart in a folder. */
export interface Chart {
  readonly folder: string
  readonly name: string
  readonly library: boolean
  readonly dependencies: readonly Dependency[]
}

/** The metadata of a folder with `Chart.yaml`; helm reports a broken `Chart.yaml`. */
export async function readChart(checkout: Checkout, folder: string): Promise<Chart> {
  const texts = await checkout.texts([path.join(folder, 'Chart.yaml'), path.join(folder, 'requirements.yaml')])
  const parsed = [...texts].map(([file, text]) => {
    const lines = new LineCounter()
    return { file, lines, document: parseDocument(text, { lineCounter: lines, logLevel: 'silent', version: '1.1' }) }
  })
  const field = (name: string) => String(parsed[0]?.document.get(name) ?? '')
  return {
    folder,
    name: field('name') || path.basename(folder),
    library: field('type') === 'library',
    dependencies: parsed.flatMap(({ file, lines, document }) => dependenciesIn(document, file, lines)),
  }
}

/** The versions of Kubernetes that a chart can be installed on, as a range of npm; empty where it names none. */
export async function kubeVersionOf(checkout: Checkout, folder: string): Promise<string> {
  const text = (await checkout.text(path.join(folder, 'Chart.yaml'))) ?? ''
  const written = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  const range = isMap(written.contents) ? String(written.get('kubeVersion') ?? '') : ''
  return range.replaceAll(',', ' ').trim()
}

function dependenciesIn(document: Document, file: string, lines: LineCounter): Dependency[] {
  const list = isMap(document.contents) ? document.get('dependencies') : undefined
  if (!isSeq(list)) return []
  return list.items.flatMap((item) => {
    if (!isMap(item)) return []
    const field = (key: string) => {
      const value = item.get(key)
      return value === undefined || value === null ? '' : String(value)
    }
    const pair = item.items.find(({ key }) => isScalar(key) && key.value === 'name')
    const node = isScalar(pair?.value) ? pair.value : item
    const [from, to] = node.range ?? [0, 0]
    const [start, end] = [lines.linePos(from), lines.linePos(to)]
    const region = { startLine: start.line, startColumn: start.col, endLine: end.line, endColumn: end.col }
    const name = field('name')
    return [
      {
        name,
        as: field('alias') || name,
        version: field('version'),
        repository: field('repository'),
        condition: field('condition'),
        at: { path: file, region },
      },
    ]
  })
}

/** The version of a dependency that the lock of its chart has; undefined where it has none. */
export async function lockedVersion(
  { folder }: Chart,
  { name }: Dependency,
  checkout: Checkout,
): Promise<string | undefined> {
  const text = await checkout.text(path.join(folder, 'Chart.lock'))
  const document = text === undefined ? undefined : parseDocument(text, { logLevel: 'silent' })
  const locked: unknown = document?.errors.length ? undefined : document?.toJS()
  const list = (locked as { dependencies?: unknown } | undefined | null)?.dependencies
  const entry = Array.isArray(list) ? list.find((one) => one?.name === name) : undefined
  return entry?.version === undefined ? undefined : String(entry.version)
}

/** The folder of a dependency in the same repository (`repository: file://../common`). */
export function localFolderOf(chart: Chart, { repository }: Dependency): string | undefined {
  if (!repository.startsWith('file://')) return undefined
  const folder = path.join(chart.folder, repository.slice('file://'.length)).replace(/\/$/, '')
  return folder === '..' || folder.startsWith('../') || path.isAbsolute(folder) ? undefined : folder
}

/** The copies of a dependency in the chart's own `charts/`, packed or unpacked. */
export function vendored(checkout: Checkout, chart: Chart, { name }: Dependency): string | undefined {
  const folder = path.join(chart.folder, 'charts')
  if (checkout.has(path.join(folder, name, 'Chart.yaml'))) return path.join(folder, name)
  const archive = new RegExp(`^${escapeRegExp(`${folder}/${name}`)}-v?\\d[^/]*\\.tgz$`)
  return checkout.below(folder).find((file) => archive.test(file))
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A chart and the charts of this repository that it includes, itself first. */
export async function chartWithLocals(checkout: Checkout, folder: string): Promise<Chart[]> {
  const charts = new Map<string, Chart>()
  const visit = async (at: string): Promise<void> => {
    if (charts.has(at) || !checkout.has(path.join(at, 'Chart.yaml'))) return
    const chart = await readChart(checkout, at)
    charts.set(at, chart)
    for (const dependency of chart.dependencies) {
      const local = localFolderOf(chart, dependency)
      if (local !== undefined && !vendored(checkout, chart, dependency)) await visit(local)
    }
    const inside = `${path.join(at, 'charts')}/`
    for (const file of checkout.below(path.join(at, 'charts'))) {
      if (/^[^/]+\/Chart\.yaml$/.test(file.slice(inside.length))) await visit(path.dirname(file))
    }
  }
  await visit(folder)
  return [...charts.values()]
}

/** The folder of the chart that a path is a template of; undefined if there is none. */
export function chartOfTemplate(file: string, checkout: Checkout): string | undefined {
  const keys = file.split('/')
  const at = keys.findIndex(
    (key, before) => key === 'templates' && checkout.has(path.join(...keys.slice(0, before), 'Chart.yaml')),
  )
  return at === -1 ? undefined : keys.slice(0, at).join('/')
}
