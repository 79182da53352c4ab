import { append } from '../../append'
import { gateFinding } from '../../finding/gate-finding'
import type { Finding, Skipped } from '../../finding/report'
import type { Manifest } from '../../manifest/manifest'
import type { Region } from '../../region'
import type { RenderedSide } from '../../sides/rendered-side'
import { nameOfSource } from '../../sources/source'
import { failureOf } from '../failure-of'
import type { FaultyDocument } from '../faulty-documents'
import type { IdleInput } from '../idle-sources'
import { isSwitchedOn } from '../switched-on'
import { earlierSides } from './earlier-sides'
import { type FailedSides, failures } from './failures'
import { isOfFolder } from './folder-missing'
import { listed } from './listed'
import { readable } from './next-step'
import { remoteParts } from './remote-parts'
import { statement } from './statement'
import { unreadableOutput } from './unreadable-output'
import { weigh } from './weigh'
import { lower, upper } from './words'

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
  /** The sources whose fault another one hid at the base. */
  readonly hidden: ReadonlySet<string>
  /** Values files that are not there, which are reported where they are named. */
  readonly lackingValues: ReadonlySet<string>
  /** The lines to name of templates whose output is no YAML with supposed values. */
  readonly edits: ReadonlyMap<string, Region>
  /** The documents of changed files that are no objects, by the reason. */
  readonly faulty: ReadonlyMap<string, FaultyDocument>
  /** Whether nothing applies a file: one that is new, or any where the head is judged whole. */
  readonly isUnapplied: (file: string) => boolean
}

/** Reports `source/unrendered` once for all sources that fail in the same way at the same place. */
export function unrendered({
  before,
  after,
  rest,
  unknown,
  knownRemotes,
  idle,
  hidden,
  lackingValues,
  edits,
  faulty,
  isUnapplied,
}: UnrenderedInput): {
  findings: Finding[]
  skipped: Skipped[]
} {
  const whole = knownRemotes === undefined
  const earlier = earlierSides(before, after)
  const skipped: Skipped[] = []
  const failed = new Map<string, FailedSides>()
  for (const side of after) {
    const failure = failureOf(side)
    // What is missing of a chart is listed for its release without switches.
    if (!failure || failure.missing || (side.partial && isSwitchedOn(side))) continue
    if (failure.cause === 'values-missing' && lackingValues.has(failure.about ?? '')) continue
    const { reported, ...weighed } = weigh(side, failure, { earlier, knownRemotes, idle, hidden })
    if (weighed.skipped) skipped.push(weighed.skipped)
    if (!reported) continue
    const key = JSON.stringify([failure, reported.isExisting])
    const known = failed.get(key)
    failed.set(key, {
      failure,
      isExisting: reported.isExisting,
      isSupposed: reported.isSupposed && known?.isSupposed !== false,
      sides: [...(known?.sides ?? []), side],
    })
  }
  // A build that first fails now is reported with the cause that the tool names.
  const judged = after.filter((side) => {
    const old = earlier.of(side.source)
    const isNew = failureOf(side) !== undefined && !(old && failureOf(old))
    return !isNew || side.partial?.manner !== 'written'
  })
  const remote = remoteParts(after, knownRemotes)
  return {
    findings: [
      ...withoutTool(after, whole),
      ...unreadableOutput({ sides: judged, earlier, whole, faulty }),
      ...failures([...failed.values()], { whole, unknown, edits, isUnapplied }),
      ...remote.findings,
      ...unrenderedBase(before, after),
    ],
    skipped: [...skipped, ...remote.skipped, ...untouched(before, after, rest)],
  }
}

/** Reports a tool that is missing on this machine, once for all sources that need it. */
function withoutTool(after: readonly RenderedSide[], whole: boolean): Finding[] {
  const byTool = new Map<string, RenderedSide[]>()
  for (const side of after) if (side.failure?.missing) append(byTool, side.failure.missing, side)
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

/** Says that there is nothing to compare with, where the base of a source fails and its head renders. */
function unrenderedBase(before: readonly RenderedSide[], after: readonly RenderedSide[]): Finding[] {
  const rendered = new Set(after.filter((side) => !failureOf(side)).map(({ source }) => source.id))
  return before.flatMap(({ source, failure }) => {
    if (!failure || failure.missing || !rendered.has(source.id)) return []
    return gateFinding('source/unrendered', 'base', 'notice', {
      ...statement([{ source }], failure.path, false),
      side: 'base',
      region: failure.region,
      keys: [failure.path],
      text: `The base cannot be rendered: ${lower(readable(failure.reason))}. So all objects of the head were checked as if they were new, and removed objects could not be detected. The head renders, so there is nothing to correct.`,
    })
  })
}

/** Lists the failures of sources that this change does not reach, and of removed ones, which were read as far as possible. */
function untouched(
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
  rest: readonly RenderedSide[],
): Skipped[] {
  const present = new Set(after.map(({ source }) => source.id))
  const removed = before.filter(({ source, partial }) => partial && !present.has(source.id))
  return [...rest, ...removed].flatMap((side) => {
    const failure = failureOf(side)
    return failure && !isOfFolder(side.source, failure) ? [listed(side, failure)] : []
  })
}
