import type { BlockContent } from 'mdast'
import type { Bump } from '../finding/bump'
import type { Aspect, BroughtRow } from '../kubernetes/versions/brought'
import { abridged } from '../listing'
import type { Section } from './byte-budget'
import { inlineCode, paragraph, rendered, row, text, words } from './markdown-nodes'
import { count } from './words/wording'

const names: Readonly<Record<Aspect, string>> = {
  webhook: 'Webhook',
  definition: 'CRD',
  role: 'Role',
  class: 'IngressClass',
  service: 'Service',
  image: 'Image',
  argument: 'Argument',
}

/** The rows that a terminal shows of a bump, and the words of a cell. */
const most = { rows: 12, words: 4, tableRows: 40 }

/** A collapsed table of the changes by each new version. */
export function bumpSection(bumps: readonly Bump[]): Section {
  return {
    head: `<details><summary>What new versions of charts bring: ${count(bumps.length, 'release')}</summary>\n\n`,
    foot: '\n</details>\n\n',
    noun: 'release',
    pieces: bumps.map((bump) => () => `${rendered(tableOf(bump))}\n`),
  }
}

function tableOf(bump: Bump): BlockContent[] {
  const { chart, from, to, repository, path, namespace, release } = bump
  const shown = bump.rows.slice(0, most.tableRows)
  const left = bump.rows.length - shown.length + bump.more
  const place = paragraph([
    inlineCode(chart),
    text(' '),
    inlineCode(from),
    text(' → '),
    inlineCode(to),
    ...(repository === undefined ? [] : [text(' of '), inlineCode(repository)]),
    text(' for the release '),
    inlineCode(`${namespace}/${release}`),
    text(', asked for in '),
    inlineCode(path),
    text(bump.rows.length === 0 ? ': no role, webhook, CRD, IngressClass, Service, image or argument differs.' : ':'),
  ])
  if (bump.rows.length === 0) return [place]
  const titles = ['', 'Object', 'Removed', 'Added'].map((title) => [text(title)])
  const cell = (its: readonly string[]) => its.flatMap((one, at) => [...(at > 0 ? [text(' ')] : []), inlineCode(one)])
  const rows = shown.map(({ aspect, object, goes, comes }) =>
    row([[text(names[aspect])], [inlineCode(object)], cell(goes), cell(comes)]),
  )
  const rest = left > 0 ? [paragraph(words(`${count(left, 'more row')}: see the JSON report.`))] : []
  return [place, { type: 'table', children: [row(titles), ...rows] }, ...rest]
}

/** The same in lines of a terminal. */
export function bumpLines(bump: Bump): string[] {
  const { chart, from, to, namespace, release, rows, more, path } = bump
  const title = `${chart} ${from} → ${to} of release ${namespace}/${release} (${path})`
  if (rows.length === 0) return [`${title}: no role, webhook, CRD, IngressClass, Service, image or argument differs`]
  const shown = rows.slice(0, most.rows)
  const left = rows.length - shown.length + more
  return [
    `${title} brings:`,
    ...shown.map((one) => `  ${names[one.aspect]} of ${one.object}: ${changeOf(one)}`),
    ...(left > 0 ? [`  and ${count(left, 'more row')}, in the JSON report`] : []),
  ]
}

function changeOf({ goes, comes }: BroughtRow): string {
  const part = (word: string, its: readonly string[]) =>
    its.length > 0 ? [`${word} ${abridged(its, most.words)}`] : []
  return [...part('without', goes), ...part('with', comes)].join(', ')
}
