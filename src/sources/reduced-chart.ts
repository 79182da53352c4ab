import path from 'node:path/posix'
import { isMap, isSeq, parseDocument } from 'yaml'
import type { Checkout } from '../revision/checkout'
import { actionsOf } from '../template/template-actions'
import { chartWithLocals } from './chart'
import { isUnmetSchema, type Lack } from './lack'
import { definitionsOfMissing } from './missing-templates'
import { onlyDefinitions, withoutRefusals } from './refusals'

/**
 * The texts of the `Chart.yaml` (or `requirements.yaml`) files without the dependencies that are not in the repository.
 */
export async function reducedCharts(lacks: readonly Lack[], checkout: Checkout): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const { what, about, path = '' } of lacks) {
    const text = texts.get(path) ?? (await checkout.text(path))
    if (what !== 'dependency' || text === undefined) continue
    const document = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
    const list = isMap(document.contents) ? document.get('dependencies') : undefined
    if (!isSeq(list) || document.errors.length > 0) continue
    list.items = list.items.filter((item) => !isMap(item) || String(item.get('name') ?? '') !== about)
    texts.set(path, document.toString({ lineWidth: 0 }))
  }
  return texts
}

/** The `Chart.yaml` of a chart with versions in place of marks that a tool fills in, as in `version: [[ .Version ]]`. */
export async function versionedChart(
  chart: string,
  lacks: readonly Lack[],
  checkout: Checkout,
): Promise<Map<string, string>> {
  const file = path.join(chart, 'Chart.yaml')
  const text = lacks.some(({ what }) => what === 'version') ? await checkout.text(file) : undefined
  if (text === undefined) return new Map()
  const versioned = text.replace(/^((?:app)?[vV]ersion:).*[[{$%@<].*$/gm, '$1 0.0.0')
  return versioned === text ? new Map() : new Map([[file, versioned]])
}

/**
 * A template of a chart, with definitions of the named templates that the dependencies which are left out would have. Helm
 * loads the templates of the chart and what is in its `charts/`, but nothing of a folder that it names no more.
 *
 * @param checkout has the chart without these dependencies
 * @param templatesIn the templates of packed charts; undefined if they are not known
 * @returns none if the chart misses no template, or a packed chart in it may have them
 */
export async function completedTemplate(
  chart: string,
  checkout: Checkout,
  templatesIn: (archives: readonly string[]) => Promise<readonly string[] | undefined>,
): Promise<Map<string, string>> {
  const charts = await chartWithLocals(checkout, chart)
  const inCharts = charts.flatMap(({ folder }) => checkout.below(path.join(folder, 'charts')))
  const packed = await templatesIn(inCharts.filter((file) => file.endsWith('.tgz')))
  if (!packed) return new Map()
  const inTemplates = charts.flatMap(({ folder }) => checkout.below(path.join(folder, 'templates')))
  const texts = await checkout.texts([...new Set([...inTemplates, ...inCharts])].filter(isTemplate))
  const definitions = definitionsOfMissing([...texts.values()], packed)
  const own = [...texts].filter(([file]) => path.dirname(file).startsWith(path.join(chart, 'templates')))
  const [file, text] = own.find(([one]) => one.endsWith('.tpl')) ?? own[0] ?? []
  return file === undefined || !definitions ? new Map() : new Map([[file, `${text}\n${definitions}`]])
}

/**
 * The templates of a chart and of the charts in it without what keeps them from being rendered: the values that they
 * require, and whole templates that do not render.
 */
export async function renderableTemplates(
  chart: string,
  lacks: readonly Lack[],
  checkout: Checkout,
): Promise<Map<string, string>> {
  const leftOut = new Set(lacks.flatMap(({ what, about }) => (what === 'template' ? [about] : [])))
  const refuses = lacks.some(({ what }) => what === 'refusal')
  if (leftOut.size === 0 && !refuses) return new Map()
  const charts = await chartWithLocals(checkout, chart)
  const files = charts.flatMap(({ folder }) => checkout.below(folder)).filter(isRendered)
  const texts = await checkout.texts(refuses ? files : files.filter((file) => leftOut.has(file)))
  return new Map(
    [...texts].flatMap(([file, text]) => {
      const own = leftOut.has(file) ? onlyDefinitions(text) : text
      const rendered = refuses ? withoutRefusals(own) : own
      return rendered === text ? [] : [[file, rendered] as const]
    }),
  )
}

/**
 * The values that templates of a chart read further below a missing one than that one is itself: they are missing, too, and
 * helm names only the first.
 *
 * @param missing `secrets.key`, where the chart has no `secrets`
 */
export async function valuesBeside(chart: string, missing: readonly string[], checkout: Checkout): Promise<string[]> {
  const starts = missing.map((one) => one.slice(0, one.lastIndexOf('.') + 1)).filter((start) => start !== '')
  if (starts.length === 0) return []
  const texts = await checkout.texts(checkout.below(path.join(chart, 'templates')).filter(isRendered))
  const words = [...texts.values()].flatMap(actionsOf).flatMap((action) => action.words)
  const read = words.flatMap(({ text }) => /^\$?\.Values\.([\w.]*\w)$/.exec(text)?.[1] ?? [])
  const isBelow = (one: string) =>
    starts.some((start) => one.startsWith(start) && one.slice(start.length).includes('.'))
  const deepest = (one: string, _: number, all: readonly string[]) => !all.some((other) => other.startsWith(`${one}.`))
  return [...new Set(read.filter(isBelow))].filter(deepest).filter((one) => !missing.includes(one))
}

/** Whether helm renders a file as a template: the notes of a chart, too. */
function isRendered(file: string): boolean {
  return isTemplate(file) || file.endsWith('/templates/NOTES.txt')
}

export function isTemplate(file: string): boolean {
  return `/${file}`.includes('/templates/') && ['.yaml', '.yml', '.tpl'].includes(path.extname(file))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The schemas of the values of a chart and of the charts in it that are missing or not met, as schemas of any values. */
export async function emptiedSchemas(
  chart: string,
  lacks: readonly Lack[],
  checkout: Checkout,
): Promise<Map<string, string>> {
  const ofSchemas = lacks.filter(({ what }) => what === 'schema')
  if (ofSchemas.length === 0) return new Map()
  const isUnmet = ofSchemas.some(isUnmetSchema)
  const charts = await chartWithLocals(checkout, chart)
  const texts = await checkout.texts(
    charts.map(({ folder }) => path.join(folder, 'values.schema.json')).filter((file) => checkout.has(file)),
  )
  // A schema that is no JSON keeps the chart from being installed with any values.
  const isLeftOut = (text: string) => (isUnmet && isJson(text)) || /"\$ref"\s*:\s*"https?:/.test(text)
  return new Map([...texts].flatMap(([file, text]) => (isLeftOut(text) ? [[file, '{}\n']] : [])))
}
