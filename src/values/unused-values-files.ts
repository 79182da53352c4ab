import type { Skipped } from '../finding/report'
import { mentionsKubernetes } from '../manifest/load'
import type { SideOfChange } from '../sides/side'

/**
 * Changed files that look like values of a release, although no known release uses them.
 *
 * @param known the files that releases of charts from elsewhere take
 */
export async function unusedValuesFiles(
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
  known: ReadonlySet<string>,
): Promise<Skipped[]> {
  const looksLikeValues = /(?:^|\/)values(?:[-._][^/]*)?\.ya?ml$|(?:^|\/)values\/[^/]+\.ya?ml$/
  const files = [...(changed ?? [])].filter(
    (path) => looksLikeValues.test(path) && head.tree.files.has(path) && !known.has(path),
  )
  if (files.length === 0) return []
  const { sources } = head.discovery
  const taken = [
    ...(await Promise.all(sources.map((source) => head.files(source)))).flat(),
    ...sources.flatMap(({ definitionFiles = [] }) => definitionFiles),
  ]
  const { tree } = head.checkout
  const used = new Set(taken.flatMap((file) => [file, ...tree.at(tree.resolved.get(file) ?? file)]))
  const texts = await head.checkout.texts(files.filter((path) => !used.has(path)))
  return [...texts].flatMap(([path, text]) =>
    mentionsKubernetes(text)
      ? []
      : [{ path, reason: 'values that no known release uses; declare the release under `helm:`', cause: 'not-taken' }],
  )
}
