import { gunzipSync, gzipSync } from 'node:zlib'
import { type CacheFolder, digestOf, type EntryName, sealed, unsealed } from '../fetch/cache/cache-folder'
import type { Checkout } from '../revision/checkout'
import type { Source } from '../sources/source'
import { asksChance } from './answers/chance'
import { isWholeChart } from './tools/dependencies'
import type { FailedRendering, Piece } from './tools/rendering'

type Output = readonly Piece[] | FailedRendering

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

/** Renderings by their inputs, for later runs. */
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
  async through<T extends Output>(
    inputs: RenderingInputs,
    render: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { source, checkout, files } = inputs
    if (!files.every((file) => checkout.isIdentified(file))) return render()
    const id = JSON.stringify([this.by, ...inputs.tools, inputs.key])
    const known = await this.read<T>(id)
    if (known) return known
    const output = await render()
    // Fetched dependencies of a chart are not among its files.
    if (!output || (source.kind === 'helm' && !(await isWholeChart(source.chart, checkout)))) return output
    // A certificate may begin at the time of its rendering.
    await this.write({ id, ...((await asksChance(source, files, checkout)) ? { day: this.day } : {}) }, output)
    return output
  }

  private read<T extends Output>(id: string): Promise<T | undefined> {
    return this.folder.read(nameOf(id), (entry) => {
      const opened = unsealed(entry)
      if (!opened) return undefined
      const { id: its, day = this.day } = opened.description as RenderingDescription
      if (its !== id || day !== this.day) return undefined
      return JSON.parse(gunzipSync(opened.content).toString('utf8')) as T
    })
  }

  private write(description: RenderingDescription, output: Output): Promise<void> {
    const content = gzipSync(Buffer.from(JSON.stringify(output)), { level: 1 })
    return this.folder.write(nameOf(description.id), sealed(description, content))
  }
}

function nameOf(id: string): EntryName {
  return `renderings/${digestOf(id)}`
}
