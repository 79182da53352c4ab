import { basename } from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { type Manifest, nameOf } from '../manifest/manifest'
import type { Failure } from '../render/rendering'
import type { Skipped } from '../revision/tree'
import { described, type RenderedSide } from '../sides/side'
import type { RemoteEntry } from '../sources/kustomization'
import { nameOfSource, type Source } from '../sources/source'

interface Renderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** Sources that this change does not reach. */
  readonly rest: readonly RenderedSide[]
  /** Objects of the base of which it is unknown whether the head has them. */
  readonly unknown: readonly Manifest[]
  /** The remote entries of the base's Kustomizations; undefined when the head is judged whole. */
  readonly knownRemotes: readonly string[] | undefined
}

/** Reports `source/unrendered` once for all sources that fail in the same way at the same place. */
export function unrendered({ before, after, rest, unknown, knownRemotes }: Renderings): {
  findings: Finding[]
  skipped: Skipped[]
} {
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  const whole = knownRemotes === undefined
  const was = new Map(before.map((side) => [side.source.id, side]))
  const present = new Set(after.map(({ source }) => source.id))
  const gone = before.filter(({ source, failure }) => !failure && !present.has(source.id))
  const failed = new Map<string, { existing: boolean; sides: RenderedSide[] }>()
  const missing = after.filter(({ failure }) => failure?.missing)
  if (missing.length > 0) findings.push(...withoutTool(missing, whole))
  for (const side of after) {
    const { source, failure } = side
    if (!failure || failure.missing) {
      for (const entry of side.unreadable) findings.push(unreadable(side, entry, whole))
      continue
    }
    const old = was.get(source.baseSourceId ?? source.id) ?? gone.find((side) => isMoved(side.source, source))
    // The rest may not build without remote entries. A new entry is an error of its own; a known one excuses failures
    // that it explains.
    const excused =
      !old || old.failure?.remote || failure.remote?.some(({ text }) => !isKnown(text, knownRemotes ?? []))
    if (failure.remote && excused) continue
    // The patch's target would come from the chart, which was not inspected before either.
    if (failure.leftOut && (!old || old.failure?.leftOut)) {
      skipped.push(asSkipped(source, failure))
      continue
    }
    // A chart without a known release may need values that only its users have.
    const guessed = source.kind === 'helm' && (source.origin === 'discovered' || source.origin === 'probed')
    if (guessed && (!old || old.failure)) {
      skipped.push(asSkipped(source, failure))
      continue
    }
    const existing = whole || (old?.failure !== undefined && failsAlike([old.source, old.failure], [source, failure]))
    const key = JSON.stringify([failure, existing])
    failed.set(key, { existing, sides: [...(failed.get(key)?.sides ?? []), side] })
  }
  for (const { existing, sides } of failed.values()) {
    const failure = sides[0]?.failure
    if (!failure) continue
    const { cause, about, path, region, reason } = failure
    const ids = new Set(sides.map(({ source: { id, baseSourceId = id } }) => baseSourceId))
    const lost = unknown.filter(({ origin }) => origin.kind === 'rendered' && ids.has(origin.id))
    const names = [...new Set(lost.map(({ ref }) => nameOf(ref)))]
    const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
    const fate = names.length > 0 ? ` What becomes of ${names.slice(0, 3).join(', ')}${more} is not known.` : ''
    findings.push(
      gateFinding('source/unrendered', 'unrendered', 'error', {
        ...statement(sides, path, existing),
        region,
        keys: [path, cause, ...(about === undefined ? [] : [about])],
        text: `${upper(reason)}.${fate}`,
      }),
    )
  }
  const reported = fromElsewhere(after, knownRemotes)
  findings.push(...reported.findings)
  skipped.push(...reported.skipped)
  const rendered = new Set(after.filter(({ failure }) => !failure).map(({ source }) => source.id))
  for (const { source, failure } of before) {
    if (!failure || failure.missing || !rendered.has(source.id)) continue
    findings.push(
      gateFinding('source/unrendered', 'base', 'notice', {
        ...statement([{ source }], failure.path, false),
        side: 'base',
        region: failure.region,
        keys: [failure.path],
        text: `At the base, ${lower(failure.reason)}. So what the head renders was judged as if it were new, and what it no longer renders could not be seen.`,
      }),
    )
  }
  for (const { source, failure } of rest) {
    if (failure) skipped.push(asSkipped(source, failure))
  }
  return { findings, skipped }
}

/** Whether a removed source may have moved to another folder: the state of its rendered objects is then unknown. */
export function isMoved(before: Source, after: Source): boolean {
  if (before.kind === 'helm') return after.kind === 'helm' && before.release === after.release
  return after.kind === 'kustomize' && basename(before.root) === basename(after.root)
}

/**
 * Whether a source fails at the head for the same cause and at the same place as at the base. The messages may differ:
 * tools write their version into them. A tool that was stopped on both sides may have been stopped by different causes.
 */
function failsAlike(before: readonly [Source, Failure], after: readonly [Source, Failure]): boolean {
  const [was, is] = [before, after].map(([source, { cause, about, path }]) =>
    JSON.stringify([cause, about, placeWithin(source, path)]),
  )
  return was === is && after[1].cause !== 'tool-stopped'
}

/** A path that stays the same when a source moves to another folder, or its definition to another file. */
function placeWithin(source: Source, path: string): string {
  if (path === source.declaredAt.path) return ''
  const folder = source.kind === 'helm' ? source.chart : source.root
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length) : path
}

/**
 * Lists what Kustomizations include from remote places, which is not fetched. A place that the base uses already is
 * listed; a new one is an error, because its objects are unknown. Remote data files are listed: they create no objects.
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
        text: `It takes in ${entry.text}, which is not in this repository; vendor it and name the copy.`,
      }),
    )
  }
  return { findings, skipped }
}

function notHere({ path, text }: RemoteEntry): Skipped {
  return { path, reason: `it takes in ${text}, which is not in this repository`, cause: 'remote-entry' }
}

function asSkipped(source: Source, { path, reason, cause }: Failure): Skipped {
  return { path, reason: `${nameOfSource(source)}: ${reason}`, cause }
}

/** Whether a remote place is among the known ones, in any version. */
export function isKnown(text: string, knownRemotes: readonly string[]): boolean {
  return knownRemotes.some((one) => withoutVersion(one) === withoutVersion(text))
}

/** `https://github.com/org/repo//deploy?ref=v1` without its `?ref=v1`; a raw file's URL without the branch or tag in it. */
function withoutVersion(url: string): string {
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
    const more = sides.length > 1 ? `, nor ${sides.length - 1} more` : ''
    return gateFinding('source/unrendered', 'tool', 'error', {
      ...statement(sides, failure.path, whole),
      region: failure.region,
      keys: [tool],
      text: `${upper(nameOfSource(source))} could not be judged${more}: ${failure.reason}.`,
    })
  })
}

function unreadable(
  { source }: RenderedSide,
  { cause, path, reason }: RenderedSide['unreadable'][number],
  whole: boolean,
): Finding {
  return gateFinding('source/unrendered', 'unreadable', 'error', {
    ...statement([{ source }], path, whole),
    region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
    keys: [path, cause],
    text: `What this renders to cannot be read: ${reason}.`,
  })
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

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
