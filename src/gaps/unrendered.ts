import { append } from '../append'
import { gateFinding } from '../finding/gate-finding'
import type { Finding, Skipped } from '../finding/report'
import { abridged } from '../listing'
import { type Manifest, nameOf } from '../manifest/manifest'
import { type Region, startOf } from '../region'
import { lackOf } from '../render/tools/lacking'
import { type Failure, isUnparsable, withoutFolder } from '../render/tools/rendering'
import { described } from '../sides/described'
import type { RenderedSide } from '../sides/rendered-side'
import type { RemoteEntry } from '../sources/kustomization'
import { isOutOfScope, type Lack, nameOfLack } from '../sources/lack'
import { nameOfSource, placeOf, type Source } from '../sources/source'
import { faultInWords, networkLine } from './entries-not-fetched'
import { failureOf } from './failure-of'
import type { FaultyDocument } from './faulty-documents'
import { type IdleInput, isIdle, isLikeOthers } from './idle-sources'
import { isMoved } from './moved'
import { isSwitchedOn, supposingOf } from './switched-on'

interface UnrenderedInput {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** Sources that this change does not reach. */
  readonly rest: readonly RenderedSide[]
  /** Objects of the base that the head may or may not have. */
  readonly unknown: readonly Manifest[]
  /** The remote entries of the base's Kustomizations; undefined when the head is judged whole. */
  readonly knownRemotes: readonly string[] | undefined
  readonly idle: IdleInput
  /** Values files that are not there, which are reported where they are named. */
  readonly lackingValues: ReadonlySet<string>
  /** The lines to name of templates whose output is no YAML with supposed values. */
  readonly edits: ReadonlyMap<string, Region>
  /** The documents of changed files that are no objects, by the reason. */
  readonly faulty: ReadonlyMap<string, FaultyDocument>
  /** Whether nothing applies a file: one that is new, or any where the head is judged whole. */
  readonly isUnapplied: (file: string) => boolean
}

/** Whether a chart fails with any values that reach the template: helm cannot parse it, or it reads the values where they are not. */
function isOfNoValues(failure: Failure): boolean {
  return isUnparsable(failure) || (failure.cause === 'tool-failed' && isOutOfScope(failure.reason))
}

/** Whether a side was rendered with placeholders for values, which other values may replace. */
function isOfPlaceholders(lacks: readonly Lack[]): boolean {
  return lacks.some(({ what }) => what === 'value' || what === 'refusal')
}

