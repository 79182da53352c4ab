import path from 'node:path/posix'
import { abridged } from '../../listing'
import { otherName, underOtherNameId } from '../../manifest/assumption'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { readChart } from '../../sources/chart'
import type { HelmSource, Source } from '../../sources/source'
import { dataIn } from '../../sources/untyped'
import { accountNamesIn } from './account-names'
import { apiMark, type Wish } from './branches'
import { examplesIn } from './example-values'
import type { Sides } from './open-sides'
import { readInPart } from './read-in-part'
import { type Sample, samplesIn } from './samples'
import { type Switches, switchesIn, type TemplateText } from './switches'
import { valuesAround } from './values-around'

/**
 * Adds further renderings of the charts that no known release installs: with the values of their tests, and, of those
 * that the change touches, with the switches on that are off by default. Both sides get the same ones.
 *
 * @param known the releases with switches, for a trial: a part of the change that is taken back must not change them
 */
export async function withProbes(sides: Sides, known?: readonly HelmSource[]): Promise<Sides> {
  const { base, head, shard } = sides
  const isOwn = (source: Source) => !shard || shard.renders(source)
  const charts = { base: base && chartsIn(base, isOwn), head: chartsIn(head, isOwn) }
  const switchedOf = ([folder, own]: [string, HelmSource]) =>
    base ? switchedReleases(own, charts.base?.has(folder) ? base : undefined, head) : []
  const switched = known ?? (await Promise.all([...charts.head].map(switchedOf))).flat()
  const adding = (side: SideOfChange, own: ReadonlyMap<string, HelmSource>) => {
    const tests = [...own.values()].flatMap((chart) => testReleases(chart, side))
    const probes = [...tests, ...switched.filter(({ chart }) => own.has(chart))]
    return probes.length > 0 ? side.withReleases(probes, new Map()) : side
  }
  const all = new Set([...(charts.base?.keys() ?? []), ...charts.head.keys()])
  const renders = (source: Source) =>
    source.kind === 'helm' && source.origin === 'probed' ? all.has(source.chart) : isOwn(source)
  return {
    ...sides,
    base: base && charts.base && (await adding(base, charts.base)),
    head: await adding(head, charts.head),
    switched,
    ...(shard ? { shard: { ...shard, renders } } : {}),
  }
}

/** The charts that no known release installs, by folder: each with its default values. */
function chartsIn({ discovery }: SideOfChange, isOwn: (source: Source) => boolean): Map<string, HelmSource> {
  const found = new Map<string, HelmSource>()
  for (const source of discovery.sources)
    if (source.kind === 'helm' && source.origin === 'discovered' && isOwn(source) && !found.has(source.chart))
      found.set(source.chart, source)
  return found
}

/** The releases of a chart with the values of its tests, where chart-testing reads them. */
function testReleases(own: HelmSource, { checkout }: SideOfChange): HelmSource[] {
  const files = checkout.below(path.join(own.chart, 'ci'))
  return files
    .filter((file) => /^[^/]*-?values\.ya?ml$/.test(file.slice(path.join(own.chart, 'ci').length + 1)))
    .map((file) => ({
      ...own,
      id: `chart:${own.chart}:${file}`,
      origin: 'probed' as const,
      target: { cluster: `${own.chart || own.release} with ${path.join('ci', path.basename(file))}` },
      values: [{ path: file }],
      supposed: `the values of ${file}`,
    }))
}

/**
 * The releases of a chart with its switches on, and with samples; with fewer of them, where not all can be together.
 *
 * @param base the side of the base, if it has the chart; of a new chart, only what renders is judged
 */
