import type { Manifest } from '../../manifest/manifest'

/** The labels by which an object says which version of a chart or of an application it belongs to. */
const labels = ['helm.sh/chart', 'app.kubernetes.io/version']

/** Whether two objects belong to different versions of what installs them: of a chart that was fetched, or by their labels. */
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