/** Reports `source/unrendered` once for all sources that fail in the same way at the same place. */
export function unrendered({
  before,
  after,
  rest,
  unknown,
  knownRemotes,
  idle,
  lackingValues,
  edits,
  faulty,
  isUnapplied,
}: UnrenderedInput): {
  findings: Finding[]
  skipped: Skipped[]
} {
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  const whole = knownRemotes === undefined
  const was = new Map(before.map((side) => [side.source.id, side]))
  const present = new Set(after.map(({ source }) => source.id))
  const gone = before
    .filter(({ source }) => !present.has(source.id))
    .sort((a, b) => Number(failureOf(a) !== undefined) - Number(failureOf(b) !== undefined))
  const lost = new Set(gone.flatMap((side) => failureOf(side) ?? []).map(faultOf))
  const failed = new Map<string, { existing: boolean; supposed: boolean; sides: RenderedSide[] }>()
  const misread = new Map<FaultyDocument, RenderedSide[]>()
  const missing = after.filter(({ failure }) => failure?.missing)
  if (missing.length > 0) findings.push(...withoutTool(missing, whole))
  for (const side of after) {
    const { source } = side
    const failure = failureOf(side)
    const old = was.get(source.baseSourceId ?? source.id) ?? gone.find((side) => isMoved(side.source, source))
    const fault = old && failureOf(old)
    const known = old?.unreadable.map((entry) => placeOfUnreadable(old.source, entry)) ?? []
    // A build that first fails now is reported with the cause that the tool names.
    const isSaid = failure !== undefined && fault === undefined && side.partial?.manner === 'written'
    for (const entry of isSaid ? [] : side.unreadable) {
      // Each of the base's explains one of the head's.
      const at = known.indexOf(placeOfUnreadable(source, entry))
      if (at !== -1) known.splice(at, 1)
      const written = at === -1 ? faulty.get(entry.reason) : undefined
      if (written) append(misread, written, side)
      else findings.push(unreadable([side], entry, whole || at !== -1))
    }
    // What is missing of a chart is listed for its release without switches.
    if (!failure || failure.missing || (side.partial && isSwitchedOn(side))) continue
    if (failure.cause === 'values-missing' && lackingValues.has(failure.about ?? '')) continue
    // The base renders without its missing parts, and the head fails for another reason.
    const isNews =
      fault !== undefined &&
      old?.partial?.manner === 'reduced' &&
      !side.partial &&
      lackOf(failure) === undefined &&
      (lackOf(fault) !== undefined || !failsAlike([old.source, fault], [source, failure]))
    const before = isNews ? undefined : fault
    if (failure.isEmpty && side.partial?.manner === 'reduced') {
      skipped.push(listed(side, failure))
      continue
    }
    // The rest may not build without remote entries. A new entry is an error of its own; a known one excuses failures
    // that it explains.
    const excused = !old || before?.remote || failure.remote?.some(({ text }) => !isKnown(text, knownRemotes ?? []))
    if (failure.remote && (excused || isForElsewhere(side, old))) {
      skipped.push(listed(side, failure))
      continue
    }
    // A plugin that kustomize does not have renders nothing here on either side; its files are not judged. Nor are encrypted
    // files, which the tools that deploy them can read.
    if (side.partial?.manner === 'reduced' && side.partial.lacks.every(({ what }) => unreadHere.has(what))) {
      skipped.push(listed(side, failure))
      continue
    }
    // The patch's target would come from the chart, which was not inspected before either.
    if (failure.leftOut && (!old || before?.leftOut || isForElsewhere(side, old))) {
      skipped.push(listed(side, failure))
      continue
    }
    // A chart without a known release may need values that only its users have.
    const guessed =
      source.incomplete || (source.kind === 'helm' && (source.origin === 'discovered' || source.origin === 'probed'))
    // No values make such a template render.
    const isNewFault = isOfNoValues(failure) && !(before && isOfNoValues(before))
    if (guessed && !isNewFault && (!old || before)) {
      skipped.push(listed(side, failure))
      continue
    }
    if (!whole && isLikeOthers(source, failure, old, idle)) {
      skipped.push(listed(side, failure))
      continue
    }
    const isNewlyUnparsable = isNewFault && (old !== undefined || isUnparsable(failure))
    if (!isNews && !isNewlyUnparsable && isIdle(source, failure, old, idle)) {
      skipped.push(listed(side, failure, `${nameOfSource(source)}, which no Argo CD or Flux object deploys`))
      continue
    }
    if (side.partial && !isOfFolder(side.source, failure)) skipped.push(listed(side, failure))
    const existing =
      whole ||
      (old && before && !isNewFault && failsAlike([old.source, before], [source, failure])) === true ||
      (!old && (idle.brokenBefore.has(source.id) || lost.has(faultOf(failure))))
    const supposed = isNews && !isOfNoValues(failure) && isOfPlaceholders(old?.partial?.lacks ?? [])
    const key = JSON.stringify([failure, existing])
    failed.set(key, { existing, supposed, sides: [...(failed.get(key)?.sides ?? []), side] })
  }
  for (const [written, sides] of misread)
    findings.push(unreadable(sides, { ...written, cause: 'unreadable-output', about: '' }, false))
  const shown = new Set<string>()
  for (const { existing, supposed: isSupposed, sides } of failed.values()) {
    const [first] = sides
    const failure = first && failureOf(first)
    if (!failure) continue
    const { cause, about, path, region, reason } = failure
    const isSwitched = sides.every(isSwitchedOn)
    // With other supposed values, the same template most likely fails for the same reason.
    const place = JSON.stringify([path, cause, existing])
    if (isSwitched && shown.has(place)) continue
    shown.add(place)
    const known = sides.filter(({ source }) => source.origin !== 'probed')
    const ids = new Set(known.map(({ source: { id, baseSourceId = id } }) => baseSourceId))
    const objects = unknown.filter(({ origin }) => origin.kind === 'rendered' && ids.has(origin.id))
    const names = [...new Set(objects.map(({ ref }) => nameOf(ref)))]
    const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
    const fate =
      names.length > 0 ? ` It is unknown whether this change keeps ${names.slice(0, 3).join(', ')}${more}.` : ''
    const supposed = isSwitched ? ` ${supposingOf(first)}` : ''
    const isUnused =
      isOfFolder(first.source, failure) && sides.every(({ source }) => isUnapplied(source.declaredAt.path))
    // It is listed at the object that names it.
    if (isUnused && whole) continue
    const level = supposed || isSupposed || isUnused ? 'warning' : 'error'
    const what = isUnused ? ofUnappliedFolder(placeOf(first.source)) : `${upper(reason)}.${fate}${supposed}`
    findings.push(
      gateFinding('source/unrendered', 'unrendered', level, {
        ...statement(sides, path, existing),
        region: (supposed && edits.get(path)) || region,
        keys: [path, cause, ...(about === undefined ? [] : [about])],
        text: what,
      }),
    )
  }
  const reported = fromElsewhere(after, knownRemotes)
  findings.push(...reported.findings)
  skipped.push(...reported.skipped)
  const rendered = new Set(after.filter((side) => !failureOf(side)).map(({ source }) => source.id))
  for (const { source, failure } of before) {
    if (!failure || failure.missing || !rendered.has(source.id)) continue
    findings.push(
      gateFinding('source/unrendered', 'base', 'notice', {
        ...statement([{ source }], failure.path, false),
        side: 'base',
        region: failure.region,
        keys: [failure.path],
        text: `The base cannot be rendered: ${lower(failure.reason)}. So all objects of the head were checked as if they were new, and removed objects could not be detected.`,
      }),
    )
  }
  // A source that is gone at the head was read as far as possible.
  for (const side of [...rest, ...before.filter(({ source, partial }) => partial && !present.has(source.id))]) {
    const failure = failureOf(side)
    if (failure && !isOfFolder(side.source, failure)) skipped.push(listed(side, failure))
  }
  return { findings, skipped }
}