async function switchedReleases(
  own: HelmSource,
  base: SideOfChange | undefined,
  head: SideOfChange,
): Promise<HelmSource[]> {
  if (base?.keys.get(own.id) === head.keys.get(own.id)) return []
  const { switches, samples, isNamed, accountNames, valuesBeyond } = await supposedOf(own, base, head)
  const isSwitched = switches.all.length > 0 || switches.withoutDefault.length > 0 || samples.length > 0
  if (!isSwitched && !isNamed && valuesBeyond({}).length === 0) return []
  const plain = { ...own, values: [] }
  const rendered = async (source: HelmSource): Promise<Rendered> => {
    const [before, after] = await Promise.all([base?.render(source), head.render(source)])
    const readable = await readInPart({ base, head }, before ? [before] : [], [after])
    const is = readable.after[0] ?? after
    return { source, was: readable.before[0] ?? before ?? is, is }
  }
  const defaults = await rendered(plain)
  if (isRefused(defaults.was) || isRefused(defaults.is)) return []
  const { all, ofRoutes, withoutDefault } = switches
  const found: HelmSource[] = []
  let whole = defaults
  const sets = [[...all, ...withoutDefault], all, ofRoutes].filter(
    (paths, at, those) => paths.length > 0 && paths.length !== those[at - 1]?.length,
  )
  for (const paths of sets) {
    const tried = await rendered(switchedOn(plain, paths))
    if (isRefused(tried.was)) continue
    const isWhole = !isRefused(tried.is)
    if (isWhole) whole = tried
    const isGuessed = paths.length > all.length
    if (isWhole || (!isByChart(tried.is) && !(isGuessed && mayLack(tried.is)))) found.push(tried.source)
    if (isWhole) break
  }
  const sampled = await sampledRelease(whole, samples, rendered)
  if (sampled) found.push(sampled.source)
  for (const wish of valuesBeyond((sampled ?? whole).source.set ?? {})) {
    const aimed = await rendered(withWish((sampled ?? whole).source, wish))
    // A new chart may need more values than those.
    const isOfChange = !isRefused(aimed.is) || (base !== undefined && !isByChart(aimed.is) && !mayLack(aimed.is))
    if (!isRefused(aimed.was) && isOfChange) found.push(aimed.source)
  }
  if (isNamed) {
    const named = await rendered(underOtherName((sampled ?? whole).source, accountNames))
    if (!isRefused(named.was) && !isRefused(named.is)) found.push(named.source)
  }
  return found
}

interface Rendered {
  readonly source: HelmSource
  readonly was: RenderedSide
  readonly is: RenderedSide
}

/** The number of tries to render a chart with samples, of both sides each: a bound on the time that they take. */
const tries = 3

/** A release with samples, without those of templates that the base does not render with them. */
async function sampledRelease(
  { source, was }: Rendered,
  samples: readonly Sample[],
  rendered: (source: HelmSource) => Promise<Rendered>,
): Promise<Rendered | undefined> {
  const known = new Set(faultsOf(was))
  let left = samples
  for (let count = 0; count < tries && left.length > 0; count++) {
    const tried = await rendered(withSamples(source, left))
    const unknown = faultsOf(tried.was).filter((file) => !known.has(file))
    // What only the head does not render is left out of both sides, after the first fault of the base.
    const first = unknown.find((file) => tried.was.partial?.failure?.path.endsWith(`/${file}`))
    const faults = first === undefined ? unknown : [first]
    const fewer = left.filter(({ files }) => !faults.some((file) => files.has(file)))
    if (fewer.length === left.length) {
      const isShown = !isRefused(tried.was) && !(isRefused(tried.is) && isByChart(tried.is))
      return isShown ? tried : undefined
    }
    left = fewer
  }
  return undefined
}

/** The templates that do not render, by their paths in the chart. */
function faultsOf({ source, failure, partial }: RenderedSide): string[] {
  const folder = source.kind === 'helm' && source.chart !== '' ? `${source.chart}/` : ''
  const lacking = partial?.lacks.flatMap(({ what, about }) => (what === 'template' ? [about] : [])) ?? []
  return [...lacking, ...(failure ? [failure.path] : [])].map((file) => file.slice(folder.length))
}

/** Whether a release cannot be rendered, not even without what is missing of its chart. */
function isRefused({ failure, partial }: RenderedSide): boolean {
  return failure !== undefined || partial?.manner === 'written'
}

