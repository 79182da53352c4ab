import type { Manifest } from '../../manifest/manifest'

/** The labels with the version of the chart or application that an object belongs to. */
const labels = ['helm.sh/chart', 'app.kubernetes.io/version']

/** Whether two objects belong to different versions of one installation: of a fetched chart, or by their labels. */
export function isOtherVersion(one: Manifest, other: Manifest): boolean {
  const [was, is] = [fetchedVersion(one), fetchedVersion(other)]
  if (was !== undefined && is !== undefined) return was !== is
  return labels.some((label) => {
    const [before, after] = [one, other].map(({ root }) => root.at('metadata', 'labels', label).string)
    return before !== undefined && after !== undefined && before !== after
  })
}

function fetchedVersion({ origin }: Manifest): string | undefined {
  return origin.kind === 'rendered' && origin.source.kind === 'helm' ? origin.source.version : undefined
}
