import { randomUUID } from 'node:crypto'
import type { Finding, Location, Report } from '../finding/report'
import { countsFor } from '../finding/report'
import type { Level } from '../policy/schema'
import { visible } from './words/visible'
import { count, wholeTextOf } from './words/wording'

/** One annotation of a pull request; without a line it is shown at its file, without a file at the run. */
export interface Annotation {
  readonly level: Level
  readonly title: string
  readonly message: string
  readonly file?: string
  readonly startLine?: number
  readonly endLine?: number
  readonly startColumn?: number
  readonly endColumn?: number
}

/** GitHub shows this many annotations of a level for one step. */
export const annotationLimit = 10

const levels: readonly Level[] = ['error', 'warning', 'notice']

/** The annotations of all the findings that count, errors first, and those on changed lines first among them. */
export function annotationsOf(report: Report): Annotation[] {
  return levels.flatMap((level) => annotationsAt(level, report))
}

/**
 * The annotations that a step may show. If a level has more, its last one has their number.
 *
 * @param remarks the levels of other annotations of the step
 */
export function shownAnnotations(report: Report, remarks: readonly Level[] = []): Annotation[] {
  return levels.flatMap((level) => {
    const all = annotationsAt(level, report)
    const room = annotationLimit - remarks.filter((other) => other === level).length
    if (all.length <= room) return all
    const shown = all.slice(0, room - 1)
    const message = `${count(all.length - shown.length, `more ${level}`)} of ingress-guard: see the job summary.`
    return [...shown, { level, title: 'ingress-guard', message }]
  })
}

function annotationsAt(level: Level, report: Report): Annotation[] {
  const findings = report.findings.filter((finding) => finding.level === level && countsFor(finding, report.mode))
  const changed = findings.filter(isOnChangedLine)
  return [...changed, ...findings.filter((finding) => !isOnChangedLine(finding))].map(annotationOf)
}

function isOnChangedLine({ location, related }: Finding): boolean {
  return location.changed === true || related.some((place) => place.changed)
}

function annotationOf(finding: Finding): Annotation {
  const { level, rule, location, related } = finding
  const title = visible(rule)
  const message = visible(wholeTextOf(finding))
  if (location.side === 'head') return { level, title, message, ...at(location) }
  // A finding of the gate about the base (its config, an unreadable file) is not a removal.
  if (!finding.object) return { level, title, message, file: visible(location.path) }
  const cause = related.find((place) => place.side === 'head' && place.path === location.path)
  return {
    level,
    title,
    message: `removed: was line ${location.region.startLine} at the base. ${message}`,
    ...(cause ? at(cause) : { file: visible(location.path) }),
  }
}

function at({ path, region, precision }: Location): Partial<Annotation> {
  const file = visible(path)
  if (precision === 'file') return { file }
  const { startLine, endLine, startColumn, endColumn } = region
  // GitHub takes columns only where start and end are on one line.
  return startLine === endLine && endColumn > startColumn
    ? { file, startLine, endLine, startColumn, endColumn }
    : { file, startLine, endLine }
}

/** The annotations as workflow commands, for jobs that run the command line. */
export function workflowCommands(report: Report): string {
  return shownAnnotations(report)
    .map(({ level, title, message, file, startLine, endLine, startColumn, endColumn }) => {
      const given = { title, file, line: startLine, endLine, col: startColumn, endColumn }
      const properties = Object.entries(given)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
      return `::${level} ${properties.join(',')}::${escapeData(message)}\n`
    })
    .join('')
}

/** Text that a workflow's log shows without running commands in it. */
export function withCommandsDisabled(text: string): string {
  const token = randomUUID()
  return `::stop-commands::${token}\n${text}::${token}::\n`
}

/** Source: actions/toolkit, packages/core/src/command.ts */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
