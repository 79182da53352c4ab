import { isMoved } from '../../gaps/moved'
import { lackOf } from '../../render/tools/lacking'
import { type Failure, isUnparsable } from '../../render/tools/rendering'
import { withIgnored } from '../../sides/ignored-files'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { RemoteEntry } from '../../sources/kustomization'
import { isOutOfScope, isSameLack, isUnmetSchema, type Lack } from '../../sources/lack'
import type { Sides } from './open-sides'

/** The number of messages on missing parts of a side that are followed; most come only when the parts before are left out. */
const maxLacks = 16

/** The number for a chart that this change does not reach: such charts are rendered for what others may need of them. */
const maxLacksOfPartners = 2

/** The two sides of a source, as far as they exist. */
export interface Pair {
  readonly before: RenderedSide | undefined
  readonly after: RenderedSide | undefined
}

/**
 * Reads the sources that are not rendered whole: without the missing parts, or, if the base does not render either,
 * from their files. Both sides are read in the same way, so that nothing seems added or removed.
 */
export async function readInPart(
  sides: Pick<Sides, 'base' | 'head'>,
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
): Promise<{ before: RenderedSide[]; after: RenderedSide[] }> {
  const pairs = await Promise.all(pairsOf(before, after).map((pair) => inPart(sides, pair)))
  return { before: pairs.flatMap((pair) => pair.before ?? []), after: pairs.flatMap((pair) => pair.after ?? []) }
}

/** A source that this change does not reach, read as far as it can be. */
export async function readableSide(head: SideOfChange, side: RenderedSide): Promise<RenderedSide> {
  const most = side.source.kind === 'helm' ? maxLacksOfPartners : maxLacks
  return (await inPart({ base: undefined, head }, { before: undefined, after: side }, most)).after ?? side
}

export function pairsOf(before: readonly RenderedSide[], after: readonly RenderedSide[]): Pair[] {
  const byId = new Map(before.map((side) => [side.source.id, side]))
  const own = new Map<RenderedSide, RenderedSide>()
  const taken = new Set<RenderedSide>()
  for (const side of after) {
    const was = byId.get(side.source.baseSourceId ?? side.source.id)
    if (!was || taken.has(was)) continue
    taken.add(was)
    own.set(side, was)
  }
  for (const side of after) {
    if (own.has(side) || side.source.baseSourceId !== undefined) continue
    const was = before.find((one) => !taken.has(one) && isMoved(one.source, side.source))
    if (!was) continue
    taken.add(was)
    own.set(side, was)
  }
  return [
    ...after.map((side): Pair => ({ before: own.get(side), after: side })),
    ...before.flatMap((side): Pair[] => (taken.has(side) ? [] : [{ before: side, after: undefined }])),
  ]
}

async function inPart({ base, head }: Pick<Sides, 'base' | 'head'>, whole: Pair, most = maxLacks): Promise<Pair> {
  const pair = await ignoring({ base, head }, whole)
  const failures = [pair.before?.failure, pair.after?.failure].filter((failure) => failure !== undefined)
  // A tool that is missing or was stopped shows nothing about the source.
  if (failures.length === 0 || failures.some(({ cause }) => unfit.has(cause))) return pair
  const { before, after } = pair
  // Flux takes an emptied Kustomization for one without objects, and removes all that it had applied.
  if (after?.failure?.isEmpty && before && !before.failure)
    return { before, after: asPart({ ...after, failure: undefined }, after, 'reduced', []) }
  const reduced = await withoutLacks({ base, head }, pair, most)
  return isPart(reduced) ? reduced : asWritten({ base, head }, reduced)
}

/**
 * A pair whose failures say where Git ignores the missing file. What Argo CD and Flux deploy, they clone: only a source that has
 * such files at the base already is deployed by somebody who has them.
 */
async function ignoring(
  sides: Pick<Sides, 'base' | 'head'>,
  { before, after }: Pair,
  lacks: readonly Lack[] = [],
): Promise<Pair> {
  const was = await withIgnored(before, sides)
  const isKnown = lacks.some(isIgnored) || (was?.failure?.lack !== undefined && isIgnored(was.failure.lack))
  const isCloned =
    sides.base !== undefined && after !== undefined && sides.head.discovery.deployers.has(after.source.id)
  return { before: was, after: isKnown || !isCloned ? await withIgnored(after, sides, before === undefined) : after }
}

function isIgnored({ what }: Lack): boolean {
  return what === 'ignored'
}

/** Whether a pair was rendered without its missing parts. */
function isPart({ before, after }: Pair): boolean {
  return [before, after].some((side) => side?.partial !== undefined)
}

