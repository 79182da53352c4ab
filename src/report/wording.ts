import { escape as escapeGlob } from 'minimatch'
import { stringify } from 'yaml'
import { countsFor, type Finding, type FindingSource, type Inspected, type Report, reaches } from '../finding/report'
import { shortened } from '../listing'
import { type ObjectRef, pathOf } from '../manifest/manifest'
import { configPath, notJudgedRule } from '../policy/names'
import type { Exception } from '../policy/schema'
import { notAllSeenIn } from './coverage-words'
import { accountedIn } from './ledger'

/** `1 file`, `3 files`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`
}

/** The findings that the verdict rests on, worst first. */
export function countedFindings(report: Report): Finding[] {
  return worstFirst(report.findings.filter((finding) => countsFor(finding, report.mode)))
}

/** Errors, then warnings, then notices, each in their order. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  const order = ['error', 'warning', 'notice']
  return [...findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

/** The summary line of a report: the verdict, and what was inspected. */
export function summaryOf(report: Report): string {
  const files = report.unfinished ? '' : accountedIn(report.inspected.files ?? [])
  const seen = report.inspected.coverage ? notAllSeenIn(report.inspected.coverage) : ''
  return [foundIn(report), inspectedIn(report), files, seen].filter(Boolean).join(' ')
}

/** The verdict in one sentence, which holds no word from a manifest. */
export function foundIn(report: Report): string {
  const counted = countedFindings(report)
  const levels = (['error', 'warning', 'notice'] as const)
    .map((level) => ({ level, number: counted.filter((finding) => finding.level === level).length }))
    .filter(({ number }) => number > 0)
    .map(({ level, number }) => count(number, level))
  const found = levels.length > 0 ? `found ${levels.join(', ')}` : 'found nothing'
  const outcome = report.mode === 'all' ? ' and fails' : ' and blocks this change'
  return `ingress-guard ${found}${report.verdict === 'fail' ? outcome : ''}.`
}

function inspectedIn(report: Report): string {
  const { mode, inspected } = report
  const { base, head, changes } = inspected
  if (mode === 'all') {
    if (report.unfinished) return `Not all of ${head.revision} was checked: the time limit of the run was reached.`
    if (head.manifests === 0) return `Nothing was inspected: ${noneOf(head.files)} ${head.revision} has a manifest.`
    return `Inspected all of ${head.revision}: ${read(head)}.`
  }
  const compared = `${base?.revision} → ${head.revision}`
  if (report.unfinished) return `Not all of ${compared} was checked: the time limit of the run was reached.`
  const touched = changes.added + changes.changed + changes.removed
  if (touched === 0 && report.findings.some(({ rule }) => /^source\/un(?:readable|rendered)$/.test(rule))) {
    return `Nothing more of ${compared} could be inspected (${count(head.files, 'YAML or JSON file')} listed).`
  }
  if (touched === 0 && report.findings.some(({ policy, status }) => policy && status === 'introduced'))
    return `No object differs in ${compared}, only the description of a cluster (${count(head.files, 'YAML or JSON file')} listed).`
  const isSeen = inspected.files?.some(({ state }) => ['judged', 'input', 'described', 'not-judged'].includes(state))
  if (touched === 0 && isSeen)
    return `No object differs in ${compared} (${count(head.files, 'YAML or JSON file')} listed).`
  if (touched === 0)
    return `Nothing was inspected: no object differs in ${compared} (${count(head.files, 'YAML or JSON file')} listed).`
  return `Inspected ${compared}: ${changes.added} added, ${changes.changed} changed, ${changes.removed} removed; read ${read(head)}.`
}

/** `none of the 4 YAML or JSON files of`, and the like for none and for one. */
function noneOf(files: number): string {
  if (files === 0) return 'no file of'
  return files === 1 ? 'not even the one YAML or JSON file of' : `none of the ${count(files, 'YAML or JSON file')} of`
}

function read({ manifests, sources, rendered }: Inspected): string {
  const places = [
    ...(sources > rendered || rendered === 0 ? [count(sources - rendered, 'file')] : []),
    ...(rendered > 0
      ? [count(rendered, 'rendered release or Kustomization', 'rendered releases and Kustomizations')]
      : []),
  ]
  return `${count(manifests, 'object')} in ${places.join(' and ')}`
}

/** `helm v4.1.4, kubectl v1.35.2` */
export function toolsOf({ tools, confinement }: Report['inspected']): string {
  const named = tools.map(({ name, version }) => `${name} ${version}`).join(', ')
  return confinement === 'no-network' ? `${named}, without network` : named
}

/** `apps/web.yaml:12:7`, or `apps/web.yaml (was line 12)` for a place of the base; the file alone where no line is known. */
export function placeOf({ path, side, region, precision }: Finding['location']): string {
  if (precision === 'file') return side === 'base' ? `${path} (at the base)` : path
  return side === 'base'
    ? `${path} (was line ${region.startLine} at the base)`
    : `${path}:${region.startLine}:${region.startColumn}`
}

