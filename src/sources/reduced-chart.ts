import path from 'node:path/posix'
import { isMap, isSeq, parseDocument } from 'yaml'
import type { Checkout } from '../revision/checkout'
import { chartWithLocals } from './chart'
import type { Lack } from './lack'
import { definitionsOfMissing } from './missing-templates'

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

/**
 * A template of a chart, with definitions of the named templates that the dependencies which are left out would have.
 *
 * @returns none if the chart misses no template, or a packed chart in it may have them
 */
export async function completedTemplate(chart: string, checkout: Checkout): Promise<Map<string, string>> {
  const charts = await chartWithLocals(checkout, chart)
  const files = charts.flatMap(({ folder }) => checkout.below(folder))
  if (files.some((file) => file.endsWith('.tgz'))) return new Map()
  const texts = await checkout.texts(files.filter(isTemplate))
  const definitions = definitionsOfMissing([...texts.values()])
  const own = [...texts].filter(([file]) => path.dirname(file).startsWith(path.join(chart, 'templates')))
  const [file, text] = own.find(([one]) => one.endsWith('.tpl')) ?? own[0] ?? []
  return file === undefined || !definitions ? new Map() : new Map([[file, `${text}\n${definitions}`]])
}

function isTemplate(file: string): boolean {
  return `/${file}`.includes('/templates/') && ['.yaml', '.yml', '.tpl'].includes(path.extname(file))
}

/** The schemas of the values of a chart and of the charts in it that take in a part from elsewhere, as schemas of any values. */
export async function emptiedSchemas(chart: string, checkout: Checkout): Promise<Map<string, string>> {
  const charts = await chartWithLocals(checkout, chart)
  const texts = await checkout.texts(
    charts.map(({ folder }) => path.join(folder, 'values.schema.json')).filter((file) => checkout.has(file)),
  )
  return new Map([...texts].flatMap(([file, text]) => (/"\$ref"\s*:\s*"https?:/.test(text) ? [[file, '{}\n']] : [])))
}
