import { type Coverage, type CoverageOverview, overviewOf, seenFiles, seenReleases } from '../../ledger/coverage'
import { withCommas } from '../../with-commas'

/** `sees 40 of 50 manifests (80 %) and 8 of 10 releases (80 %: 5 rendered, 3 by their values)`. */
export function seenIn({ files, releases }: Pick<CoverageOverview, 'files' | 'releases'>): string {
  const [[seen, all], [seenOfReleases, allReleases]] = [seenFiles(files), seenReleases(releases)]
  const ways = `${withCommas(releases.rendered)} rendered, ${withCommas(releases['by-values'])} by their values`
  const parts = [
    ...(all > 0
      ? [`${withCommas(seen)} of ${all === 1 ? '1 manifest' : `${withCommas(all)} manifests`} (${share(seen, all)})`]
      : []),
    ...(allReleases > 0
      ? [
          `${withCommas(seenOfReleases)} of ${allReleases === 1 ? '1 release' : `${withCommas(allReleases)} releases`} (${share(seenOfReleases, allReleases)}: ${ways})`,
        ]
      : []),
  ]
  return parts.length > 0 ? `sees ${parts.join(' and ')}` : 'found no manifest and no release'
}

/** A sentence of the summary of a revision that is judged whole; empty where all of it is seen. */
export function notAllSeenIn(coverage: Coverage): string {
  const overview = overviewOf(coverage)
  if (overview.notSeen.length === 0) return ''
  return `It ${seenIn(overview)}; \`ingress-guard coverage\` shows the rest by folder and cause.`
}

export function share(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 100)} %`
}
