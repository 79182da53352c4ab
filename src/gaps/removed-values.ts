import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { isMap, isScalar, type Node } from '../manifest/nodes'
import { regionAt } from '../render/tools/rendering'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import type { Definition } from '../template/definitions'
import { readValuesIn } from '../template/read-values'
import { writtenValuesIn } from '../template/written-values'
import { type ValuesContent, valueAt, valuesAt } from '../values/values-file'
import { unusedDefinitions } from './unused-definitions'

/**
 * Default values of a chart that this change removes while a template still writes them: helm leaves a gap in their place,
 * unless each release sets them. And blocks of values that it removes while a template still reads a value in them: helm fails
 * there, also where the line has a default.
 *
 * @param known the failures that are reported already
 */
export async function removedValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const file of changed)
    if (path.basename(file) === 'values.yaml' && [base, head].every((side) => isOfChart(file, side)))
      found.push(...(await removedFrom(file, base, head, known)))
  return notKnown(found, known)
}

function isOfChart(file: string, { checkout }: SideOfChange): boolean {
  return checkout.has(file) && checkout.has(path.join(path.dirname(file), 'Chart.yaml'))
}

async function removedFrom(
  file: string,
  base: SideOfChange,
  head: SideOfChange,
  known: readonly Finding[],
): Promise<Finding[]> {
  const chart = path.join(file, '..').replace(/^\.$/, '')
  const [before, after] = await Promise.all([valuesAt(file, base.checkout), valuesAt(file, head.checkout)])
  if (!before || !after) return []
  const isRemoved = (keys: readonly string[]) => isGiven(valueAt(keys, before)) && !valueAt(keys, after)
  const found = new Map<string, Finding>()
  const others = await valuesOfOthers(chart, file, head)
  const files = head.checkout.below(path.join(chart, 'templates')).filter((one) => /\.(?:ya?ml|tpl)$/.test(one))
  const templates = await head.checkout.texts(files)
  const { dependencies, library } = await readChart(head.checkout, chart)
  // Helm gives them values from elsewhere.
  const ofOthers = new Set(['global', ...dependencies.flatMap((one) => [one.name, one.as])])
  const removedBlockOf = (keys: readonly string[]) => {
    const depth = keys.findIndex((_, at) => !valueAt(keys.slice(0, at + 1), after))
    const block = keys.slice(0, depth + 1)
    const isBlock = depth !== -1 && depth < keys.length - 1 && isMap(valueAt(block, before))
    return isBlock && !ofOthers.has(block[0] ?? '') && !others.some((one) => gives(block, one, chart))
      ? block
      : undefined
  }
  const isNews = (value: string) => removedBlockOf(value.split('.')) !== undefined || isRemoved(value.split('.'))
  const isAsked = (template: string, { from, to }: Definition) =>
    readValuesIn(templates.get(template) ?? '').some((one) => from < one.from && one.from < to && isNews(one.value))
  // Charts of other repositories may include what a library defines.
  const isUnused = library ? () => false : await unusedDefinitions(templates, isAsked, head.checkout)
  const blocks = blocksReadIn(templates, removedBlockOf, isUnused)
  for (const [block, { places, isAsked }] of blocks) {
    const [first] = places
    if (!first || isAsked) continue
    const { template, text, from } = first
    const finding = gateFinding('source/unrendered', 'value-removed', 'warning', {
      side: 'head',
      path: template,
      region: regionAt(text, from),
      fileText: text,
      keys: [file, block],
      status: 'introduced',
      text: `This change removes ${block} from ${file}, and this line still reads a value in it, so helm fails with a nil pointer as soon as it reaches the line, for each release that does not set ${block}. Keep the values, have the line read those that replace them, or remove the line.`,
    })
    if (!places.some((place) => isAt(place, known))) found.set(block, finding)
  }
  for (const [template, text] of templates) {
    if (!/(?:^|\/)[^_][^/]*\.ya?ml$/.test(template)) continue
    for (const { value, from } of writtenValuesIn(text)) {
      const keys = value.split('.')
      const isInBlock = keys.some((_, at) => blocks.has(keys.slice(0, at).join('.')))
      if (
        isUnused(template, from) ||
        isInBlock ||
        found.has(value) ||
        !isRemoved(keys) ||
        others.some((one) => gives(keys, one, chart))
      )
        continue
      found.set(
        value,
        gateFinding('source/unrendered', 'value-removed', 'warning', {
          side: 'head',
          path: template,
          region: regionAt(text, from),
          fileText: text,
          keys: [file, value],
          status: 'introduced',
          text: `This change removes the value ${value} from ${file}, and this line still writes it, so helm leaves a gap here for each release that does not set it. Keep the value, have the line read the value that replaces it, or remove the line.`,
        }),
      )
    }
  }
  return [...found.values()]
}

interface Place {
  readonly template: string
  readonly text: string
  readonly from: number
}

/** A block of values that is gone, with the places that read a value in it. */
interface ReadBlock {
  readonly places: Place[]
  /** A template asks first whether there is the block. */
  readonly isAsked: boolean
}

/** The blocks that templates still read values in, by their paths. */
function blocksReadIn(
  templates: ReadonlyMap<string, string>,
  removedBlockOf: (keys: readonly string[]) => readonly string[] | undefined,
  isUnused: (template: string, from: number) => boolean,
): ReadonlyMap<string, ReadBlock> {
  const reads = [...templates].flatMap(([template, text]) =>
    readValuesIn(text).flatMap(({ value, from }) =>
      isUnused(template, from) ? [] : [{ value, template, text, from }],
    ),
  )
  const read = new Set(reads.map(({ value }) => value))
  const found = new Map<string, ReadBlock>()
  for (const { value, ...place } of reads) {
    const keys = removedBlockOf(value.split('.'))
    if (!keys) continue
    const block = keys.join('.')
    const name = `"${keys.at(-1)}"`
    const isAsked = () => read.has(block) || [...templates.values()].some((text) => text.includes(name))
    const known = found.get(block) ?? { places: [], isAsked: isAsked() }
    known.places.push(place)
    found.set(block, known)
  }
  return found
}

function isAt({ template, text, from }: Place, known: readonly Finding[]): boolean {
  const line = regionAt(text, from).startLine
  return known.some(({ location }) => location.path === template && location.region.startLine === line)
}

/** The values of this chart's releases, and those of the charts around it. */
async function valuesOfOthers(chart: string, own: string, side: SideOfChange): Promise<ValuesContent[]> {
  const files = side.discovery.sources.flatMap((source) => {
    if (source.kind !== 'helm' || source.fetched) return []
    const isAround = source.chart === '' || source.chart === chart || chart.startsWith(`${source.chart}/`)
    const defaults = path.join(source.chart, 'values.yaml')
    return isAround ? [defaults, ...source.values.flatMap((one) => ('path' in one ? [one.path] : []))] : []
  })
  const read = await Promise.all(
    [...new Set(files)].filter((file) => file !== own).map((file) => valuesAt(file, side.checkout)),
  )
  return read.flatMap((values) => values ?? [])
}

/** Whether values give a chart a value, as its own or as that of a dependency. */
function gives(keys: readonly string[], values: ValuesContent, chart: string): boolean {
  return [keys, [path.basename(chart), ...keys]].some((one) => valueAt(one, values) !== undefined)
}

function isGiven(node: Node | undefined): boolean {
  return isScalar(node) && node.value !== null && node.value !== ''
}
