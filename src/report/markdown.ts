import type { PhrasingContent, Root, RootContent, TableRow } from 'mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { pathOf } from '../manifest/manifest'
import type { Finding, Report } from './report'
import { visible } from './visible'
import { count, countedFindings, placeOf, summaryOf, wayThrough, wayThroughLead } from './wording'

/** GitHub takes a job summary of 1 MiB; this leaves room for what else the step writes. */
const sizeLimit = 1_000_000

/**
 * A report as Markdown: the verdict and what was inspected first, then a table, excerpts, exceptions, what stood before,
 * and what was not inspected. Words from manifests stand in inline code, where they are neither markup nor a mention.
 */
export function markdownReport(report: Report, today: Date): string {
  const counted = countedFindings(report)
  const quiet = report.findings.filter(
    (finding) => finding.status === 'existing' && report.mode === 'change' && !finding.exception,
  )
  const excepted = report.findings.filter(({ exception }) => exception)
  const { skipped } = report.inspected
  const yaml = wayThrough(report, today)
  const parts: RootContent[][] = [
    [paragraph([{ type: 'strong', children: words(summaryOf(report)) }])],
    counted.length > 0 ? [tableOf(counted)] : [],
    yaml ? [paragraph(words(wayThroughLead)), code(yaml, 'yaml')] : [],
    listOf(
      'Exceptions in force',
      excepted,
      ({ rule, location, exception }) =>
        `${rule} ${placeOf(location)} until ${exception?.expires}: ${exception?.reason}`,
    ),
    listOf('Stood before this change', quiet, ({ rule, location, text }) => `${rule} ${placeOf(location)}: ${text}`),
    listOf('Not inspected', skipped, ({ path, reason }) => `${path}: ${reason}`),
    [paragraph(words(policiesIn(report)))],
    ...counted.map(excerptsOf),
  ]
  return cut(parts)
}

function tableOf(findings: readonly Finding[]): RootContent {
  const header = row(['Level', 'Place', 'Finding', 'Rule'].map((text) => [{ type: 'text', value: text }]))
  const rows = findings.map(({ level, location, text, rule }) =>
    row([[{ type: 'text', value: level }], [inlineCode(placeOf(location))], words(text), [inlineCode(rule)]]),
  )
  return { type: 'table', children: [header, ...rows] }
}

function excerptsOf({ location, related, rule, object }: Finding): RootContent[] {
  return [location, ...related]
    .filter((place) => place.excerpt)
    .flatMap((place) => [
      paragraph([
        inlineCode(rule),
        { type: 'text', value: ' ' },
        inlineCode(placeOf(place)),
        { type: 'text', value: ' ' },
        inlineCode(place.note ?? (object ? pathOf(object) : '')),
      ]),
      code(
        (place.excerpt?.lines ?? [])
          .map((line, index) => `${(place.excerpt?.startLine ?? 1) + index}  ${line}`)
          .join('\n'),
        'text',
      ),
    ])
}

function listOf<T>(title: string, items: readonly T[], line: (item: T) => string): RootContent[] {
  if (items.length === 0) return []
  return [
    { type: 'html', value: `<details><summary>${title}: ${items.length.toLocaleString('en')}</summary>` },
    {
      type: 'list',
      spread: false,
      children: items.slice(0, 200).map((item) => ({ type: 'listItem', children: [paragraph(words(line(item)))] })),
    },
    ...(items.length > 200 ? [paragraph(words(`and ${items.length - 200} more, in the JSON report.`))] : []),
    { type: 'html', value: '</details>' },
  ]
}

function policiesIn({ policies }: Report): string {
  return `Policies: ${policies.map(({ name, version, requested }) => `${name} ${requested} → ${version}`).join(', ')}.`
}

/** Plain words stay text; whatever else a sentence holds (names, paths, hosts) goes into inline code. */
function words(text: string): PhrasingContent[] {
  return visible(text)
    .split(/(`[^`]*`|\s+)/)
    .filter((piece) => piece !== '')
    .flatMap((piece): PhrasingContent[] => {
      if (/^\s+$/.test(piece)) return [{ type: 'text', value: ' ' }]
      if (/^`[^`]+`$/.test(piece)) return [inlineCode(piece.slice(1, -1))]
      const [, before = '', core = '', after = ''] = piece.match(/^([("]*)(.*?)([.,;:)"]*)$/s) ?? []
      if (/^[\p{L}\d’'–→-]*$/u.test(core)) return [{ type: 'text', value: piece }]
      return [{ type: 'text', value: before }, inlineCode(core), { type: 'text', value: after }]
    })
}

function inlineCode(text: string): PhrasingContent {
  return text === '' ? { type: 'text', value: '' } : { type: 'inlineCode', value: visible(text).replace(/\s+/g, ' ') }
}

function paragraph(children: PhrasingContent[]): RootContent & { type: 'paragraph' } {
  return { type: 'paragraph', children }
}

function code(value: string, lang: string): RootContent {
  return { type: 'code', lang, value: visible(value) }
}

function row(cells: PhrasingContent[][]): TableRow {
  return { type: 'tableRow', children: cells.map((children) => ({ type: 'tableCell', children })) }
}

/** As many parts as fit, in order; a table that does not fit is shortened, and what is left out is counted. */
function cut(parts: readonly RootContent[][]): string {
  let text = ''
  let left = 0
  for (const part of parts.filter(({ length }) => length > 0)) {
    const piece = `${render(part)}\n`
    if (Buffer.byteLength(text) + Buffer.byteLength(piece) <= sizeLimit) text += piece
    else {
      const shorter = shortened(part, sizeLimit - Buffer.byteLength(text))
      text += shorter
      left++
    }
  }
  return left === 0
    ? text
    : `${text}\n${count(left, 'part')} of this summary did not fit; the JSON report has everything.\n`
}

function shortened([first]: readonly RootContent[], room: number): string {
  if (first?.type !== 'table') return ''
  const rows = Math.floor((first.children.length * room) / Buffer.byteLength(render([first])) / 2)
  return rows < 2 ? '' : `${render([{ ...first, children: first.children.slice(0, rows) }])}\n`
}

function render(children: RootContent[]): string {
  const root: Root = { type: 'root', children }
  return toMarkdown(root, { extensions: [gfmTableToMarkdown({ tablePipeAlign: false })], bullet: '-' })
}
