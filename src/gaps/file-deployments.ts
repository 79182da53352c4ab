import type { RemoteRelease } from '../deployers/file-deployments'
import { isKnownChart } from '../kubernetes/charts/chart-release'
import type { Skipped } from '../revision/tree'
import type { SideOfChange } from '../sides/side'

/** So many names are listed in one entry. */
const mostNames = 5

/**
 * What files of Fleet and helmfile deploy and the gate does not judge, as far as this change touches it: of a file
 * that is gone, as the base has it.
 */
export function undeployable(
  base: SideOfChange | undefined,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
): Skipped[] {
  const isTouched = (file: string) => !changed || changed.has(file)
  const isGone = (file: string) => !head.checkout.tree.entries.has(file)
  const reasons = new Map<string, Set<string>>()
  const add = (path: string, reason: string) => {
    const its = reasons.get(path)
    if (its) its.add(reason)
    else reasons.set(path, new Set([reason]))
  }
  for (const side of [head, ...(base ? [base] : [])]) {
    const counts = (file: string) => isTouched(file) && (side === head || isGone(file))
    const { unread, taken, releases, patches } = side.discovery.fileDeployments
    for (const { path, reason } of unread) if (counts(path)) add(path, reason)
    for (const { path, reason } of taken) if (counts(path)) add(path, reason)
    for (const [path, reason] of patches) if (counts(path)) add(path, reason)
    for (const [path, reason] of declaring(releases)) if (counts(path)) add(path, reason)
    for (const release of releases) {
      // The values of a known chart are judged.
      if (isKnownChart(release.chart, release.repository)) continue
      for (const file of release.files)
        if (counts(file))
          add(
            file,
            `values of ${titleOf(release)}, which is not in this repository: vendor the chart to have it judged`,
          )
    }
  }
  return [...reasons].flatMap(([path, its]) => {
    const shown = [...its].slice(0, mostNames)
    const more = its.size > shown.length ? [`and ${its.size - shown.length} more of this kind`] : []
    return [...shown, ...more].map((reason) => ({ path, reason }))
  })
}

/** One entry for each file that declares releases of charts from elsewhere. */
function declaring(releases: readonly RemoteRelease[]): [path: string, reason: string][] {
  const byFile = new Map<string, Set<string>>()
  for (const release of releases) {
    const { path, repository, chart } = release
    const known = isKnownChart(chart, repository) ? '; of it the values are judged' : ''
    const title = `${titleOf(release)}${known}`
    const its = byFile.get(path)
    if (its) its.add(title)
    else byFile.set(path, new Set([title]))
  }
  return [...byFile].map(([path, titles]) => {
    const shown = [...titles].slice(0, mostNames).join(', ')
    const more = titles.size > mostNames ? ` and ${titles.size - mostNames} more` : ''
    return [path, `not in this repository: ${shown}${more}`]
  })
}

function titleOf({ name, chart, repository }: RemoteRelease): string {
  const from = repository === '' || repository === chart ? '' : ` from ${repository}`
  return `the chart ${chart}${from} of the release ${name}`
}
