import path from 'node:path/posix'
import type { BlocksOfChart, ReadBlocks } from '../manifest/load'
import { isWithin, readsIn, type TemplateReads } from './template-reads'
import { dataIn, fieldsOf, listOf, textOf } from './untyped'

/** The values that any chart may be given: by the chart that includes it, and for its usual helpers. */
const ofAnyChart = ['enabled', 'fullnameOverride', 'nameOverride', 'namespaceOverride', 'tags']

/**
 * Finds, once it is asked for, the blocks of a chart's values that its templates never read whole, with the keys that they
 * read in them and those of the default values; undefined where that cannot be known.
 *
 * @param chart the folder of the chart, within the files
 */
export function blocksReadBy(chart: string, files: ReadonlyMap<string, Uint8Array>): BlocksOfChart {
  let known: { readonly blocks: ReadBlocks | undefined } | undefined
  return () => {
    known ??= { blocks: blocksIn(textsIn(chart, files)) }
    return known.blocks
  }
}

function textsIn(chart: string, files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, string> {
  const own = [...files].flatMap(([file, content]) => {
    const place = path.relative(chart, file)
    return isOfTemplates(place) ? [[place, new TextDecoder().decode(content)] as const] : []
  })
  return new Map(own)
}

/** Files outside of `templates/` may be read into one; the charts below read values of their own. */
function isOfTemplates(file: string): boolean {
  return !/^(?:\.\.|charts)\/|\.(?:md|lock|gotmpl|tgz|png|svg)$/.test(file)
}

function blocksIn(files: ReadonlyMap<string, string>): ReadBlocks | undefined {
  const metadata = dataIn(files.get('Chart.yaml') ?? '')
  const required = dataIn(files.get('requirements.yaml') ?? '')
  const defaults = dataIn(files.get('values.yaml') ?? '{}')
  const ofTemplates = readsIn(files.values())
  const isUnknown = defaults === undefined || JSON.stringify([metadata, required]).includes('import-values')
  if (!ofTemplates || isUnknown) return undefined
  const reads = withDependencies(
    ofTemplates,
    [metadata, required].flatMap((one) => listOf(fieldsOf(one).dependencies)),
  )
  return new Map(
    pathsOfBlocks(reads).map((block) => {
      const given = Object.keys(fieldsOf(block.reduce<unknown>((at, key) => fieldsOf(at)[key], defaults)))
      return [block.join('.'), new Set([...keysRead(reads, block), ...given])]
    }),
  )
}

/** Dependencies read what is below their names, and their conditions are values of the chart. */
function withDependencies({ whole, tested }: TemplateReads, dependencies: readonly unknown[]): TemplateReads {
  const names = dependencies.map(fieldsOf).flatMap(({ name, alias }) => [textOf(name), textOf(alias)])
  const conditions = dependencies.flatMap((one) => textOf(fieldsOf(one).condition).split(','))
  const read = [...ofAnyChart, 'global', ...names].filter(Boolean)
  return {
    whole: [...whole, ...read.map((name) => [name])],
    tested: [...tested, ...conditions.map((keys) => keys.trim().split('.')).filter(([first]) => first)],
  }
}

/** The paths above those that are read, other than those which are read whole. */
function pathsOfBlocks({ whole, tested }: TemplateReads): readonly (readonly string[])[] {
  const above = [...whole, ...tested].flatMap((keys) => keys.map((_, index) => keys.slice(0, index)))
  const blocks = new Map(above.map((keys) => [keys.join('.'), keys]))
  return [...blocks.values()].filter((block) => !whole.some((keys) => isWithin(block, keys)))
}

function keysRead({ whole, tested }: TemplateReads, block: readonly string[]): string[] {
  return [...whole, ...tested].flatMap((keys) => (isWithin(keys, block) ? (keys[block.length] ?? []) : []))
}
