import { looksLikeValues } from '../ledger/named-files'
import { mentionsKubernetes } from '../manifest/load'
import type { SideOfChange } from '../sides/side'

/**
 * Changed files that look like values of a release, although no known release uses them.
 *
 * @param known the files that releases of charts from elsewhere take
 */
export async function unusedValuesFiles(
  side: SideOfChange,
  changed: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Promise<string[]> {
  const files = [...changed].filter(
    (path) => looksLikeValues(path) && !path.endsWith('.gotmpl') && side.tree.files.has(path) && !known.has(path),
  )
  if (files.length === 0) return []
  const { sources, ownership, fileDeployments } = side.discovery
  const taken = [
    ...(await Promise.all(sources.map((source) => side.files(source)))).flat(),
    ...sources.flatMap(({ definitionFiles = [] }) => definitionFiles),
    ...fileDeployments.files,
  ]
  const { tree } = side.checkout
  const used = new Set(taken.flatMap((file) => [file, ...tree.at(tree.resolved.get(file) ?? file)]))
  const texts = await side.checkout.texts(files.filter((path) => !used.has(path) && !ownership.has(path)))
  return [...texts].flatMap(([path, text]) => (mentionsKubernetes(text) ? [] : [path]))
}
