import { countsFor, type Finding, type FindingSource, type Inspected, type Report } from '../../finding/report'
import { abridged, shortened } from '../../listing'
import { pathOf } from '../../manifest/manifest'
import { withCommas } from '../../with-commas'
import { notAllSeenIn } from './coverage-words'
import { accountedIn } from './ledger'

/** `1 file`, `3 files`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${withCommas(number)} ${number === 1 ? noun : nouns}`
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

/** The summary line of a report: the verdict and the inspected files. */
export function summaryOf(report: Report): string {
  const files = report.unfinished ? '' : accountedIn(report.inspected.files ?? [])
  const seen = report.inspected.coverage ? notAllSeenIn(report.inspected.coverage) : ''
  return [foundIn(report), inspectedIn(report), coveredIn(report), files, seen].filter(Boolean).join(' ')
}

/** The clusters that were judged, where others were not. */
function coveredIn({ shard }: Report): string {
  if (!shard) return ''
  const judged = shard.all.filter(([name]) => name !== undefined && shard.judged.includes(name)).flat()
  return `Only the clusters ${abridged(judged)} were judged, ${shard.judged.length} of ${shard.all.length}: merge the reports of all.`
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
  // Findings that would fail any other run.
  const spared = report.failOn === 'never' && levels.length > 0 ? '; nothing fails, because `fail-on` is `never`' : ''
  return `ingress-guard ${found}${report.verdict === 'fail' ? outcome : spared}.`
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
    return `No object differs in ${compared}, only the description of a cluster or a chart with assumed values (${count(head.files, 'YAML or JSON file')} listed).`
  const isSeen = inspected.files?.some(({ state }) => ['judged', 'input', 'described', 'not-judged'].includes(state))
  if (touched === 0 && isSeen)
    return `No object differs in ${compared} (${count(head.files, 'YAML or JSON file')} listed).`
  if (touched === 0)
    return `Nothing was inspected: no object differs in ${compared} (${count(head.files, 'YAML or JSON file')} listed).`
  return `Inspected ${compared}: ${changes.added} added, ${changes.changed} changed, ${changes.removed} removed; read ${read(head)}.`
}

/** `none of the 4 YAML or JSON files of`, with variants for no file and for one. */
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

/**
 * `apps/web.yaml:12:7`, or `apps/web.yaml (was line 12)` for a place of the base; the file alone where no line is
 * known.
 */
export function placeOf({ path, side, region, precision }: Finding['location']): string {
  if (precision === 'file') return side === 'base' ? `${path} (at the base)` : path
  return side === 'base'
    ? `${path} (was line ${region.startLine} at the base)`
    : `${path}:${region.startLine}:${region.startColumn}`
}

/** The clusters of a finding's objects, by name. */
export function clustersOf({ sources }: Finding): string[] {
  return [...new Set(sources.map(({ cluster }) => cluster))].filter(Boolean).sort()
}

/** Statements of other rules about the same cause, a sentence each. */
export function consequencesOf({ also = [] }: Finding): string[] {
  return also.map(({ rule, text }) => `Also ${rule}: ${text}`)
}

/** The text of a finding with the statements of other rules about its cause. */
export function wholeTextOf(finding: Finding): string {
  return [finding.text, ...consequencesOf(finding)].join(' ')
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
