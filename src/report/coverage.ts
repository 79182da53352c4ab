import {
  type CauseCoverage,
  type Coverage,
  type CoverageOverview,
  overviewOf,
  seenFiles,
  seenReleases,
} from '../ledger/coverage'
import { abridged } from '../listing'
import { withCommas } from '../with-commas'
import type { Paint } from './terminal'
import { seenIn, share } from './words/coverage-words'
import { visible } from './words/visible'
import { count } from './words/wording'

/** The number of places that are named for a cause. */
const mostPlaces = 3
/** The longest path of a folder, and the longest reason. */
const longest = { folder: 60, reason: 200 }
/** The number of repositories of charts that are named. */
const mostUrls = 4

/** The seen part, by folder and by cause, for a terminal. */
export function coverageReport(coverage: Coverage, revision: string, paint: Paint): string {
  const overview = overviewOf(coverage)
  const blocks = [
    [paint('bold', visible(`ingress-guard ${seenIn(overview)} of ${revision}.`)), ...asides(overview)].join('\n'),
    tableOf(overview, paint),
    ...causeBlocks('Not seen, and what changes that:', overview.notSeen, paint),
    ...causeBlocks(
      'Deployed by nothing that this repository shows; if something does, it is not seen:',
      overview.notDeployed,
      paint,
    ),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

/** The files that the share does not count. */
function asides({ files }: CoverageOverview): string[] {
  const parts = [
    [files['not-deployed'], 'deployed by nothing known'],
    [files['not-kubernetes'], 'not of Kubernetes'],
    [files.described, 'of config'],
  ] as const
  const some = parts.filter(([files]) => files > 0).map(([files, what]) => `${count(files, 'file')} ${what}`)
  return some.length > 0 ? [`Not counted: ${some.join(', ')}.`] : []
}

function tableOf({ folders }: CoverageOverview, paint: Paint): string {
  if (folders.length === 0) return ''
  const rows = folders.map(({ folder, files, releases }) => {
    const [[seen, all], [, ofReleases]] = [seenFiles(files), seenReleases(releases)]
    return [
      visible(shortFolder(folder)),
      all === 0 ? '' : `${withCommas(seen)} of ${withCommas(all)}`,
      all === 0 ? '' : share(seen, all),
      ...(ofReleases === 0
        ? ['', '', '']
        : [releases.rendered, releases['by-values'], releases['not-seen']].map((one) =>
            one === 0 ? '-' : withCommas(one),
          )),
    ]
  })
  const titles = ['folder', 'manifests seen', '', 'releases rendered', 'by values', 'not seen']
  const widths = titles.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd()
  return [paint('dim', line(titles)), ...rows.map(line)].join('\n')
}

/** A long path by its first folder and its end. */
function shortFolder(folder: string): string {
  if (folder.length <= longest.folder) return folder
  const [first = '', ...others] = folder.split('/')
  const last = others.filter(Boolean).slice(-2).join('/')
  return `${first}/…/${folder.endsWith('/') ? `${last}/` : last}`
}

function cut(reason: string): string {
  return reason.length > longest.reason ? `${reason.slice(0, longest.reason - 1).trimEnd()}…` : reason
}

function causeBlocks(title: string, causes: readonly CauseCoverage[], paint: Paint): string[] {
  return causes.length === 0 ? [] : [paint('bold', title), ...causes.map((cause) => causeBlock(cause, paint))]
}

function causeBlock({ title, places, effect, remedy, from, ...counts }: CauseCoverage, paint: Paint): string {
  const urls = from.map(({ url, releases }) => `${url} (${withCommas(releases)})`)
  return [
    `${paint('yellow', amountOf(counts))}: ${title}`,
    `  ${[effect, remedy].filter(Boolean).join(' ')}`,
    ...(urls.length > 0 ? [`  from ${visible(abridged(urls, mostUrls))}`] : []),
    ...places.slice(0, mostPlaces).map(({ path, reason }) => paint('dim', visible(`  ${path}: ${cut(reason)}`))),
    ...(places.length > mostPlaces ? [paint('dim', `  and ${withCommas(places.length - mostPlaces)} more`)] : []),
  ].join('\n')
}

/** `3 releases, 4 files, 2 releases in part`. */
export function amountOf({ files, releases, partly }: Pick<CauseCoverage, 'files' | 'releases' | 'partly'>): string {
  return [
    ...(releases > 0 ? [count(releases, 'release')] : []),
    ...(files > 0 ? [count(files, 'file')] : []),
    ...(partly > 0 ? [`${count(partly, 'release')} in part`] : []),
  ].join(', ')
}