async function asWritten({ base, head }: Pick<Sides, 'base' | 'head'>, pair: Pair): Promise<Pair> {
  // If the base renders whole and the head does not, this is an error, and the head's objects are unknown.
  if (pair.before && !pair.before.failure) return pair
  // A source that only the head renders whole is judged as if it were new.
  if (!pair.after?.failure) return pair
  // Manifests that become templates of a new chart which does not render may be deployed no more.
  if (base && !pair.before && pair.after.source.kind === 'helm') return pair
  const [was, is] = await Promise.all([
    pair.before && base?.readAsWritten(pair.before.source),
    head.readAsWritten(pair.after.source),
  ])
  return {
    before: was && withRemote(asPart(was, pair.before, 'written', []), remoteOf(pair.before)),
    after: withRemote(asPart(is, pair.after, 'written', []), remoteOf(pair.after)),
  }
}

const unfit: ReadonlySet<string> = new Set(['tool-missing', 'tool-stopped', 'too-many-objects'])

/**
 * A pair, rendered without its missing parts. If that fails, too, and because a template cannot be parsed, this is why it does
 * not render: it would not with its missing parts either.
 */
async function withoutLacks({ base, head }: Pick<Sides, 'base' | 'head'>, pair: Pair, most: number): Promise<Pair> {
  let lacks: Lacks = { before: [], after: [] }
  let sides = pair
  const remote = { before: remoteOf(pair.before), after: remoteOf(pair.after) }
  for (let followed = 0; followed < 2 * most; ) {
    let found = withMore(lacks, sides, pair)
    if (countOf(found) === countOf(lacks)) {
      const broken = brokenHead(sides, pair, lacks)
      if (broken) return broken
      found = withoutTemplates(lacks, sides)
      if (countOf(found) === countOf(lacks)) break
    }
    followed += countOf(found) - countOf(lacks)
    lacks = await withOthers({ base, head }, lacks, found, pair)
    const [was, is] = await Promise.all([
      pair.before && base?.renderWithout(pair.before.source, lacks.before),
      pair.after && head.renderWithout(pair.after.source, lacks.after),
    ])
    if (!was?.failure && !is?.failure)
      return {
        before: was && withRemote(asPart(was, pair.before, 'reduced', lacks.before), remote.before),
        after: is && withRemote(asPart(is, pair.after, 'reduced', lacks.after), remote.after),
      }
    sides = await ignoring({ base, head }, { before: was, after: is }, lacks.before)
    remote.before.push(...remoteOf(was))
    remote.after.push(...remoteOf(is))
  }
  return (
    brokenHead(sides, pair, lacks) ?? {
      before: unparsed(pair.before, sides.before),
      after: unparsed(pair.after, sides.after),
    }
  )
}

/** The missing parts of each side: all of them are left out of both, but for values, as the other side may have them. */
interface Lacks {
  readonly before: readonly Lack[]
  readonly after: readonly Lack[]
}

function countOf({ before, after }: Lacks): number {
  return before.length + after.length
}

function withMore(lacks: Lacks, { before, after }: Pair, whole: Pair): Lacks {
  const was = before?.failure && lackOf(before.failure)
  const found = after?.failure && lackOf(after.failure)
  // What the change refuses, or reads in a supposed release without a default, is the fault to show.
  const isRefused = found?.what === 'refusal' || (found !== undefined && isUnmetSchema(found))
  const mayBeNew = isRefused || (found?.what === 'value' && after?.source.origin === 'probed')
  const isNew = mayBeNew && before !== undefined && !before.failure
  const is = isNew ? undefined : found
  // A head that has all values is judged whole, as if it were new.
  const isWhole = whole.after !== undefined && !whole.after.failure
  const ofBase = was?.what === 'value' && isWhole ? undefined : was
  const forBoth = [ofBase, is].filter((lack) => lack !== undefined && lack.what !== 'value')
  return { before: merged(lacks.before, [ofBase, ...forBoth]), after: merged(lacks.after, [is, ...forBoth]) }
}

/** Where kustomize names an object that a patch does not find, adds the others that are missing: it names one at a time. */
async function withOthers(
  { base, head }: Pick<Sides, 'base' | 'head'>,
  known: Lacks,
  found: Lacks,
  { before, after }: Pair,
): Promise<Lacks> {
  const isNews = (some: readonly Lack[], less: readonly Lack[]) =>
    some.slice(less.length).some(({ what }) => what === 'object')
  const [was, is] = await Promise.all([
    before && isNews(found.before, known.before) ? base?.missingObjects(before.source) : undefined,
    after && isNews(found.after, known.after) ? head.missingObjects(after.source) : undefined,
  ])
  const others = [...(was ?? []), ...(is ?? [])]
  return { before: merged(found.before, others), after: merged(found.after, others) }
}

function merged(lacks: readonly Lack[], more: readonly (Lack | undefined)[]): readonly Lack[] {
  const found = [...lacks]
  for (const lack of more) if (lack && !found.some((one) => isSameLack(one, lack))) found.push(lack)
  return found
}

