import type { Evidence } from './evidence'
import type { Draft } from './report/finding'

/**
 * Folders that repeat each other were taken for clusters. Where that happened, what rests on it is at most a warning and
 * says what would make it certain: two objects of the files that belong to no cluster, and a removal of which a copy stays.
 */
export function withDoubt(draft: Draft, { clusters, head }: Evidence): Draft {
  if (!clusters.assumed || draft.level === 'notice') return draft
  const paths = [...new Set(draft.ends.map((end) => end.manifest.origin.path))]
  const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))
  if (draft.active.rule.scope !== 'change') {
    if (draft.cluster !== '' || folders.size < 2) return draft
    return weakened(
      draft,
      `Whether both reach one cluster is not certain: declare \`clusters: {<name>: {paths: [${globsFor(folders)}]}}\` in the config.`,
    )
  }
  const removed = draft.ends[0]?.manifest
  if (
    !removed ||
    clusters.of(removed.origin.path).evidence === 'declared' ||
    clusters.of(removed.origin.path).evidence === 'layout'
  )
    return draft
  const copies = [...head.values()].flatMap((snapshot) => snapshot.get(removed.ref))
  if (copies.length === 0) return draft
  const places = [...new Set(copies.map((copy) => copy.origin.path))].sort()
  return weakened(
    draft,
    `A copy stays in ${places.slice(0, 3).join(', ')}${places.length > 3 ? ` and ${places.length - 3} more` : ''}. If that is another cluster's, declare \`clusters: {<name>: {paths: [${globsFor(folders)}]}}\` in the config, and this is an error.`,
  )
}

function weakened(draft: Draft, why: string): Draft {
  return { ...draft, level: 'warning', text: `${draft.text} ${why}` }
}

function globsFor(folders: ReadonlySet<string>): string {
  return [...folders].map((folder) => JSON.stringify(`${folder}**`)).join(', ')
}
