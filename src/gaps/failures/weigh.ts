import type { Skipped } from '../../finding/report'
import { lackOf } from '../../render/tools/lacking'
import { type Failure, isUnparsable } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import { isOutOfScope, type Lack } from '../../sources/lack'
import { nameOfSource, type Source } from '../../sources/source'
import { failureOf } from '../failure-of'
import { type IdleInput, isIdle, isLikeOthers } from '../idle-sources'
import { isKnown } from '../known-remotes'
import { type Earlier, placeWithin } from './earlier-sides'
import { isOfFolder } from './folder-missing'
import { listed } from './listed'

/** What decides whether a failure is one of this change. */
export interface Circumstances {
  readonly earlier: Earlier
  /** The remote entries of the base's Kustomizations; undefined when the head is judged whole. */
  readonly knownRemotes: readonly string[] | undefined
  readonly idle: IdleInput
  /** The sources whose fault another one hid at the base. */
  readonly hidden: ReadonlySet<string>
}

/** A failure of the head beside that of the base. */
interface Comparison {
  readonly side: RenderedSide
  readonly failure: Failure
  readonly old: RenderedSide | undefined
  /** The base's failure, where it may explain that of the head. */
  readonly before: Failure | undefined
  /** Whether the base fails only by its missing parts, and the head for another reason. */
  readonly isNews: boolean
  /** Whether no values make the head's chart render, and the base's is not so. */
  readonly isNewFault: boolean
}

/** What becomes of a failure: an entry of the list of what was not inspected, a part of a finding, or both. */
export interface Weighed {
  readonly skipped?: Skipped
  readonly reported?: {
    readonly isExisting: boolean
    /** Whether other values than the supposed ones may render. */
    readonly isSupposed: boolean
  }
}

/** Decides whether the failure of a source is one of this change, or only a limit of what can be inspected. */
export function weigh(side: RenderedSide, failure: Failure, circumstances: Circumstances): Weighed {
  const { earlier, knownRemotes, idle, hidden } = circumstances
  const { source } = side
  const compared = compare(side, failure, earlier.of(source))
  const { old, before, isNews, isNewFault } = compared
  const whole = knownRemotes === undefined
  if (isLimit(compared, knownRemotes ?? [])) return { skipped: listed(side, failure) }
  if (!whole && isLikeOthers(source, failure, old, idle)) return { skipped: listed(side, failure) }
  const isNewlyUnparsable = isNewFault && (old !== undefined || isUnparsable(failure))
  if (!isNews && !isNewlyUnparsable && isIdle(source, failure, old, idle)) {
    const name = `${nameOfSource(source)}, which no Argo CD or Flux object deploys`
    return { skipped: listed(side, failure, name) }
  }
  const isKnownFault = old && before ? !isNewFault && failsAlike([old.source, before], [source, failure]) : false
  const isBrokenBefore = !old && (idle.brokenBefore.has(source.id) || earlier.hadFailure(failure))
  return {
    ...(side.partial && !isOfFolder(source, failure) && { skipped: listed(side, failure) }),
    reported: {
      isExisting: whole || isKnownFault || isBrokenBefore || hidden.has(source.id),
      isSupposed: isNews && !isOfNoValues(failure) && isOfPlaceholders(old?.partial?.lacks ?? []),
    },
  }
}

function compare(side: RenderedSide, failure: Failure, old: RenderedSide | undefined): Comparison {
  const fault = old && failureOf(old)
  const isNews =
    fault !== undefined &&
    old?.partial?.manner === 'reduced' &&
    !side.partial &&
    lackOf(failure) === undefined &&
    (lackOf(fault) !== undefined || !failsAlike([old.source, fault], [side.source, failure]))
  const before = isNews ? undefined : fault
  const isNewFault = isOfNoValues(failure) && !(before && isOfNoValues(before))
  return { side, failure, old, before, isNews, isNewFault }
}

/** Whether a source fails by what is not in the repository, and not by this change. */
function isLimit(compared: Comparison, knownRemotes: readonly string[]): boolean {
  const { side, failure, old, before, isNewFault } = compared
  const isReduced = side.partial?.manner === 'reduced'
  if (failure.isEmpty && isReduced) return true
  // The rest may not build without remote entries. A new entry is an error of its own; a known one excuses failures
  // that it explains.
  const isExcused = !old || before?.remote || failure.remote?.some(({ text }) => !isKnown(text, knownRemotes))
  if (failure.remote && (isExcused || isForElsewhere(side, old))) return true
  // A plugin that kustomize does not have renders nothing here on either side; its files are not judged. Nor are encrypted
  // files, which the tools that deploy them can read, nor files that Git ignores, which are made where it is deployed.
  if (isReduced && side.partial.lacks.every(({ what }) => unreadHere.has(what))) return true
  // The patch's target would come from the chart, which was not inspected before either.
  if (failure.leftOut && (!old || before?.leftOut || isForElsewhere(side, old))) return true
  // No values make an unparsable template render. A chart may come to require a value that its users have, where it hides no
  // object by that.
  const isRefused = failure.lack?.what === 'refusal' && old?.objects.length === 0
  return isGuessed(side.source) && !isNewFault && (!old || before !== undefined || isRefused)
}

/** Whether a source is a chart without a known release, which may need values that only its users have. */
function isGuessed({ kind, origin, incomplete }: Source): boolean {
  return incomplete === true || (kind === 'helm' && (origin === 'discovered' || origin === 'probed'))
}

/** Whether a chart fails with any values that reach the template: helm cannot parse it, or it reads the values where they are not. */
function isOfNoValues(failure: Failure): boolean {
  return isUnparsable(failure) || (failure.cause === 'tool-failed' && isOutOfScope(failure.reason))
}

/** Whether a side was rendered with placeholders for values, which other values may replace. */
function isOfPlaceholders(lacks: readonly Lack[]): boolean {
  return lacks.some(({ what }) => what === 'value' || what === 'refusal')
}

const unreadHere: ReadonlySet<Lack['what']> = new Set(['plugin', 'encrypted', 'ignored'])

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
