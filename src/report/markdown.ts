import type { PhrasingContent, Root, RootContent, TableRow } from 'mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { pathOf } from '../manifest/manifest'
import type { Finding, Report } from './report'
import { visible, visibleLines } from './visible'
import {
  count,
  countedFindings,
  placeOf,
  sourceNamesOf,
  summaryOf,
  toolsOf,
  wayThrough,
  wayThroughLead,
} from './wording'

/** GitHub takes a job summary of 1 MiB; this leaves room for what else the step writes. */
const sizeLimit = 1_000_000
const mostRows = 1000
const mostExcerpts = 200
const mostItems = 200

/**
 * A report as Markdown: the verdict and what was inspected first, then a table, excerpts, exceptions, what stood before,
 * and what was not inspected. Words from manifests stand in inline code, where they are neither markup nor a mention.
 */
export function markdownReport(report: Report): string {
  const counted = countedFindings(report)
  const quiet = report.findings.filter(
    (finding) => finding.status === 'existing' && report.mode === 'change' && !finding.exception,
  )
  const excepted = report.findings.filter(({ exception }) => exception)
  const { skipped } = report.inspected
  const yaml = wayThrough(report)
  const parts: (() => RootContent[])[] = [
    () => [paragraph([{ type: 'strong', children: words(summaryOf(report)) }])],
    () => tableOf(counted),
    () => (yaml ? [paragraph(words(wayThroughLead)), code(yaml, 'yaml')] : []),
    () =>
      listOf('Exceptions in force', excepted, ({ rule, location, exception }) => [
        ...words(`${rule} ${placeOf(location)} until ${exception?.expires}: `),
        inlineCode(exception?.reason ?? ''),
      ]),
    () =>
      listOf('Stood before this change', quiet, ({ rule, location, text }) =>
        words(`${rule} ${placeOf(location)}: ${text}`),
      ),
    () => listOf('Not inspected', skipped, ({ path, reason }) => [inlineCode(path), text(': '), ...words(reason)]),
    () => [paragraph(words(policiesIn(report)))],
    () => (report.inspected.tools.length > 0 ? [paragraph(words(`Rendered with ${toolsOf(report.inspected)}.`))] : []),
    ...counted.slice(0, mostExcerpts).map((finding) => () => excerptsOf(finding)),
  ]
  return cut(parts)
}

/** One sentence as a summary of its own. */
export function markdownSentence(sentence: string): string {
  return render([paragraph([{ type: 'strong', children: words(sentence) }])])
}

function tableOf(findings: readonly Finding[]): RootContent[] {
  if (findings.length === 0) return []
  const header = row(['Level', 'Place', 'Finding', 'Rule'].map((title) => [text(title)]))
  const rows = findings
    .slice(0, mostRows)
    .map((finding) =>
      row([
        [text(finding.level)],
        [inlineCode(placeOf(finding.location))],
        words([finding.text, ...renderedFrom(finding)].join(' ')),
        [inlineCode(finding.rule)],
      ]),
    )
  return [{ type: 'table', children: [header, ...rows] }, ...andMore(findings.length - mostRows)]
}

function excerptsOf({ location, related, rule, object, rendered }: Finding): RootContent[] {
  const places = [location, ...related]
    .filter((place) => place.excerpt)
    .flatMap((place) => [
      paragraph([
        inlineCode(rule),
        text(' '),
        inlineCode(placeOf(place)),
        text(' '),
        inlineCode(place === location && object ? pathOf(object) : (place.note ?? '')),
        text(place === location && place.note ? `, ${place.note}` : ''),
      ]),
      code(
        (place.excerpt?.lines ?? [])
          .map((line, index) => `${(place.excerpt?.startLine ?? 1) + index}  ${line}`)
          .join('\n'),
        'text',
      ),
    ])
  return rendered ? [...places, paragraph(words('It renders to')), code(rendered.lines.join('\n'), 'text')] : places
}

/** The releases and Kustomizations that an object comes from, in a sentence. */
function renderedFrom(finding: Finding): string[] {
  const names = sourceNamesOf(finding)
  return names.length > 0 ? [`Rendered by ${names.join(', ')}.`] : []
}

function listOf<T>(title: string, items: readonly T[], line: (item: T) => PhrasingContent[]): RootContent[] {
  if (items.length === 0) return []
  return [
    { type: 'html', value: `<details><summary>${title}: ${items.length.toLocaleString('en')}</summary>` },
    {
      type: 'list',
      spread: false,
      children: items.slice(0, mostItems).map((item) => ({ type: 'listItem', children: [paragraph(line(item))] })),
    },
    ...andMore(items.length - mostItems),
    { type: 'html', value: '</details>' },
  ]
}

function andMore(number: number): RootContent[] {
  return number > 0 ? [paragraph(words(`and ${number.toLocaleString('en')} more, in the JSON report.`))] : []
}

function policiesIn({ policies }: Report): string {
  return `Policies: ${policies.map(({ name, version, requested }) => `${name} ${requested} → ${version}`).join(', ')}.`
}

/** Plain words stay text; whatever else a sentence holds (names, paths, hosts) goes into inline code. */
function words(sentence: string): PhrasingContent[] {
  const pieces = sentence.split(/(`[^`]*`|\s+)/).flatMap((piece): PhrasingContent[] => {
    if (/^\s*$/.test(piece)) return [text(piece === '' ? '' : ' ')]
    if (/^`[^`]+`$/.test(piece)) return [inlineCode(piece.slice(1, -1))]
    const [, before = '', core = '', after = ''] = piece.match(/^([("]*)(.*?)([.,;:)"]*)$/s) ?? []
    if (/^[\p{L}\d'’–→-]*$/u.test(core)) return [text(piece)]
    return [text(before), inlineCode(core), text(after)]
  })
  // One node for each run of words: the renderer takes its time for every node.
  return pieces.reduce<PhrasingContent[]>((joined, piece) => {
    const last = joined.at(-1)
    if (piece.type === 'text' && last?.type === 'text') joined[joined.length - 1] = text(last.value + piece.value)
    else joined.push(piece)
    return joined
  }, [])
}

function text(value: string): PhrasingContent & { type: 'text' } {
  return { type: 'text', value: value.trim() === '' ? value : visible(value) }
}

function inlineCode(value: string): PhrasingContent {
  return value === '' ? text('') : { type: 'inlineCode', value: visible(value) }
}

function paragraph(children: PhrasingContent[]): RootContent & { type: 'paragraph' } {
  return { type: 'paragraph', children }
}

function code(value: string, lang: string): RootContent {
  return { type: 'code', lang, value: visibleLines(value) }
}

function row(cells: PhrasingContent[][]): TableRow {
  return { type: 'tableRow', children: cells.map((children) => ({ type: 'tableCell', children })) }
}

/** As many parts as fit, in order; what does not is not rendered, and said. */
function cut(parts: readonly (() => RootContent[])[]): string {
  let summary = ''
  for (const [index, part] of parts.entries()) {
    const children = part()
    if (children.length === 0) continue
    const piece = `${render(children)}\n`
    if (Buffer.byteLength(summary) + Buffer.byteLength(piece) > sizeLimit) {
      return `${summary}${count(parts.length - index, 'part')} of this summary did not fit; the JSON report has everything.\n`
    }
    summary += piece
  }
  return summary
}

function render(children: RootContent[]): string {
  const root: Root = { type: 'root', children }
  return toMarkdown(root, { extensions: [gfmTableToMarkdown({ tablePipeAlign: false })], bullet: '-' })
}
