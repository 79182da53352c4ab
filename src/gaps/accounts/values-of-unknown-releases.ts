import type { Account, Witness } from '../../ledger/entry'
import { looksLikeValues } from '../../ledger/named-files'
import { spelledOut } from '../../manifest/mentions'
import type { SideOfChange } from '../../sides/side'
import { type HelmSource, nameOfSource, placeOf } from '../../sources/source'

/**
 * Values files in the folder of a chart that no known release uses, if a release that is not known whole may: one with
 * values of a name that this repository does not have, or one of a rendering that failed.
 */
export async function valuesOfUnknownReleases(
  sides: readonly SideOfChange[],
  changed: ReadonlySet<string>,
): Promise<Witness> {
  const found = new Map<string, Account>()
  for (const side of sides) {
    const open = [...changed].filter((file) => side.checkout.has(file) && looksLikeValues(file) && !found.has(file))
    const charts = open.length > 0 ? chartsOf(side) : []
    for (const file of open) {
      const chart = charts.find((folder) => folder === '' || file.startsWith(`${folder}/`))
      const account = chart === undefined ? undefined : await accountOf(chart, side)
      if (account) found.set(file, account)
    }
  }
  return (file) => found.get(file)
}

/** The folders of charts that something is known to deploy, the deepest first. */
function chartsOf({ discovery }: SideOfChange): string[] {
  const folders = discovery.sources.flatMap((source) => (source.kind === 'helm' ? [source.chart] : []))
  return [...new Set(folders)].sort((a, b) => b.length - a.length)
}

async function accountOf(chart: string, side: SideOfChange): Promise<Account | undefined> {
  const releases = side.discovery.sources.filter(
    (source): source is HelmSource => source.kind === 'helm' && source.chart === chart,
  )
  for (const release of releases) {
    const missing = release.values.find((one) => 'path' in one && !side.checkout.has(one.path))
    if (missing && 'path' in missing)
      return {
        state: 'not-judged',
        cause: 'values-elsewhere',
        reason: `${nameOfSource(release)} names ${missing.path}, which is not in this repository, so another release of its chart may use this file in its place`,
      }
  }
  const deployer = await unfollowedWith(chart, side)
  return (
    deployer && {
      state: 'not-judged',
      cause: 'no-release',
      reason: `${nameOfSource(deployer)} names its chart and cannot be rendered, so the releases of the chart are not known`,
    }
  )
}

/** A source that may bring a release of a chart, and could not be rendered. */
async function unfollowedWith(chart: string, { discovery, checkout }: SideOfChange) {
  for (const source of chart === '' ? [] : discovery.unfollowed) {
    const mentioned = await checkout.mentioning(checkout.below(placeOf(source)), [chart])
    // A picture may hold any word for all that a search for words knows.
    if ([...mentioned.values()].some((text) => spelledOut(text).includes(chart))) return source
  }
  return undefined
}
