import { gzipSync } from 'node:zlib'
import type { Log, Notification, Region, ReportingDescriptor, Result, Location as SarifLocation } from 'sarif'
import type { Finding, Location, Report } from '../finding/report'
import { pathOf } from '../manifest/manifest'
import type { Level } from '../policy/schema'
import { visible } from './words/visible'
import { count, countedFindings, placeOf, wholeTextOf, worstFirst } from './words/wording'

/**
 * The limits of code scanning. Source: GitHub's docs, "SARIF results exceed one or more limits" and "SARIF file too
 * large"
 */
const limits = { results: 25_000, gzipped: 10_000_000 }
/** The limit for one result; code scanning shows none of a larger number. */
const maxRelated = 100
/** The limit of notifications about files that were not inspected. */
const maxNotifications = 1000

const levels = { error: 'error', warning: 'warning', notice: 'note' } as const satisfies Record<Level, string>

/** The facts about the tool that a report does not contain. */
export interface ToolDescription {
  readonly version: string
  /** A rule's description, and its page if it has one. */
  describe(rule: string): { readonly summary: string; readonly page?: string }
}

/**
 * A report as SARIF 2.1.0: the findings that count, and those with an exception as suppressed ones. Existing findings
 * are left out, because code scanning treats every result as new.
 */
export function sarifReport(report: Report, tool: ToolDescription): string {
  const excepted = report.findings.filter(
    ({ exception, status }) =>
      exception && (status === 'introduced' || (report.mode === 'all' && status === 'existing')),
  )
  const findings = [...countedFindings(report), ...worstFirst(excepted)]
  for (let most = Math.min(findings.length, limits.results); ; most = Math.floor(most / 2)) {
    const text = `${JSON.stringify(logOf(report, findings.slice(0, most), findings.length, tool), null, 1)}\n`
    if (most === 0 || text.length < limits.gzipped / 4 || gzipSync(text).length < limits.gzipped) return text
  }
}

function logOf(report: Report, findings: readonly Finding[], all: number, tool: ToolDescription): Log {
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort()
  const indices = new Map(ids.map((id, index) => [id, index]))
  const left = all - findings.length
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'ingress-guard',
            version: tool.version,
            semanticVersion: tool.version,
            rules: ids.map((id) => descriptorOf(id, findings, tool)),
          },
          extensions: report.policies.map(({ name, version }) => ({ name, semanticVersion: version })),
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: !report.unfinished,
            toolExecutionNotifications: [
              ...(left > 0
                ? [notification('warning', `${count(left, 'finding')} left out here: see the JSON report.`)]
                : []),
              ...report.inspected.skipped
                .slice(0, maxNotifications)
                .map(({ path, reason }) => notification('note', `${path} was not inspected: ${reason}`)),
            ],
          },
        ],
        results: resultsOf(findings, indices, report.mode),
        properties: { verdict: report.verdict },
      },
    ],
  }
}

function descriptorOf(id: string, findings: readonly Finding[], tool: ToolDescription): ReportingDescriptor {
  const { summary, page = '' } = tool.describe(id)
  const [policy = '', rule = ''] = id.split('/')
  const worst = worstFirst(findings.filter((finding) => finding.rule === id))[0]
  const help = [summary, ...sectionsOf(page)].join('\n\n')
  return {
    id,
    name: rule.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: summary },
    fullDescription: { text: summary },
    help: { text: help, markdown: help },
    defaultConfiguration: { level: levels[worst?.level ?? 'error'] },
    properties: { tags: ['kubernetes', 'ingress', policy], precision: 'high' },
  }
}