/** Whether the chart itself refuses the values: by `fail` or `required`, or by its schema. */
function isByChart({ failure }: RenderedSide): boolean {
  return /execution error at|meet the specifications of the schema/.test(failure?.reason ?? '')
}

/** Whether a release may fail because only guessed values are set: a release with them sets other values, too. */
function mayLack({ failure }: RenderedSide): boolean {
  return (
    failure === undefined ||
    failure.lack !== undefined ||
    /nil pointer|<nil>|YAML|\bbool\b|over true/.test(failure.reason)
  )
}

function switchedOn(plain: HelmSource, paths: readonly string[]): HelmSource {
  const written = paths.map((one) => `${one}=true`)
  return {
    ...plain,
    id: `chart:${plain.chart}:${written.join()}`,
    origin: 'probed',
    target: { cluster: `${plain.chart || plain.release} with ${abridged(written)}` },
    set: Object.fromEntries(paths.map((one) => [one, true])),
    supposed: abridged(written, 5),
  }
}

/**
 * A release under another name than the chart's, with ServiceAccounts of other names. Templates that make a name in two
 * ways often agree only where both names are the same.
 */
function underOtherName(source: HelmSource, accountNames: Readonly<Record<string, string>>): HelmSource {
  const written = Object.entries(accountNames).map(([path, name]) => `${path}=${name}`)
  const others = [abridged(written), source.supposed].filter(Boolean)
  return {
    ...source,
    id: underOtherNameId(source.id),
    origin: 'probed',
    target: { cluster: `${source.chart || source.release} as ${otherName}` },
    release: otherName,
    set: { ...source.set, ...accountNames },
    supposed: [`the name ${otherName}`, ...others].join(' and '),
  }
}

function withWish(source: HelmSource, wish: Wish): HelmSource {
  const isApi = (key: string) => key.startsWith(apiMark)
  const apiVersions = [...wish.keys()].filter(isApi).map((key) => key.slice(apiMark.length))
  const values = [...wish].filter(([key]) => !isApi(key))
  const written = [...apiVersions.map((one) => `the API ${one}`), ...values.map(([path, value]) => `${path}=${value}`)]
  return {
    ...source,
    id: `${source.id}:for:${written.join()}`,
    origin: 'probed',
    target: { cluster: `${source.chart || source.release} for ${abridged(written)}` },
    set: { ...source.set, ...Object.fromEntries(values) },
    ...(apiVersions.length > 0 ? { apiVersions: [...(source.apiVersions ?? []), ...apiVersions] } : {}),
    supposed: [abridged(written, 5), source.supposed].filter(Boolean).join(', '),
  }
}

function withSamples(source: HelmSource, samples: readonly Sample[]): HelmSource {
  const written = samples.map(({ path: key, value }) => `${key}=${JSON.stringify(value)}`)
  const shown = samples.map(({ path: key, value, isExample }) =>
    isExample ? `the example of ${key} in a comment of its values` : `${key}=${JSON.stringify(value)}`,
  )
  const supposed = [source.supposed, abridged(shown, 5)].filter(Boolean).join(', ')
  return {
    ...source,
    id: `${source.id}:${written.join()}`,
    origin: 'probed',
    target: {
      cluster: `${source.chart || source.release} with samples of ${abridged(samples.map((one) => one.path))}`,
    },
    set: { ...source.set, ...Object.fromEntries(samples.map(({ path: key, value }) => [key, value])) },
    supposed,
  }
}

interface Supposed {
  readonly switches: Switches
  readonly samples: readonly Sample[]
  /** Whether its templates write the name of the release. */
  readonly isNamed: boolean
  /** Names for its ServiceAccounts, by the paths of their values. */
  readonly accountNames: Readonly<Record<string, string>>
  /** The values with which helm comes to changed lines that it does not come to with others. */
  valuesBeyond(set: Readonly<Record<string, unknown>>): readonly Wish[]
}