/** The clusters that a finding's objects go to, by name. */
export function clustersOf({ sources }: Finding): string[] {
  return [...new Set(sources.map(({ cluster }) => cluster))].filter(Boolean).sort()
}

/** An object and its destination, in one phrase. */
export function subjectOf(finding: Finding): string {
  const clusters = clustersOf(finding)
  return [
    ...objectNamesOf(finding),
    ...sourceNamesOf(finding),
    ...(clusters.length > 0 ? [`cluster ${clusters.join(', ')}`] : []),
  ]
    .filter(Boolean)
    .join(', ')
}

/** The objects that a finding is about: eight of them, and how many more. */
export function objectNamesOf({ object, likewise = [] }: Finding): string[] {
  const names = [...new Set([...(object ? [object] : []), ...likewise].map(pathOf))]
  return shortened(names, 8)
}

/** The releases and Kustomizations a finding's objects are rendered by: three of them, and how many more. */
export function sourceNamesOf({ sources }: Finding): string[] {
  const names = [...new Set(sources.flatMap((source) => (source.kind === 'file' ? [] : [sourceName(source)])))]
  return shortened(names, 3)
}

/** `release two/ingress-nginx of charts/ingress-nginx with teams/two/values.yaml`. */
function sourceName(source: Exclude<FindingSource, { kind: 'file' }>): string {
  if (source.kind === 'kustomize') return `Kustomization ${source.path}`
  const { release, namespace, path, values, version, repository } = source
  const from = repository === undefined ? '' : ` ${version} of ${repository}`
  return `release ${namespace}/${release} of ${path}${from}${values.length > 0 ? ` with ${values.join(', ')}` : ''}`
}

/** An exception as the config takes it. */
type SuggestedEntry = Omit<Exception, 'cluster'>

/** The exception to merge first: a sentence, and the YAML to paste. */
export interface SuggestedException {
  readonly lead: string
  readonly yaml: string
  /** How many entries were not written out. */
  readonly left: number
}

/**
 * Suggests how to allow a wanted change, with at most so many entries of each kind; undefined if nothing blocks the
 * change, or only a fix helps.
 */
export function suggestException(report: Report, most = Number.POSITIVE_INFINITY): SuggestedException | undefined {
  const stopping = countedFindings(report).filter(({ level }) => level === 'error' || reaches(level, report.failOn))
  // An inventory that cannot be read is placed where the config names it; ignoring the config does not fix it.
  const unreadable = stopping.filter(
    ({ rule, location }) => rule === 'source/unreadable' && location.path !== report.config.path,
  )
  const expires = new Date(Date.parse(report.today) + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const exceptions = new Map(
    stopping.flatMap(({ rule, policy, object, likewise = [], sources }): [string, SuggestedEntry][] => {
      if (rule === notJudgedRule)
        return sources.map(({ path: file }) => {
          const glob = escapeGlob(file)
          return [`${rule} ${glob}`, { rule, path: glob, reason: 'Say why this is wanted.', expires }]
        })
      if (!policy || !object) return []
      return [object, ...likewise].map((one) => {
        const glob = escapedPathOf(one)
        return [`${rule} ${glob}`, { rule, object: glob, reason: 'Explain why this is intended.', expires }]
      })
    }),
  )
  const files = new Set(unreadable.map(({ location }) => escapeGlob(location.path)))
  if (exceptions.size === 0 && files.size === 0) return undefined
  const { path, ignore } = report.config
  const [someFiles, someExceptions] = [[...files].slice(0, most), [...exceptions.values()].slice(0, most)]
  const left = files.size - someFiles.length + exceptions.size - someExceptions.length
  const lists = {
    ...(files.size > 0 ? { ignore: [...ignore, ...someFiles] } : {}),
    ...(exceptions.size > 0 ? { exceptions: someExceptions } : {}),
  }
  const whole = report.mode === 'all'
  const wanted = whole ? 'If this is intended,' : 'If this change is intended, first'
  const apart = whole ? '' : ' in a separate pull request'
  return path === null
    ? {
        lead: `${wanted} add this as ${configPath}${apart}:`,
        yaml: stringify({ format: 1, ...lists }).trimEnd(),
        left,
      }
    : {
        lead: `${wanted} add this to ${path}${apart} (extend a list that exists already):`,
        yaml: stringify(lists).trimEnd(),
        left,
      }
}

/** An object as a glob that names it and nothing else. */
function escapedPathOf({ kind, namespace, name }: ObjectRef): string {
  return [kind, namespace, name]
    .filter((part) => part !== '')
    .map((part) => escapeGlob(part))
    .join('/')
}