/** The sections of a rule's page on the reason for blocking and the fix; links into the repository become text. */
function sectionsOf(page: string): string[] {
  return page
    .split(/^(?=## )/m)
    .filter((section) => /^## (?:What it stops|What to do|A wanted change)\n/.test(section))
    .map((section) => section.replace(/\[([^\]]*)\]\((?!https:)[^)]*\)/g, '$1').trim())
}

function resultsOf(findings: readonly Finding[], indices: ReadonlyMap<string, number>, mode: Report['mode']): Result[] {
  const seen = new Map<string, number>()
  return findings.map((finding) => {
    const { rule, level, fingerprint, exception, fix } = finding
    const primary = primaryOf(finding)
    const nth = (seen.get(fingerprint) ?? 0) + 1
    seen.set(fingerprint, nth)
    const identity = `${fingerprint}:${nth}`
    const related = [finding.location, ...finding.related].filter((place) => place !== primary).slice(0, maxRelated - 1)
    return {
      ruleId: rule,
      ruleIndex: indices.get(rule) ?? -1,
      level: levels[level],
      message: { text: plain(wholeTextOf(finding)) },
      locations: [{ ...locationOf(primary), ...logicalOf(finding) }],
      ...(related.length > 0
        ? {
            relatedLocations: related.map((place, id) => ({
              id,
              ...locationOf(place),
              message: { text: plain(`${place.note ?? 'see also'}: ${placeOf(place)}`) },
            })),
          }
        : {}),
      partialFingerprints: {
        'ingressGuard/v1': identity,
        // The upload computes this fingerprint from the line's text and warns about any other; for a deleted file it
        // cannot.
        ...(primary.side === 'base' ? { primaryLocationLineHash: identity } : {}),
      },
      ...(mode === 'change' ? { baselineState: 'new' as const } : {}),
      ...(exception
        ? {
            suppressions: [
              {
                kind: 'external' as const,
                status: 'accepted' as const,
                justification: plain(`${exception.reason} (until ${exception.expires})`),
              },
            ],
          }
        : {}),
      ...(fix ? { fixes: [fixOf(fix)] } : {}),
    }
  })
}

/** Code scanning shows a pull request only results on changed lines, so such a place of the finding goes first. */
function primaryOf({ location, related }: Finding): Location {
  if (location.changed) return location
  return (
    related.find((place) => place.changed && place.side === 'head') ??
    [location, ...related].find((place) => place.side === 'head' && place.path === location.path) ??
    location
  )
}

function locationOf({ path, region, precision }: Location): SarifLocation {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(path), uriBaseId: '%SRCROOT%' },
      region: precision === 'file' ? { startLine: 1 } : regionOf(region),
    },
  }
}

function regionOf({ startLine, startColumn, endLine, endColumn }: Location['region']): Region {
  return { startLine, startColumn, endLine, endColumn }
}

function logicalOf({ object }: Finding): Pick<SarifLocation, 'logicalLocations'> {
  return object ? { logicalLocations: [{ fullyQualifiedName: plain(pathOf(object)), kind: 'resource' }] } : {}
}

function fixOf({ edits }: NonNullable<Finding['fix']>): NonNullable<Result['fixes']>[number] {
  return {
    artifactChanges: edits.map(({ path, region, newText }) => ({
      artifactLocation: { uri: uriOf(path), uriBaseId: '%SRCROOT%' },
      replacements: [{ deletedRegion: regionOf(region), insertedContent: { text: newText } }],
    })),
  }
}

function notification(level: Notification['level'] & string, text: string): Notification {
  return { level: level as Notification.level, message: { text: plain(text) } }
}

function uriOf(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd')))
    .join('/')
}

/**
 * Text in which nothing is a link, a tag, a mention or a reference: SARIF knows links in it, and code scanning carries
 * it into a comment, which GitHub reads as Markdown.
 */
function plain(text: string): string {
  return visible(text)
    .replace(/(?<![\p{L}\p{N}_])[@#](?=[\p{L}\p{N}])/gu, (mark) => `\\x${mark.charCodeAt(0).toString(16)}`)
    .replaceAll('](', ']\\x28')
    .replace(/<(?=[A-Za-z/!?])/g, '\\x3c')
}
