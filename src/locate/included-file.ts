import { loadFile } from '../manifest/load'
import type { ObjectRef } from '../manifest/manifest'
import { holdsBinary, spelledOut } from '../manifest/mentions'
import type { SideOfChange } from '../sides/side'
import { closureOf, inside } from '../sources/kustomization'
import type { KustomizeSource } from '../sources/source'

interface IncludedText {
  readonly file: string
  readonly text: string
  /** The text with all words spelled out, to search in; undefined where that hides some. */
  readonly words: string | undefined
}

/** Finds the files that Kustomizations include objects from, without a build, which takes seconds for a large one. */
export class IncludedFiles {
  private readonly texts = new Map<KustomizeSource, Promise<readonly IncludedText[]>>()
  private readonly objects = new Map<string, readonly ObjectRef[]>()

  /**
   * The file that a Kustomization includes an object from; undefined unless exactly one included file has exactly one
   * object of that kind and name, for example where kustomize gives the name a prefix.
   */
  async fileOf({ kind, name }: ObjectRef, side: SideOfChange, source: KustomizeSource): Promise<string | undefined> {
    const texts = this.texts.get(source) ?? textsIn(side, source)
    this.texts.set(source, texts)
    const places: string[] = []
    for (const { file, text, words } of await texts) {
      if (words?.includes(name) === false) continue
      for (const ref of this.objectsIn(text)) if (ref.kind === kind && ref.name === name) places.push(file)
    }
    return places.length === 1 ? places[0] : undefined
  }

  private objectsIn(text: string): readonly ObjectRef[] {
    const objects = this.objects.get(text) ?? loadFile({ text }).objects.map(({ ref }) => ref)
    this.objects.set(text, objects)
    return objects
  }
}

/** The files that a Kustomization and those below it include as they are: no patches, and nothing that is generated. */
async function textsIn({ checkout, discovery }: SideOfChange, source: KustomizeSource): Promise<IncludedText[]> {
  const roots = [source.root, ...(source.components ?? [])]
  const files = roots
    .flatMap((root) => closureOf(root, discovery.kustomizations))
    .flatMap(({ folder, includes }) => includes.flatMap(({ text }) => inside(folder, text) ?? []))
  const texts = await checkout.texts([...new Set(files)].filter((file) => checkout.has(file)))
  return [...texts].map(([file, text]) => ({ file, text, words: holdsBinary(text) ? undefined : spelledOut(text) }))
}
