import type { Report, Skipped } from '../../finding/report'
import { causeText } from '../../ledger/causes'
import type { FileState, LedgerEntry } from '../../ledger/entry'
import { abridged } from '../../listing'
import { withCommas } from '../../with-commas'

/** The words with which the summary counts files of a state: for one file, and for several. */
const states: readonly (readonly [FileState, one: string, several: string])[] = [
  ['judged', 'judged', 'judged'],
  ['input', 'input of what was judged', 'inputs of what was judged'],
  ['described', 'of config', 'of config'],
  ['not-kubernetes', 'not Kubernetes', 'not Kubernetes'],
  ['not-deployed', 'not deployed', 'not deployed'],
  ['not-judged', 'not judged', 'not judged'],
]

/** A state in words, of one file. */
export function stateText(state: FileState): string {
  return states.find(([one]) => one === state)?.[1] ?? state
}

/** The number of files that the summary names. */
const mostNamed = 3
/** The number of places that are named for one cause. */
const mostPlaces = 3

/** `13 changed files: 11 judged, 1 not Kubernetes, 1 not judged: apps/web.yaml.`; empty if no file changed. */
export function accountedIn(files: readonly LedgerEntry[]): string {
  if (files.length === 0) return ''
  const counts = states.flatMap(([state, one, several]) => {
    const number = files.filter((file) => file.state === state).length
    return number === 0 ? [] : [`${withCommas(number)} ${number === 1 ? one : several}`]
  })
  const open = notJudgedIn(files).map(({ path }) => path)
  const named = open.length > 0 ? `: ${abridged(open, mostNamed)}` : ''
  const noun = files.length === 1 ? 'changed file' : 'changed files'
  return `${withCommas(files.length)} ${noun}: ${counts.join(', ')}${named}.`
}

function notJudgedIn(files: readonly LedgerEntry[]): LedgerEntry[] {
  return files.filter(({ state }) => state === 'not-judged')
}

/** A line of the list of what was not inspected. */
export interface NotInspectedLine {
  readonly places: readonly string[]
  /** The number of further places. */
  readonly more: number
  readonly reason: string
}

/**
 * The list of what was not inspected: changed files first, each with its reason; then files that the change does not
 * touch, with all places of one cause in one line.
 */
export function notInspectedIn({
  files = [],
  skipped,
}: Pick<Report['inspected'], 'files' | 'skipped'>): NotInspectedLine[] {
  const open = notJudgedIn(files)
  const changed = new Set(files.map(({ path }) => path))
  const listed = new Set(open.map(({ path }) => path))
  const touched = skipped.filter(({ path }) => changed.has(path) && !listed.has(path))
  return [
    ...[...open, ...touched].map(({ path, reason }) => ({ places: [path], more: 0, reason })),
    ...grouped(skipped.filter(({ path }) => !changed.has(path))),
  ]
}

function grouped(skipped: readonly Skipped[]): NotInspectedLine[] {
  const groups = new Map<string, Skipped[]>()
  for (const one of skipped) {
    const key = one.cause === undefined ? JSON.stringify([one.reason]) : one.cause
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const places = [...new Set(group.map(({ path }) => path))]
    const { cause } = first
    const alike = group.every(({ reason }) => reason === first.reason)
    const reason = alike || cause === undefined ? first.reason : `${withCommas(group.length)} ${causeText(cause).many}`
    return [{ places: places.slice(0, mostPlaces), more: Math.max(0, places.length - mostPlaces), reason }]
  })
}

/** The places of a line, in words. */
export function placesOf({ places, more }: NotInspectedLine): string {
  return more > 0 ? `${places.join(', ')} and ${withCommas(more)} more` : places.join(', ')
}