function isUnparsed(side: RenderedSide | undefined): boolean {
  return side?.failure !== undefined && isUnparsable(side.failure)
}

function unparsed(whole: RenderedSide | undefined, reduced: RenderedSide | undefined): RenderedSide | undefined {
  const failure = reduced?.failure
  if (!whole || !failure) return whole
  // What fails apart from a file that Git ignores fails where the file is, too.
  const isBehind = whole.failure?.lack?.what === 'ignored' && !unfit.has(failure.cause) && lackOf(failure) === undefined
  return isBehind || isUnparsable(failure) ? { ...whole, failure } : whole
}

/**
 * Leaves out, on both sides, the templates that do not render with the known values: those of a chart without a known
 * release, or without a library.
 */
function withoutTemplates(lacks: Lacks, { before, after }: Pair): Lacks {
  // What only the head does not render, without any part missing, is the fault of the change.
  if (before && !before.failure && (lacks.before.length === 0 || before.source.origin === 'probed')) return lacks
  // So is a template that the head alone cannot parse, whatever else is missing on both sides.
  if (before && isUnparsed(after) && !isUnparsed(before)) return lacks
  const lackIn = (side: RenderedSide | undefined): Lack[] => {
    const { failure, source } = side ?? {}
    if (failure?.cause !== 'tool-failed' || source?.kind !== 'helm') return []
    // A new chart with a template that cannot be parsed fails in each release.
    if (!before && isUnparsable(failure)) return []
    if (source.origin !== 'discovered' && source.origin !== 'probed') return []
    const { path } = failure
    const isOwn = path.startsWith(source.chart === '' ? '' : `${source.chart}/`) && `/${path}`.includes('/templates/')
    return isOwn && !path.endsWith('.tpl') && failure.lack?.what !== 'refusal'
      ? [{ what: 'template', about: path }]
      : []
  }
  // Helm names one template at a time. Without that of the base, the base may render whole, and then the one that the
  // head names is the fault of the change.
  const ofBase = lackIn(before)
  const found = ofBase.length > 0 ? ofBase : lackIn(after)
  return { before: merged(lacks.before, found), after: merged(lacks.after, found) }
}

/** Messages of helm on what may come from a missing part: a value that is not there, and text around one. */
const mayBeOfParts = /nil pointer|<nil>|YAML/

/**
 * A source that renders without its missing parts at the base, and at the head does not for another reason: that one is
 * the change's.
 */
function brokenHead({ before, after }: Pair, whole: Pair, lacks: Lacks): Pair | undefined {
  const failure = after?.failure
  if (!failure || !before || before.failure || !whole.after || lacks.before.length === 0) return undefined
  if (unfit.has(failure.cause) || failure.remote || lackOf(failure) !== undefined) return undefined
  // The missing dependency may define the template.
  const isDependent = lacks.after.some(({ what }) => what === 'dependency')
  if (isDependent && failure.reason.includes(': no template "')) return undefined
  // Another tool may have the function that helm does not know.
  if (failure.reason.includes('parse error at ') && !isUnparsable(failure)) return undefined
  if (before.source.kind === 'helm' && mayBeOfParts.test(failure.reason))
    if (!isOfTemplate(failure, lacks) && !isOfSamples(before)) return undefined
  return { before: asPart(before, whole.before, 'reduced', lacks.before), after: { ...whole.after, failure } }
}

/**
 * Whether such a message is certainly on the template: it reads the values where they are not, or its output is no YAML
 * with the placeholders with which that of the base is.
 */
function isOfTemplate({ reason }: Failure, { before, after }: Lacks): boolean {
  if (isOutOfScope(reason)) return true
  const isOfOthers = ({ what }: Lack) => what === 'value' || what === 'refusal' || what === 'template'
  const isSame = after.every((lack) => before.some((one) => isSameLack(one, lack)))
  return reason.includes('YAML parse error on ') && isSame && after.every(isOfOthers)
}

/** Whether a chart is rendered with supposed values, and all templates of it that are rendered have what they use. */
function isOfSamples({ source, objects }: RenderedSide): boolean {
  return source.origin === 'probed' && objects.every(({ origin }) => origin.kind === 'rendered' && !origin.unbuilt)
}

function asPart(
  side: RenderedSide,
  whole: RenderedSide | undefined,
  manner: 'reduced' | 'written',
  lacks: readonly Lack[],
): RenderedSide {
  return { ...side, partial: { manner, failure: whole?.failure, lacks } }
}

/** The remote entries that a failure names: those of plugins are known only by it. */
function remoteOf(side: RenderedSide | undefined): RemoteEntry[] {
  return [...(side?.failure?.remote ?? [])]
}

function withRemote(side: RenderedSide, named: readonly RemoteEntry[]): RenderedSide {
  const entries = new Map([...side.remote, ...named].map((entry) => [JSON.stringify(entry), entry]))
  return { ...side, remote: [...entries.values()] }
}
