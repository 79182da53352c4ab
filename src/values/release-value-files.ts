import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { LoadedFile } from '../manifest/load'
import type { Side } from '../manifest/manifest'
import type { Files } from '../revision/files'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'
import { mayTakeFiles, ReleaseFiles, reachedByValues } from './release-files'
import { umbrellaReleases } from './umbrella-releases'

interface ValuesInput {
  readonly base: SideOfChange | undefined
  readonly head: SideOfChange
  readonly before: Files
  readonly after: Files
  /** The paths that differ. */
  readonly changed: ReadonlySet<string> | undefined
  readonly repository: readonly string[]
}

/** The files of both sides once they are completed by the values that their objects take. */
interface CompletedSides {
  readonly before: Files
  readonly after: Files
  /** The texts of files in which no object takes something else. */
  readonly texts: ReadonlyMap<string, string> | undefined
  /** The ids of sources that may render to objects that do. */
  readonly reached: ReadonlySet<string>
}

/** The values files that releases of remote charts take from both sides of a change. */
export class ReleaseValueFiles {
  private readonly before: ReleaseFiles | undefined
  private readonly after: ReleaseFiles
  /** Whether the change may affect objects only through the files that they use. */
  readonly mayDiffer: boolean

  constructor(private readonly change: ValuesInput) {
    const { base, head, repository, changed } = change
    this.before = base && new ReleaseFiles(base.checkout, repository, changed)
    this.after = new ReleaseFiles(head.checkout, repository, changed)
    this.mayDiffer = mayChangeValues(change)
  }

  /**
   * Completes the files that were read, and adds the unchanged files with an object that takes other values than
   * before.
   *
   * @param texts the files that the change does not touch, where they were read
   * @returns both sides, the texts that are left, and the sources that may render to such objects
   */
  async completeFiles(texts: ReadonlyMap<string, string> | undefined): Promise<CompletedSides> {
    const { base, head } = this.change
    const before = await completedFiles(this.change.before, this.before)
    const after = await completedFiles(this.change.after, this.after)
    if (!base || !this.before || !texts) return { before, after, texts, reached: new Set() }
    const left = new Map(texts)
    const [was, is] = [new Map(before.loaded), new Map(after.loaded)]
    for await (const file of reachedByValues(this.before, this.after, texts)) {
      was.set(file.path, file.before)
      is.set(file.path, file.after)
      left.delete(file.path)
    }
    const filesOf = async (source: Source) => ({ id: source.id, files: await head.files(source) })
    const sources = await Promise.all(head.discovery.sources.map(filesOf))
    const contents = await head.checkout.texts([...new Set(sources.flatMap(({ files }) => files))])
    const taking = new Set([...contents].filter(([, text]) => mayTakeFiles(text)).map(([file]) => file))
    const reached = new Set(sources.filter(({ files }) => files.some((file) => taking.has(file))).map(({ id }) => id))
    return { before: before.withLoaded(was), after: after.withLoaded(is), texts: left, reached }
  }

  /** The head's files for an object that this change does not touch. */
  completed(path: string, file: LoadedFile): Promise<LoadedFile> {
    return this.after.completed(path, file)
  }

  /** Renderings with the repository context of their objects. */
  async complete(side: Side, rendered: readonly RenderedSide[]): Promise<RenderedSide[]> {
    const sideFiles = side === 'base' ? this.before : this.after
    if (!sideFiles) return [...rendered]
    return Promise.all(
      rendered.map(async (one) => {
        const objects = one.objects.map(async ({ object, origin }) => ({
          object: await sideFiles.complete(object),
          origin,
        }))
        // Without an omitted chart, the rest may not build, but the chart's values are known.
        const releases = one.charts
          .filter(({ vendored }) => !vendored)
          .map(async (chart) => {
            const origin = { kind: 'file' as const, path: chart.path }
            const object = await sideFiles.release(chart)
            const context = { files: new Map(), ...object.context, inflatedBy: one.source.id }
            return { object: { ...object, context }, origin }
          })
        const checkout = this.change[side]?.checkout
        const parts = checkout ? await umbrellaReleases(one, checkout, sideFiles) : []
        const umbrella = parts.map(({ object, path }) => ({ object, origin: { kind: 'file' as const, path } }))
        return { ...one, objects: [...(await Promise.all([...objects, ...releases])), ...umbrella] }
      }),
    )
  }

  /** The head's files of values that something takes. */
  get valuesFiles(): ReadonlySet<string> {
    return this.after.valuesFiles
  }

  /** The files of values that releases of known charts take on either side. */
  get takenFiles(): ReadonlySet<string> {
    return new Set([this.before, this.after].flatMap((side) => (side ? [...side.ofKnownCharts] : [])))
  }

  /** The texts of values files that the change touches, which decide where findings are placed. */
  async texts(): Promise<Map<string, { before?: string; after?: string }>> {
    const { base, head, changed } = this.change
    const sideFiles = [this.before, this.after].flatMap((side) =>
      side ? [...side.valuesFiles, ...side.releaseFiles] : [],
    )
    const paths = [...new Set(sideFiles)].filter((path) => changed?.has(path))
    const [was, is] = await Promise.all([base?.checkout.texts(paths), head.checkout.texts(paths)])
    return new Map(
      paths.map((path) => {
        const [before, after] = [was?.get(path), is.get(path)]
        return [path, { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
      }),
    )
  }

  /** Reports `source/unreadable` for values files that cannot be read. */
  findings(): Finding[] {
    // Another tool may fill in values of an unknown chart: only those that were readable are known to be for helm.
    const isNews = (path: string) => this.after.ofKnownCharts.has(path) || !this.before?.unreadable.has(path)
    const unreadable = [...this.after.unreadable].filter(([path]) => isNews(path))
    return unreadable.map(([path, { reason, region, text }]) => {
      const known = !this.before || this.before.unreadable.get(path)?.reason === reason
      return gateFinding('source/unreadable', 'values', 'error', {
        side: 'head',
        path,
        region,
        status: known ? 'existing' : 'introduced',
        keys: [path],
        text: `This values file cannot be read: ${reason}. A release uses it, so the values of that release are unknown; fix the file.`,
        ...(text ? { fileText: text } : {}),
      })
    })
  }
}

async function completedFiles(files: Files, values: ReleaseFiles | undefined): Promise<Files> {
  if (!values) return files
  const loaded = new Map<string, LoadedFile>()
  for (const [path, file] of files.loaded) loaded.set(path, await values.completed(path, file))
  return files.withLoaded(loaded)
}

/** Whether a change touches a possible values file, or creates or empties a folder. */
function mayChangeValues({ base, head, before, after, changed }: ValuesInput): boolean {
  if (!base || !changed) return false
  const isManifest = (path: string) => [before, after].some(({ loaded }) => loaded.get(path)?.objects.length)
  const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  return [...changed].some((path) => {
    if (/\.(?:ya?ml|json)$|values/i.test(path) && !isManifest(path)) return true
    const folder = folderOf(path)
    return folder !== '' && [base, head].some(({ checkout }) => checkout.below(folder).length === 0)
  })
}
