import type { BlockContent, PhrasingContent, RootContent } from 'mdast'
import type { Finding, Location, Report } from '../finding/report'
import { withCommas } from '../with-commas'
import { afterMerge } from './after-merge'
import { bumpSection } from './bumps'
import { type ByteBudget, fitSections, type Section } from './byte-budget'
import { coverageSection } from './coverage-markdown'
import { code, inlineCode, paragraph, rendered, row, strong, text, words } from './markdown-nodes'
import { numbersOf, pictureOf } from './picture'
import { suggestException } from './suggestion'
import { notInspectedIn } from './words/ledger'
import {
  clustersOf,
  consequencesOf,
  count,
  countedFindings,
  objectNamesOf,
  placeOf,
  sourceNamesOf,
  summaryOf,
  toolsOf,
  wholeTextOf,
} from './words/wording'

/** GitHub accepts a job summary of 1 MiB; this leaves space for the step's other output. */
const jobSummary: ByteBudget = { bytes: 1_000_000, rest: 'the JSON report' }
/** Related places of one finding. */
const maxRelated = 5
/** The limit of suggested exceptions: beyond it, change the policies. */
const maxEntries = 50

/**
 * A report as Markdown: first the verdict and what was inspected, then the findings by cluster in tables, which
 * controller serves which Ingresses, what new versions of charts bring, the suggested exceptions, exceptions in use,
 * existing findings, skipped files and why, policies; and last every finding with its lines. Text from manifests is
 * inline code, so that it is neither markup nor a mention.
 */
export function markdownReport(report: Report, room: ByteBudget = jobSummary): string {
  const { findings, mode, inspected } = report
  const counted = countedFindings(report)
  const quiet = findings.filter(({ status, exception }) => status === 'existing' && mode === 'change' && !exception)
  const excepted = findings.filter(({ exception }) => exception)
  const resolved = findings.filter(({ status }) => status === 'resolved')
  const clusters = grouped(counted, (finding) => clustersOf(finding).join(', '))
  const sections = [
    plain([paragraph([strong(words(summaryOf(report)))])]),
    ...tablesOf(clusters),
    picturesOf(report),
    bumpSection(inspected.bumps ?? []),
    exceptionSection(report),
    folded(
      'Exceptions in force',
      'exception',
      report.config.exceptions,
      ({ rule, object, path: files, cluster, reason, expires }) => [
        paragraph([
          inlineCode(rule),
          text(' for '),
          inlineCode(object ?? files ?? ''),
          ...words(`${cluster ? ` in cluster ${cluster}` : ''} until ${expires}: `),
          inlineCode(reason),
        ]),
      ],
    ),
    folded('Excepted findings', 'finding', excepted, ({ rule, location, exception }) => [
      paragraph([
        ...placed(rule, location),
        ...words(`until ${exception?.expires}: `),
        inlineCode(exception?.reason ?? ''),
      ]),
    ]),
    folded('Existed before this change', 'finding', quiet, ({ rule, location, text: sentence }) => [
      paragraph([...placed(rule, location), ...words(sentence)]),
    ]),
    folded('Not inspected', 'line', notInspectedIn(inspected), ({ places, more, reason }) => [
      paragraph([
        ...places.flatMap((place, index) => [...(index > 0 ? [text(', ')] : []), inlineCode(place)]),
        text(more > 0 ? ` and ${withCommas(more)} more: ` : ': '),
        ...words(reason),
      ]),
    ]),
    ...(inspected.coverage ? [coverageSection(inspected.coverage)] : []),
    plain(resolved.length > 0 ? [paragraph(words(`This change resolves ${count(resolved.length, 'finding')}.`))] : []),
    plain([paragraph(words(policiesIn(report)))]),
    plain(inspected.tools.length > 0 ? [paragraph(words(`Rendered with ${toolsOf(inspected)}.`))] : []),
    folded('Every finding with its lines', 'finding', [...clusters.values()].flat(), storyOf),
  ]
  return fitSections(sections, room)
}

/** One sentence as a summary of its own. */
export function markdownSentence(sentence: string): string {
  return rendered([paragraph([strong(words(sentence))])])
}

/** The statement of a rule, as a paragraph. */
export function markdownStatement({ rule, text: stated }: Pick<Finding, 'rule' | 'text'>): string {
  return rendered([paragraph([strong([inlineCode(rule)]), text(' '), ...words(stated)])])
}

/** A table for each cluster, with one row for the findings of one rule in one folder. */
function tablesOf(clusters: ReadonlyMap<string, readonly Finding[]>): Section[] {
  return [...clusters].map(([cluster, its]) => {
    const name: PhrasingContent[] = cluster === '' ? [text('Other files')] : [text('Cluster '), inlineCode(cluster)]
    const number = text(`: ${count(its.length, 'finding')}`)
    const heading: RootContent = { type: 'heading', depth: 3, children: [...name, number] }
    const titles = row(['Level', 'Place', 'Finding', 'Rule'].map((title) => [text(title)]))
    const alike = grouped(its, ({ level, rule, location }) => JSON.stringify([level, rule, folderOf(location)]))
    return {
      head: rendered([
        ...(clusters.size > 1 || cluster !== '' ? [heading] : []),
        { type: 'table', children: [titles] },
      ]),
      foot: '\n',
      noun: 'row',
      pieces: [...alike.values()].map((those) => () => tableLine(those)),
    }
  })
}