/** The switches of a chart, and samples for its values; the former are those of the templates of its own. */
async function supposedOf(own: HelmSource, base: SideOfChange | undefined, head: SideOfChange): Promise<Supposed> {
  const sides = base ? [base, head] : [head]
  const read = await Promise.all(sides.map((side) => textsOf(own, side)))
  const [was, is] = base ? read.map(({ templates }) => templates) : []
  const templates = read.flatMap(({ templates: its }) =>
    [...its].map(([file, text]): TemplateText => {
      const isChanged = !base || was?.get(file) !== is?.get(file)
      const onOther = was && is ? ((text === is.get(file) ? was : is).get(file) ?? '') : ''
      const other = isChanged ? onOther : undefined
      return { file, text, above: keysAbove(file), isChanged, ...(other === undefined ? {} : { other }) }
    }),
  )
  const values = read.flatMap((one) => one.values)
  const { all, ofRoutes, withoutDefault, removing } = switchesIn(
    read.map((one) => one.values),
    templates,
  )
  const elsewhere = new Set((await Promise.all(sides.map((side) => conditionsOf(own, side)))).flat())
  const isHere = (one: string) => !elsewhere.has(one)
  const isEdited = templates.some(({ isChanged }) => isChanged)
  return {
    switches: {
      all: all.filter(isHere),
      ofRoutes: ofRoutes.filter(isHere),
      withoutDefault: base ? withoutDefault : [],
      removing,
    },
    samples: isEdited ? samplesIn(values, templates, new Map(read.flatMap((one) => [...one.examples]))) : [],
    valuesBeyond: (set) =>
      valuesAround(
        read.map((one) => one.values),
        templates,
        set,
        removing,
      ),
    accountNames: accountNamesIn(values, templates),
    isNamed: isEdited && templates.some(({ text }) => text.includes('.Release.Name')),
  }
}

/** The switches of the charts that a chart includes and that are not among its files: their objects are not its own. */
async function conditionsOf({ chart }: HelmSource, { checkout }: SideOfChange): Promise<string[]> {
  const { dependencies } = await readChart(checkout, chart)
  const others = dependencies.filter(({ name }) => !checkout.has(path.join(chart, 'charts', name, 'Chart.yaml')))
  return others.flatMap(({ condition }) => condition.split(',').map((one) => one.trim()))
}

/** The templates of a chart, by their paths in it, and its values and their examples with those of the charts in its `charts/`. */
async function textsOf({ chart }: HelmSource, { checkout }: SideOfChange) {
  const start = chart === '' ? 0 : chart.length + 1
  const files = checkout.below(chart).filter((file) => isRead(file.slice(start)))
  const texts = [...(await checkout.texts(files))].map(([file, text]) => [file.slice(start), text] as const)
  return {
    templates: new Map(texts.filter(([file]) => !file.endsWith('values.yaml'))),
    examples: new Map(
      texts.flatMap(([file, text]) => {
        const above = keysAbove(file)
        const shown = file.endsWith('values.yaml') ? [...examplesIn(text)] : []
        return shown.map(([key, value]) => [[...above, key].join('.'), value] as const)
      }),
    ),
    values: texts.flatMap(([file, text]) => {
      if (!file.endsWith('values.yaml')) return []
      return keysAbove(file).reduceRight<unknown>((inner, key) => ({ [key]: inner }), dataIn(text))
    }),
  }
}

/** Whether a file of a chart, or of one in its `charts/`, has values or is rendered with a release. */
function isRead(file: string): boolean {
  if (/\/tests?\//.test(file) || file.endsWith('NOTES.txt')) return false
  return /^(?:charts\/[^/]+\/)*(?:values\.yaml$|templates\/)/.test(file)
}

/** `api` of `charts/api/templates/ingress.yaml`: the key of the values that a chart in another one gets. */
function keysAbove(file: string): string[] {
  const keys: string[] = []
  for (let rest = file; rest.startsWith('charts/'); ) {
    const [, key = '', ...below] = rest.split('/')
    keys.push(key)
    rest = below.join('/')
  }
  return keys
}
