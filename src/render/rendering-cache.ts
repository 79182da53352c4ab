import { gunzipSync, gzipSync } from 'node:zlib'
import { type CacheFolder, digestOf, type EntryName, sealed, unsealed } from '../fetch/cache/cache-folder'
import type { Checkout } from '../revision/checkout'
import type { Source } from '../sources/source'
import { asksChance } from './answers/chance'
import { isWholeChart } from './tools/dependencies'
import type { Piece } from './tools/rendering'

type Pieces = readonly Piece[]

/** All that a rendering depends on. */
export interface RenderingInputs {
  readonly source: Source
  readonly checkout: Checkout
  /** The paths of its files. */
  readonly files: readonly string[]
  /** The tools and their versions. */
  readonly tools: readonly string[]
  /** Equal for equal sources, files and options. */
  readonly key: unknown
}

/** The description of an entry. */
interface RenderingDescription {
  readonly id: string
  /** The day of a rendering from which that of another day may differ. */
  readonly day?: string
}

/** Renderings by their inputs, for later runs. Only successful ones are kept. */
export class RenderingCache {
  /**
   * @param by the version of this program, which decides how tools are run
   * @param day today, YYYY-MM-DD
   */
  constructor(
    private readonly folder: CacheFolder,
    private readonly by: string,
    private readonly day: string,
  ) {}

  /** The rendering that an earlier run kept, or else a new one, which is then kept. */
  async through(inputs: RenderingInputs, render: () => Promise<Pieces | undefined>): Promise<Pieces | undefined> {
    const { source, checkout, files } = inputs
    if (!files.every((file) => checkout.isIdentified(file))) return render()
    const id = JSON.stringify([this.by, ...inputs.tools, inputs.key])
    const known = await this.read(id)
    if (known) return known
    const pieces = await render()
    // Fetched dependencies of a chart are not among its files.
    if (!pieces || (source.kind === 'helm' && !(await isWholeChart(source.chart, checkout)))) return pieces
    // A certificate may begin at the time of its rendering.
    await this.write({ id, ...((await asksChance(source, files, checkout)) ? { day: this.day } : {}) }, pieces)
    return pieces
  }

  private read(id: string): Promise<Pieces | undefined> {
    return this.folder.read(nameOf(id), (entry) => {
      const opened = unsealed(entry)
      if (!opened) return undefined
      const { id: its, day = this.day } = opened.description as RenderingDescription
      if (its !== id || day !== this.day) return undefined
      return JSON.parse(gunzipSync(opened.content).toString('utf8')) as Pieces
    })
  }

  private write(description: RenderingDescription, pieces: Pieces): Promise<void> {
    const content = gzipSync(Buffer.from(JSON.stringify(pieces)), { level: 1 })
    return this.folder.write(nameOf(description.id), sealed(description, content))
  }
}

function nameOf(id: string): EntryName {
  return `renderings/${digestOf(id)}`
}