/** Rendered below a header, which a table cannot do without, and taken from there. */
function tableLine(findings: readonly Finding[]): string {
  const [first] = findings as [Finding]
  const { location, rule, level } = first
  const place = inlineCode(placeOf(location))
  const cells = [
    [text(level)],
    findings.length === 1
      ? [place]
      : [text(`${withCommas(findings.length)} in `), inlineCode(folderOf(location)), text(', the first at '), place],
    words([wholeTextOf(first), ...renderedFrom(first)].join(' ')),
    [inlineCode(rule)],
  ]
  const table: RootContent = { type: 'table', children: [row([[], [], [], []]), row(cells)] }
  return `${rendered([table]).trimEnd().split('\n').at(-1)}\n`
}

/** The Ingresses that each controller serves before and after, drawn if there are few enough. */
function picturesOf({ claims }: Report): Section {
  return {
    head: rendered([
      paragraph(words('The namespaces that each controller watches (dotted) and the Ingresses that it serves:')),
    ]),
    foot: '\n',
    noun: 'cluster',
    pieces: claims.map((its) => () => {
      const name: PhrasingContent[] =
        its.cluster === '' ? [text('Other files')] : [text('Cluster '), inlineCode(its.cluster)]
      const picture = pictureOf(its)
      const below = picture === undefined ? [paragraph([text(`${numbersOf(its)}.`)])] : [code(picture, 'mermaid')]
      return `\n${rendered([...(claims.length > 1 ? [paragraph(name)] : []), ...below])}`
    }),
  }
}

function exceptionSection(report: Report): Section {
  const suggested = suggestException(report, maxEntries)
  if (!suggested) return plain([])
  const more =
    suggested.left > 0
      ? [paragraph(words(`${count(suggested.left, 'more entry', 'more entries')}: see the log of the job.`))]
      : []
  const after = [...suggested.others, ...afterMerge(report)].map((sentence) => paragraph(words(sentence)))
  return plain([paragraph(words(suggested.lead)), code(suggested.yaml, 'yaml'), ...more, ...after], 'block of YAML')
}

/** One finding: its message, and the lines of its places. */
function storyOf(finding: Finding): BlockContent[] {
  const { location, related, rule, level } = finding
  const shown = related.slice(0, maxRelated)
  const clusters = clustersOf(finding)
  return [
    paragraph([
      text(`${level} `),
      ...placed(rule, location),
      inlineCode(objectNamesOf(finding).join(', ')),
      ...(clusters.length > 0 ? [text(', cluster '), inlineCode(clusters.join(', '))] : []),
      text(location.note ? `, ${location.note}` : ''),
    ]),
    ...[finding.text, ...consequencesOf(finding)].map((sentence) => paragraph(words(sentence))),
    ...linesAt(location),
    ...(finding.rendered ? [paragraph(words('It renders to')), code(finding.rendered.lines.join('\n'), 'text')] : []),
    ...shown.flatMap((place) => [
      paragraph([...words(place.note ?? 'see also'), text(': '), inlineCode(placeOf(place))]),
      ...linesAt(place),
    ]),
    ...(related.length > shown.length
      ? [paragraph(words(`${count(related.length - shown.length, 'more related place')}: see the JSON report.`))]
      : []),
  ]
}

function folderOf({ path }: Location): string {
  return path.slice(0, path.lastIndexOf('/') + 1) || './'
}

function linesAt({ excerpt }: Location): BlockContent[] {
  if (!excerpt) return []
  const { startLine, lines } = excerpt
  return [code(lines.map((line, index) => `${startLine + index}  ${line.replaceAll('\t', ' ')}`).join('\n'), 'text')]
}

function placed(rule: string, location: Location): PhrasingContent[] {
  return [inlineCode(placeOf(location)), text(' '), inlineCode(rule), text(' ')]
}

/** The releases and Kustomizations that an object comes from, in a sentence. */
function renderedFrom(finding: Finding): string[] {
  const names = sourceNamesOf(finding)
  return names.length > 0 ? [`Rendered by ${names.join(', ')}.`] : []
}

function policiesIn({ policies }: Report): string {
  return `Policies: ${policies.map(({ name, version, requested }) => `${name} ${requested} → ${version}`).join(', ')}.`
}

/** One piece: it fits as a whole or is left out. */
function plain(children: RootContent[], noun = 'sentence'): Section {
  return { head: '', foot: '', noun, pieces: children.length > 0 ? [() => `${rendered(children)}\n`] : [] }
}

/** A list that a reader unfolds. */
function folded<T>(title: string, noun: string, items: readonly T[], nodesOf: (item: T) => BlockContent[]): Section {
  return {
    head: `<details><summary>${title}: ${withCommas(items.length)}</summary>\n\n`,
    foot: '\n</details>\n\n',
    noun,
    pieces: items.map((item) => () => listItem(nodesOf(item))),
  }
}

function listItem(children: BlockContent[]): string {
  const [first] = children
  const spread = children.length > 1 || first?.type !== 'paragraph'
  const item = { type: 'listItem' as const, spread, children }
  return rendered([{ type: 'list', spread, children: [item] }]) + (spread ? '\n' : '')
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
