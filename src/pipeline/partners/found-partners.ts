import { splitDocuments } from '../../manifest/documents'
import { type LoadedFile, loadFile } from '../../manifest/load'
import type { Files } from '../../revision/files'
import type { RenderedSide } from '../../sides/rendered-side'
import type { Source } from '../../sources/source'
import type { LoadedPartners } from './load-partners'

/**
 * What the objects of a change were compared with, for trials of it: what a trial takes back is on the other side already, so
 * that nothing new has to be looked for. Objects that the change touches are partners of the others where a trial takes them back.
 */
export class FoundPartners {
  private readonly sources: ReadonlySet<string>
  private documents: ReadonlySet<string> | undefined
  /** The files as they were read for a trial, by their texts: trials differ in few. */
  private readonly read = new Map<string, LoadedFile>()

  /**
   * @param needed whether any object that the change does not touch is needed
   * @param rendered the sources that were rendered, for either side
   * @param repeated the folders that repeat each other by the files of sources that were not rendered
   * @param touched the files that differ, at either side
   * @param selected the untouched files that were read
   */
  constructor(
    readonly needed: boolean,
    rendered: readonly RenderedSide[],
    readonly repeated: ReadonlyMap<string, number>,
    private readonly touched: readonly Files[],
    private readonly selected: LoadedPartners,
  ) {
    this.sources = new Set(rendered.map(({ source }) => source.id))
  }

  hasSource({ id }: Source): boolean {
    return this.sources.has(id)
  }

  /** Reads the documents again from files that a trial does not touch. */
  load(texts: ReadonlyMap<string, string>): Map<string, LoadedFile> {
    this.documents ??= new Set([
      ...this.selected.documents,
      ...this.touched.flatMap(({ loaded }) =>
        [...loaded.values()].flatMap(({ text }) => splitDocuments(text)).map(({ text }) => text),
      ),
    ])
    const { documents } = this
    const paths = new Set([...this.selected.loaded.keys(), ...this.touched.flatMap(({ loaded }) => [...loaded.keys()])])
    const files = [...paths].flatMap((path) => {
      const text = texts.get(path)
      if (text === undefined) return []
      const file = this.read.get(text) ?? loadFile({ text }, (document) => documents.has(document))
      this.read.set(text, file)
      return [[path, file] as const]
    })
    return new Map(files)
  }
}
