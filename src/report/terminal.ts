import type { Finding, Location, Report } from '../finding/report'
import { abridged } from '../listing'
import type { Level } from '../policy/schema'
import { afterMerge } from './after-merge'
import { bumpLines } from './bumps'
import { suggestException } from './suggestion'
import { notInspectedIn, placesOf, stateText } from './words/ledger'
import { visible, visibleLines } from './words/visible'
import {
  consequencesOf,
  count,
  countedFindings,
  foundIn,
  placeOf,
  subjectOf,
  summaryOf,
  toolsOf,
} from './words/wording'

/** Paints text; the identity where colour is not wanted. */
export type Paint = (style: 'red' | 'yellow' | 'green' | 'cyan' | 'blue' | 'dim' | 'bold', text: string) => string

const colours: Record<Level, 'red' | 'yellow' | 'blue'> = { error: 'red', warning: 'yellow', notice: 'blue' }

/** Places that a finding relates to; a reader at a terminal scrolls past more of them. */
const maxRelated = 8

/** Releases of charts with a new version. */
const maxBumps = 5

/**
 * The amount of detail: `quiet` shows only findings that count, `verbose` also details that are shortened otherwise.
 */
export type Detail = 'quiet' | 'normal' | 'verbose'

/** A report for a terminal: a frame for each finding, worst first, a summary line, the suggested exception. */
export function terminalReport(report: Report, paint: Paint, detail: Detail = 'normal'): string {
  const blocks = countedFindings(report).map((finding) => findingBlock(finding, paint))
  if (detail === 'quiet') {
    if (report.verdict === 'fail') blocks.push(paint('bold', visible(foundIn(report))))
    return blocks.map((block, index) => `${index > 0 ? '\n' : ''}${block}\n`).join('')
  }
  const bumps = report.inspected.bumps ?? []
  const shown = detail === 'verbose' ? bumps : bumps.slice(0, maxBumps)
  for (const bump of shown) blocks.push(bumpLines(bump).map(visible).join('\n'))
  const left = bumps.length - shown.length
  if (left > 0) blocks.push(`${count(left, 'more release')} of charts with a new version: see the JSON report.`)
  const lines = [...(detail === 'verbose' ? detailLines(report) : []), ...quietLines(report, detail)]
  blocks.push([...lines.map(visible), paint('bold', visible(summaryOf(report)))].join('\n'))
  const suggested = suggestException(report)
  if (suggested)
    blocks.push(
      `${visible(suggested.lead)}\n\n${indent(visibleLines(suggested.yaml))}`,
      ...suggested.others.map(visible),
      ...afterMerge(report),
    )
  return `${blocks.join('\n\n')}\n`
}

function findingBlock(finding: Finding, paint: Paint): string {
  const { level, rule, text, location, related, policy } = finding
  const about = [subjectOf(finding), policy ? `policy ${policy.name} ${policy.version}` : ''].filter(Boolean)
  return [
    `${paint(colours[level], level)} ${paint('bold', rule)} ${visible(placeOf(location))}${location.note ? `, ${visible(location.note)}` : ''}`,
    ...frame(location, paint),
    ...[text, ...consequencesOf(finding)].map((sentence) => `  ${visible(sentence)}`),
    ...renderedLines(finding, paint),
    ...relatedLines(related).map((line) => `  ${paint('dim', visible(line))}`),
    ...(about.length > 0 ? [`  ${paint('dim', visible(about.join(' · ')))}`] : []),
  ].join('\n')
}

function relatedLines(related: readonly Location[]): string[] {
  // Several places with only a known file have the same text.
  const lines = [...new Set(related.map((place) => `${place.note ?? 'see also'}: ${placeOf(place)}`))]
  const shown = lines.slice(0, maxRelated)
  const left = lines.length - shown.length
  return left > 0 ? [...shown, `and ${count(left, 'more place')}, in the JSON report`] : shown
}

/** The lines around a place, its first line marked. */
function frame({ excerpt, region }: Location, paint: Paint): string[] {
  if (!excerpt) return []
  const width = String(excerpt.startLine + excerpt.lines.length).length
  return excerpt.lines.flatMap((text, index) => {
    const number = excerpt.startLine + index
    const line = `${String(number).padStart(width)} | ${visible(text.replaceAll('\t', ' '))}`
    if (number !== region.startLine) return [paint('dim', `    ${line}`)]
    if (region.endLine !== region.startLine) return [`  > ${line}`]
    const [start, end] = [region.startColumn - 1, region.endColumn - 1]
    if (start > text.length) return [`  > ${line}`]
    const indent = ' '.repeat(visible(text.slice(0, start)).length)
    const marks = '^'.repeat(Math.max(1, visible(text.slice(start, end)).length))
    return [`  > ${line}`, paint('red', `    ${' '.repeat(width)} | ${indent}${marks}`)]
  })
}

/** The value that a rendered object has there, which no file shows. */
function renderedLines({ rendered }: Finding, paint: Paint): string[] {
  if (!rendered) return []
  const lines = rendered.lines.map((line) => `    | ${visible(line.replaceAll('\t', ' '))}`)
  return ['  rendered:', ...lines].map((line) => paint('dim', line))
}

/** The outcome for each changed file, and the policies in force. */
function detailLines({ inspected, policies }: Report): string[] {
  return [
    ...(inspected.files ?? []).map(({ path, state, reason }) => `${path}: ${stateText(state)}, ${reason}`),
    `Policies: ${policies.map(({ name, version }) => `${name} ${version}`).join(', ')}.`,
  ]
}

/** Findings that this change did not cause, in a line each. */
function quietLines({ findings, inspected, mode }: Report, detail: Detail): string[] {
  const existing = findings.filter(({ status }) => status === 'existing' && mode === 'change')
  const resolved = findings.filter(({ status }) => status === 'resolved')
  const excepted = findings.filter(({ exception }) => exception)
  return [
    ...excepted.map(
      ({ rule, location, exception }) =>
        `excepted until ${exception?.expires}: ${rule} ${placeOf(location)} (${exception?.reason})`,
    ),
    ...existing
      .filter(({ policy }) => !policy || detail === 'verbose')
      .map(({ rule, text, location }) => `existed before this change: ${rule} ${placeOf(location)}: ${text}`),
    ...(existing.some(({ policy }) => policy)
      ? [`${count(existing.filter(({ policy }) => policy).length, 'finding')} existed before this change.`]
      : []),
    ...(detail === 'verbose' ? resolved : []).map(
      ({ rule, text, location }) => `resolved: ${rule} ${placeOf(location)}: ${text}`,
    ),
    ...(resolved.length > 0 ? [`This change resolves ${count(resolved.length, 'finding')}.`] : []),
    ...(inspected.tools.length > 0 ? [`Rendered with ${toolsOf(inspected)}.`] : []),
    ...notInspected(inspected, detail),
  ]
}

function notInspected(inspected: Report['inspected'], detail: Detail): string[] {
  if (detail === 'verbose') return inspected.skipped.map(({ path, reason }) => `Not inspected: ${path}: ${reason}`)
  const listed = notInspectedIn(inspected).map((line) => `${placesOf(line)} (${line.reason})`)
  return listed.length > 0 ? [`Not inspected: ${abridged(listed, 5)}.`] : []
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ')
}