const unreadHere: ReadonlySet<Lack['what']> = new Set(['plugin', 'encrypted'])

/** Whether the cause is a missing folder: it is listed at the object that names it, whether or not it is rendered. */
function isOfFolder(source: Source, { reason }: Failure): boolean {
  return reason === withoutFolder(placeOf(source))
}

function ofUnappliedFolder(place: string): string {
  return `There is no folder ${place} in this repository, and no Kustomization lists this new file, so nothing is deployed from it. Name an existing folder and list the file with those beside it, or remove the file.`
}

/** An entry of the list of what was not inspected: the inspected part of a source, and the reason for the rest. */
function listed(
  { source, partial }: RenderedSide,
  { path, reason, cause }: Failure,
  name = nameOfSource(source),
): Skipped {
  if (!partial) return { path, reason: `${name}: ${reason}`, cause }
  if (partial.failure?.isEmpty && partial.manner === 'reduced')
    return { path, reason: `${name}: it has no fields any more, so all its objects are judged as removed`, cause }
  const manner =
    partial.manner === 'written'
      ? 'its files were read without rendering'
      : `it was read without ${abridged(partial.lacks.map(nameOfLack))}`
  return { path, reason: `${name}: ${manner}, because ${reason}`, cause }
}

/**
 * Whether a missing part of a source can only come from elsewhere: the source has remote entries, and the base did not
 * have the objects itself.
 */
function isForElsewhere({ partial }: RenderedSide, old: RenderedSide | undefined): boolean {
  if (partial?.manner !== 'reduced') return false
  const had = new Set(old?.objects.map(({ object: { ref } }) => `${ref.kind}/${ref.name}`))
  return partial.lacks.every(({ what, about }) => ['object', 'source', 'data'].includes(what) && !had.has(about))
}

/**
 * Equal for the same object that is unreadable for the same cause at the same place; the words may name another line.
 */
function placeOfUnreadable(source: Source, { cause, path, about }: RenderedSide['unreadable'][number]): string {
  return JSON.stringify([cause, placeWithin(source, path), about])
}

/**
 * Whether a source fails at the head for the same cause and at the same place as at the base. The messages may differ,
 * as tools write their version into them. A tool that was stopped on both sides may have been stopped for different
 * reasons.
 */
function failsAlike(before: readonly [Source, Failure], after: readonly [Source, Failure]): boolean {
  // Of a repository whose charts are missing already, another chart is no news.
  const [was, is] = [before, after].map(([source, { cause, about, from = about, path }]) =>
    JSON.stringify([cause, from, placeWithin(source, path)]),
  )
  return was === is && after[1].cause !== 'tool-stopped'
}

/** Equal for the same fault of the same file, in whatever source. */
function faultOf({ cause, about, path, reason }: Failure): string {
  return JSON.stringify([cause, about, path, reason])
}

/** A path that stays the same when a source moves to another folder, or its definition to another file. */
function placeWithin(source: Source, path: string): string {
  const folder = source.kind === 'helm' ? source.chart : source.root
  // A Kustomization that nothing named is declared by its own file.
  if (folder !== '' && path.startsWith(`${folder}/`)) return path.slice(folder.length)
  return path === source.declaredAt.path ? '' : path
}

