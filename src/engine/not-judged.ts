import { minimatch } from 'minimatch'
import { append } from '../append'
import { fingerprintWith, gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { causeText } from '../ledger/causes'
import type { LedgerEntry } from '../ledger/entry'
import { remedyFor, remedyKey } from '../ledger/remedies'
import { abridged } from '../listing'
import type { PlacedException } from '../policy/config'
import { notJudgedRule } from '../policy/names'
import type { Level, NotJudged } from '../policy/schema'
import { startOf } from '../region'

interface Terms {
  readonly exceptions: readonly PlacedException[]
  readonly today: string
  /** The settings of the base's config. */
  readonly notJudged?: NotJudged | undefined
}

/**
 * Reports `source/not-judged` once for each cause and remedy, at the first changed line of its first file of the highest
 * level. A cause that `source/unrendered` or `source/unreadable` states already is not stated twice.
 */
export function notJudgedFindings(files: readonly LedgerEntry[], terms: Terms): Finding[] {
  const groups = new Map<string, LedgerEntry[]>()
  const byPath = new Map(files.map((file) => [file.path, file]))
  for (const file of files) {
    if (file.state !== 'not-judged' || file.reported || isOfNewName(file, byPath, terms)) continue
    // Excepted files are a finding of their own, which does not count.
    const ofError = causeText(file.cause ?? '').byReason ? file.reason : ''
    const exception = exceptionFor(file.path, terms)
    append(groups, JSON.stringify([file.cause, file.about, remedyKey(file), ofError, exception]), file)
  }
  const stated = new Set<string>()
  return [...groups.values()].flatMap((group) =>
    findingOf(group, terms).map((finding) => {
      const { fingerprint } = finding
      const isFirst = !stated.has(fingerprint)
      stated.add(fingerprint)
      // Fingerprints do not have the path, so that they stay when a file of the cause comes or goes.
      return isFirst ? finding : { ...finding, fingerprint: fingerprintWith(fingerprint, finding.location.path) }
    }),
  )
}

/** Whether a file only has another name now, under which it is reported at the same level or a higher one. */
function isOfNewName(
  file: LedgerEntry,
  byPath: ReadonlyMap<string, LedgerEntry>,
  { notJudged }: Pick<Terms, 'notJudged'>,
): boolean {
  const renamed = file.renamedTo === undefined ? undefined : byPath.get(file.renamedTo)
  if (!renamed || renamed.reported) return false
  const [own, its] = [file, renamed].map((one) => order.indexOf(levelOf(one, notJudged))) as [number, number]
  return its <= own
}

/** The index of the exception in force that covers a file; the level, if none does. */
function exceptionFor(path: string, { exceptions, today }: Terms): number {
  return exceptions.findIndex((exception) => coversFile(exception, path) && today <= exception.expires)
}

/** Whether an exception is for a file that is not judged. */
export function coversFile({ rule, path: glob }: PlacedException, path: string): boolean {
  return rule === notJudgedRule && glob !== undefined && matches(path, [glob])
}

function matches(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => minimatch(path, glob, { dot: true }))
}

const order: readonly Level[] = ['error', 'warning', 'notice']

function findingOf(group: readonly LedgerEntry[], terms: Terms): Finding[] {
  const levels = group.map((file) => ({ file, level: levelOf(file, terms.notJudged) }))
  const [worst] = [...levels].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
  if (!worst) return []
  const { file, level } = worst
  const { path, place, cause = '', about, reason } = file
  const at = place?.path ?? path
  const others = [...new Set(group.map((one) => one.path))].filter((other) => other !== at)
  const { effect } = causeText(cause)
  const ordered = [file, ...group.filter((one) => one !== file)] as const
  const more = others.length > 0 ? ` The same applies to ${abridged(others)}.` : ''
  const finding = gateFinding(notJudgedRule, 'not-judged', level, {
    side: place?.side ?? 'head',
    path: at,
    region: place?.region ?? startOf(1),
    status: 'introduced',
    keys: [cause, ...(about === undefined ? [] : [about])],
    sources: group.map((one) => ({ kind: 'file', path: one.path, cluster: '' })),
    text: `This change is not judged: ${reason}. ${effect}${more} ${remedyFor(ordered)}`.trimEnd(),
  })
  return [place ? { ...finding, location: { ...finding.location, excerpt: place.excerpt } } : finding]
}

/** A warning; a notice where the cause is common and the change touches no route, certificate or permission. */
function levelOf({ path, change, cause = '', weighs }: LedgerEntry, { level, paths }: NotJudged = {}): Level {
  if (level !== undefined && (paths === undefined || matches(path, paths))) return level
  // A chart that is added or removed whole, without a release, changes nothing that is known to be deployed.
  const isWhole = cause === 'no-release' && change !== 'changed'
  const { byKeys, isError } = causeText(cause)
  if (isError) return 'error'
  return byKeys && (!weighs || isWhole) ? 'notice' : 'warning'
}
