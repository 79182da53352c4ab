import type { BlockContent } from 'mdast'
import { type CauseCoverage, type Coverage, overviewOf, seenFiles } from '../ledger/coverage'
import { abridged } from '../listing'
import { withCommas } from '../with-commas'
import type { Section } from './byte-budget'
import { amountOf } from './coverage'
import { inlineCode, paragraph, rendered, row, strong, text, words } from './markdown-nodes'
import { seenIn, share } from './words/coverage-words'

/** The number of places that are named for a cause. */
const mostPlaces = 3

/** The seen part, by folder and by cause, collapsed; empty if everything is seen. */
export function coverageSection(coverage: Coverage): Section {
  const overview = overviewOf(coverage)
  const table: BlockContent = {
    type: 'table',
    children: [
      row(['Folder', 'Manifests seen', 'Releases rendered', 'By values', 'Not seen'].map((title) => [text(title)])),
      ...overview.folders.map(({ folder, files, releases }) => {
        const [seen, all] = seenFiles(files)
        return row([
          [inlineCode(folder)],
          [text(all === 0 ? '' : `${withCommas(seen)} of ${withCommas(all)} (${share(seen, all)})`)],
          ...[releases.rendered, releases['by-values'], releases['not-seen']].map((one) => [text(withCommas(one))]),
        ])
      }),
    ],
  }
  const pieces = overview.notSeen.length === 0 ? [] : [[table], ...overview.notSeen.map(causeNodes)]
  return {
    head: `<details><summary>Coverage: ${seenIn(overview)}</summary>\n\n`,
    foot: '\n</details>\n\n',
    noun: 'cause',
    pieces: pieces.map((nodes) => () => `${rendered(nodes)}\n`),
  }
}

function causeNodes({ title, effect, remedy, places, ...counts }: CauseCoverage): BlockContent[] {
  const shown = abridged(
    places.map(({ path }) => path),
    mostPlaces,
  )
  return [
    paragraph([strong(words(`${amountOf(counts)}: ${title}.`)), ...words(` ${effect} ${remedy} `), inlineCode(shown)]),
  ]
}