/**
 * Lists the remote entries of Kustomizations that are not fetched. A place that the base uses already is listed; a new
 * one is an error, because its objects are unknown. Remote data files are listed: they create no objects.
 */
function fromElsewhere(after: readonly RenderedSide[], knownRemotes: readonly string[] | undefined) {
  const entries = new Map<string, { entry: RemoteEntry; sides: RenderedSide[] }>()
  for (const side of after) {
    for (const entry of side.remote) {
      const key = JSON.stringify(entry)
      entries.set(key, { entry, sides: [...(entries.get(key)?.sides ?? []), side] })
    }
  }
  const data = new Map(after.flatMap((side) => side.data.map((entry) => [JSON.stringify(entry), entry] as const)))
  const skipped = [...data.values()].map(notHere)
  const findings: Finding[] = []
  for (const { entry, sides } of entries.values()) {
    if (!knownRemotes || isKnown(entry.text, knownRemotes)) {
      skipped.push(notHere(entry))
      continue
    }
    findings.push(
      gateFinding('source/unrendered', 'remote', 'error', {
        ...statement(sides, entry.path, false),
        region: entry.region,
        keys: [entry.path, withoutVersion(entry.text)],
        text: `It uses ${entry.text}, which is not in this repository${faultInWords(entry.fault)}; copy it into this repository and name the copy${orTrust(entry)}.`,
      }),
    )
  }
  return { findings, skipped }
}

function notHere({ path, text, fault }: RemoteEntry): Skipped {
  const reason = `it uses ${text}, which is not in this repository${faultInWords(fault)}`
  return { path, reason, cause: 'remote-entry' }
}

function orTrust(entry: RemoteEntry): string {
  const line = entry.fault?.cause === 'place-new' ? networkLine(entry) : undefined
  return line ? `, or first merge ${line} into the config of this gate to have it fetched` : ''
}

/** Whether a remote place is among the known ones, in any version. */
export function isKnown(text: string, knownRemotes: readonly string[]): boolean {
  return knownRemotes.some((one) => withoutVersion(one) === withoutVersion(text))
}

/**
 * `https://github.com/org/repo//deploy?ref=v1` without its `?ref=v1`; a raw file's URL without the branch or tag in it.
 */
export function withoutVersion(url: string): string {
  return url.replace(/\?.*/, '').replace(/\/(?:download\/|raw\/|tags\/)?v?\d[^/]*(?=\/)/g, '/*')
}

function withoutTool(missing: readonly RenderedSide[], whole: boolean): Finding[] {
  const byTool = new Map<string, RenderedSide[]>()
  for (const side of missing) {
    const tool = side.failure?.missing ?? ''
    byTool.set(tool, [...(byTool.get(tool) ?? []), side])
  }
  return [...byTool].flatMap(([tool, sides]) => {
    const { source, failure } = sides[0] as RenderedSide
    if (!failure) return []
    const more = sides.length > 1 ? ` and ${sides.length - 1} more` : ''
    return gateFinding('source/unrendered', 'tool', 'error', {
      ...statement(sides, failure.path, whole),
      region: failure.region,
      keys: [tool],
      text: `${upper(nameOfSource(source))}${more} could not be checked: ${failure.reason}.`,
    })
  })
}

function unreadable(
  sides: readonly RenderedSide[],
  { cause, path, about, reason, region = startOf(1) }: RenderedSide['unreadable'][number] & { region?: Region },
  isOld: boolean,
): Finding {
  return gateFinding('source/unrendered', 'unreadable', 'error', {
    ...statement(sides, path, isOld),
    region,
    keys: [path, cause, ...(about === '' ? [] : [about])],
    text: `The rendered manifests cannot be read${about === '' ? '' : ` (${about})`}: ${reason}. ${remedyFor(sides)}`,
  })
}

function remedyFor(sides: readonly RenderedSide[]): string {
  const made = sides.every(({ source }) => source.kind === 'helm')
    ? 'the template or the values that make them'
    : 'the file or the patch that makes them'
  return `An API server takes no such object, so correct ${made}.`
}

function statement(sides: readonly Pick<RenderedSide, 'source'>[], path: string, existing: boolean) {
  return {
    side: 'head' as const,
    path,
    status: existing ? ('existing' as const) : ('introduced' as const),
    sources: sides.map(({ source }) => ({
      ...described(source),
      cluster: 'cluster' in source.target ? source.target.cluster : '',
    })),
  }
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
