import { identify } from '../manifest/identity'
import type { ObjectRef } from '../manifest/manifest'
import { skimIdentities } from '../manifest/skim'
import type { Checkout } from '../revision/checkout'
import { closureOf, inside, type Kustomization } from './kustomization'
import { realPlace } from './places'
import type { KustomizeSource } from './source'
import { substituted } from './substitution'
import { textOf } from './untyped'

/** The fields of a Kustomization, in Go's folded form, that may give other names to the objects of its files. */
const naming = ['nameprefix', 'namesuffix', 'replacements', 'vars', 'transformers', 'helmcharts']

/**
 * The objects in the files of a Kustomization, in the namespaces that it gives them, read without a build. Those of its
 * generators are not among them.
 *
 * @returns undefined where they may get other names
 */
export async function objectsInFiles(
  source: KustomizeSource,
  kustomizations: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  identitiesIn: (text: string) => readonly ObjectRef[] = skimIdentities,
): Promise<readonly ObjectRef[] | undefined> {
  const { root, components = [], overlay = {}, substitutions } = source
  const taken = [root, ...components].flatMap((start) => closureOf(start, kustomizations))
  const patches = await checkout.texts(taken.flatMap((one) => [one.file, ...one.patches]))
  const laidOver = [JSON.stringify(overlay), ...patches.values()]
  const mayRename = laidOver.some((text) => text.includes('/metadata/name') || text.includes('allowNameChange'))
  if (mayRename || overlay.namePrefix || overlay.nameSuffix || taken.some(renames)) return undefined
  const seen = new Set<string>()
  const included = (text: string, folder: string) => checkout.inPlaceOf.get(text) ?? inside(folder, text)
  const files = new Map(
    [root, ...components].flatMap((start) => [
      ...filesIn(start, textOf(overlay.namespace), { all: kustomizations, included, seen }),
    ]),
  )
  const real = new Map([...files].map(([file, namespace]) => [realPlace(checkout.tree, file), namespace]))
  const texts = await checkout.texts([...real.keys()].filter((file) => checkout.has(file)))
  return [...texts].flatMap(([file, text]) => {
    const given = real.get(file) || undefined
    return identitiesIn(substituted(text, substitutions)).map(({ group, kind, namespace, name }) =>
      identify(`${group}/v1`, kind, given ?? (namespace || (source.namespace ?? '')), name),
    )
  })
}

/** Whether a Kustomization may give names; a component gives them to the objects of the one that includes it, too. */
function renames({ faults, words, component, namespace }: Kustomization): boolean {
  return faults.length > 0 || (component && namespace !== '') || naming.some((field) => words.has(field))
}

interface Walk {
  readonly all: ReadonlyMap<string, Kustomization>
  /** The place in the repository of an entry of a folder. */
  readonly included: (text: string, folder: string) => string | undefined
  /** The folders that were read: one that is included twice is read once. */
  readonly seen: Set<string>
}

/** The files that a Kustomization includes, with the namespace that is given to their objects: the outermost one. */
function* filesIn(folder: string, namespace: string, walk: Walk): Iterable<[string, string]> {
  const { all, included, seen } = walk
  const own = all.get(folder)
  if (!own || seen.has(folder)) return
  seen.add(folder)
  const given = namespace || own.namespace
  for (const { text } of own.includes) {
    const place = included(text, folder)
    if (place === undefined) continue
    if (all.has(place)) yield* filesIn(place, given, walk)
    else yield [place, given]
  }
}
