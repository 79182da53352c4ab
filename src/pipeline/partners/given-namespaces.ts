import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { inside, type Kustomization } from '../../sources/kustomization'
import type { Source } from '../../sources/source'

/** The fields of a Kustomization, in Go's folded form, that make objects which are in none of its resources. */
const making = ['configmapgenerator', 'secretgenerator', 'generators', 'helmcharts', 'helmchartinflationgenerator']

/** The namespaces of the objects of a source for which none is written; undefined where they are not known. */
export function givenNamespaces(
  source: Source,
  kustomizations: ReadonlyMap<string, Kustomization>,
): readonly string[] | undefined {
  if (source.kind !== 'kustomize') return undefined
  const { overlay, namespace, root, components = [] } = source
  const laid = overlay?.namespace ?? kustomizations.get(root)?.namespace
  const given = typeof laid === 'string' && laid !== '' ? laid : namespace
  if (given) return isPlaceholder(given) ? undefined : [given]
  const known = new Map<string, readonly string[] | undefined>()
  return allOf([root, ...components].map((folder) => givenIn(folder, kustomizations, known)))
}

/** @param known those that were read, or are being read: one that includes itself is not built */
function givenIn(
  folder: string | undefined,
  kustomizations: ReadonlyMap<string, Kustomization>,
  known: Map<string, readonly string[] | undefined>,
): readonly string[] | undefined {
  const kustomization = folder === undefined ? undefined : kustomizations.get(folder)
  // A file, or a place that is not in this repository.
  if (folder === undefined || !kustomization) return undefined
  if (known.has(folder)) return known.get(folder)
  known.set(folder, undefined)
  const found = givenBy(kustomization, (text) => givenIn(inside(folder, text), kustomizations, known))
  known.set(folder, found)
  return found
}

function givenBy(
  { namespace, words, includes }: Kustomization,
  ofInclude: (text: string) => readonly string[] | undefined,
): readonly string[] | undefined {
  if (namespace !== '') return isPlaceholder(namespace) ? undefined : [namespace]
  if (making.some((key) => words.has(key))) return undefined
  return allOf(includes.map(({ text }) => ofInclude(text)))
}

function allOf(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = lists.filter((list) => list !== undefined)
  return known.length < lists.length ? undefined : known.flat()
}
