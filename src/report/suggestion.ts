import { escape as escapeGlob } from 'minimatch'
import { stringify } from 'yaml'
import { absentContent } from '../finding/gate-finding'
import { type Finding, type Report, reaches } from '../finding/report'
import { abridged, enumerated } from '../listing'
import type { ObjectRef } from '../manifest/manifest'
import { configPath, knownDefectRule, notJudgedRule } from '../policy/names'
import type { Exception } from '../policy/schema'
import { suggestedReason } from '../policy/suggested-reason'
import { withCommas } from '../with-commas'
import { countedFindings, placeOf } from './words/wording'

/** The exception to merge first: a sentence, and the YAML to paste. */
export interface SuggestedException {
  readonly lead: string
  readonly yaml: string
  /** The number of entries that were left out. */
  readonly left: number
  /** The findings that block as before, as no exception lifts them; empty if there are none. */
  readonly others: readonly string[]
}

/** An entry of `exceptions`, with the line of the expired one whose place it takes. */
interface SuggestedEntry {
  readonly line?: number
  readonly terms: Omit<Exception, 'reason' | 'expires'>
  readonly reason: string
}

/**
 * Suggests how to allow a wanted change, with at most `most` entries of each kind; undefined if nothing blocks the
 * change, or only a fix helps.
 */
export function suggestException(report: Report, most = Number.POSITIVE_INFINITY): SuggestedException | undefined {
  const stopping = countedFindings(report).filter(({ level }) => level === 'error' || reaches(level, report.failOn))
  // An inventory that cannot be read is placed where the config names it; ignoring the config does not fix it.
  const unreadable = stopping.filter(
    ({ rule, message, location }) =>
      rule === 'source/unreadable' && message !== absentContent && location.path !== report.config.path,
  )
  const expires = new Date(Date.parse(report.today) + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const exceptions = distinct(stopping.flatMap(entriesFor))
  const files = [...new Set(unreadable.map(({ location }) => escapeGlob(location.path)))]
  if (exceptions.length === 0 && files.length === 0) return undefined
  const { path, ignore } = report.config
  const [someFiles, some] = [files.slice(0, most), exceptions.slice(0, most)]
  const lists = {
    ...(files.length > 0 ? { ignore: [...ignore, ...someFiles] } : {}),
    ...(some.length > 0 ? { exceptions: some.map(({ terms, reason }) => ({ ...terms, reason, expires })) } : {}),
  }
  const left = files.length - someFiles.length + exceptions.length - some.length
  const others = othersIn(stopping, (one) => unreadable.includes(one) || entriesFor(one).length > 0)
  const whole = report.mode === 'all'
  const wanted = whole ? 'If this is intended,' : 'If this change is intended, first'
  const apart = whole ? '' : ' in a separate pull request'
  if (path === null) {
    const yaml = stringify({ format: 1, ...lists }).trimEnd()
    return { lead: `${wanted} add this as ${configPath}${apart}:`, yaml, left, others }
  }
  const how = `${replacing(some, path)}${apart} (extend a list that exists already):`
  return { lead: `${wanted} ${how}`, yaml: stringify(lists).trimEnd(), left, others }
}

/** What stays to be fixed once the suggested entries are in force. */
function othersIn(stopping: readonly Finding[], isLifted: (finding: Finding) => boolean): string[] {
  const others = stopping.filter((finding) => !isLifted(finding))
  if (others.length === 0) return []
  const [lifted, all] = [stopping.length - others.length, stopping.length].map(withCommas)
  const places = others.map(({ rule, location }) => `${rule} ${placeOf(location)}`)
  const what = others.length === 1 ? 'the other one, which has' : `the other ${withCommas(others.length)}, which have`
  return [`This lifts ${lifted} of ${all} findings that block. Nothing lifts ${what} to be fixed: ${abridged(places)}.`]
}

/** Instructions to add entries to an existing config: those that renew an expired exception replace it. */
function replacing(entries: readonly SuggestedEntry[], path: string): string {
  const lines = entries.flatMap(({ line }) => (line === undefined ? [] : [String(line)]))
  if (lines.length === 0) return `add this to ${path}`
  const [noun, verb] = lines.length === 1 ? ['exception at line', 'has'] : ['exceptions at lines', 'have']
  const old = `the ${noun} ${enumerated(lines)} of ${path}, which ${verb} expired`
  if (entries.length === lines.length) return `put this in place of ${old},`
  return `put the first ${lines.length === 1 ? 'entry' : `${lines.length} entries`} of this in place of ${old}, and add the others`
}

function entriesFor({ rule, policy, object, likewise = [], sources, keys, expired }: Finding): SuggestedEntry[] {
  const ids = rule === knownDefectRule ? { keys: keys.slice(1) } : {}
  if (expired) {
    const { line, reason, ...terms } = expired
    return [{ line, terms: { ...terms, ...(terms.rule === knownDefectRule ? ids : {}) }, reason }]
  }
  if (rule === notJudgedRule)
    return sources.map(({ path }) => ({ terms: { rule, path: escapeGlob(path) }, reason: suggestedReason }))
  if (!policy || !object) return []
  return [object, ...likewise].map((one) => ({
    terms: { rule, object: escapedPathOf(one), ...ids },
    reason: suggestedReason,
  }))
}

/**
 * One entry for each expired exception, rule and object, with the keys of all findings that need it; replacements
 * first.
 */
function distinct(entries: readonly SuggestedEntry[]): SuggestedEntry[] {
  const found = new Map<string, SuggestedEntry>()
  for (const entry of entries) {
    const { rule, object, path } = entry.terms
    const key = JSON.stringify(entry.line === undefined ? [rule, object, path] : entry.line)
    const keys = [...new Set([...(found.get(key)?.terms.keys ?? []), ...(entry.terms.keys ?? [])])]
    found.set(key, keys.length > 0 ? { ...entry, terms: { ...entry.terms, keys } } : entry)
  }
  const all = [...found.values()]
  return [...all.filter(({ line }) => line !== undefined), ...all.filter(({ line }) => line === undefined)]
}

/** A glob that matches only one object. */
function escapedPathOf({ kind, namespace, name }: ObjectRef): string {
  return [kind, namespace, name]
    .filter((part) => part !== '')
    .map((part) => escapeGlob(part))
    .join('/')
}
