import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { isKnownChart } from '../kubernetes/charts/chart-release'
import type { LoadedFile } from '../manifest/load'
import { nameOf, type Side } from '../manifest/manifest'
import type { Files } from '../revision/files'
import type { RenderedSide, SideOfChange } from '../sides/side'
import { mayTakeFiles, ReleaseFiles, reachedByValues } from './release-files'

interface Change {
  readonly base: SideOfChange | undefined
  readonly head: SideOfChange
  readonly before: Files
  readonly after: Files
  /** The paths that differ. */
  readonly changed: ReadonlySet<string> | undefined
  readonly repository: readonly string[]
}

/** The files of both sides once they are completed by the values that their objects take. */
interface Reached {
  readonly before: Files
  readonly after: Files
  /** The texts of files in which no object takes something else. */
  readonly texts: ReadonlyMap<string, string> | undefined
  /** The ids of sources that may render to objects that do. */
  readonly reached: ReadonlySet<string>
}

/** What both sides of a change lend to releases of charts that are not in the repository. */
export class LentValues {
  private readonly before: ReleaseFiles | undefined
  private readonly after: ReleaseFiles
  /** Whether the change may reach objects by nothing but the files that they take. */
  readonly mayDiffer: boolean

  constructor(private readonly change: Change) {
    const { base, head, repository, changed } = change
    this.before = base && new ReleaseFiles(base.checkout, repository, changed)
    this.after = new ReleaseFiles(head.checkout, repository, changed)
    this.mayDiffer = mayLend(change)
  }

  /**
   * Completes the files that were read, and adds those of the others in which an object takes something else than before.
   *
   * @param texts the files that the change does not touch, where they were read
   * @returns both sides, the texts that are left, and the sources that may render to such objects
   */
  async reach(texts: ReadonlyMap<string, string> | undefined): Promise<Reached> {
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
    const reached = new Set<string>()
    for (const source of head.discovery.sources) {
      const files = await head.checkout.texts(await head.files(source))
      if ([...files.values()].some(mayTakeFiles)) reached.add(source.id)
    }
    return { before: before.withLoaded(was), after: after.withLoaded(is), texts: left, reached }
  }

  /** The head's files of an object that this change leaves as it is. */
  completed(path: string, file: LoadedFile): Promise<LoadedFile> {
    return this.after.completed(path, file)
  }

  /** What was rendered, with what it takes from the tree. */
  async complete(side: Side, rendered: readonly RenderedSide[]): Promise<RenderedSide[]> {
    const lent = side === 'base' ? this.before : this.after
    if (!lent) return [...rendered]
    return Promise.all(
      rendered.map(async (one) => {
        const objects = one.objects.map(async ({ object, origin }) => ({
          object: await lent.complete(origin.path, object),
          origin,
        }))
        // Where a chart is left out, the rest may not build; what it is told stands there all the same.
        const releases = one.charts
          .filter(({ vendored, name, repo }) => !vendored && isKnownChart(name, repo))
          .map(async (chart) => {
            const origin = { kind: 'file' as const, path: chart.path }
            return { object: await lent.release(chart), origin }
          })
        return { ...one, objects: await Promise.all([...objects, ...releases]) }
      }),
    )
  }

  /** The head's files of values that something takes. */
  get taken(): ReadonlySet<string> {
    return this.after.taken
  }

  /** The texts of files with values, of those that the change touches, which places of findings are told by. */
  async texts(): Promise<Map<string, { before?: string; after?: string }>> {
    const { base, head, changed } = this.change
    const lent = [this.before, this.after].flatMap((side) => (side ? [...side.taken, ...side.asking] : []))
    const paths = [...new Set(lent)].filter((path) => changed?.has(path))
    const [was, is] = await Promise.all([base?.checkout.texts(paths), head.checkout.texts(paths)])
    return new Map(
      paths.map((path) => {
        const [before, after] = [was?.get(path), is.get(path)]
        return [path, { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
      }),
    )
  }

  /** `source/unreadable` for what something takes and nobody can read, or that is not there. */
  findings(): Finding[] {
    return [...this.unreadable(), ...this.missing()]
  }

  private missing(): Finding[] {
    return [...this.after.missing].map(([values, { path, object }]) =>
      gateFinding('source/unreadable', 'values', 'error', {
        side: 'head',
        path,
        region: object.region,
        status: !this.before || this.before.missing.has(values) ? 'existing' : 'introduced',
        object: object.ref,
        keys: [values],
        fileText: object.fileText,
        text: `${nameOf(object.ref)} references the values file ${values}, which does not exist, so the values of its release are unknown. Add the file, or remove it from valueFiles.`,
      }),
    )
  }

  private unreadable(): Finding[] {
    return [...this.after.unreadable].map(([path, { reason, region, text }]) => {
      const known = !this.before || (this.before.unreadable.has(path) && !this.change.changed?.has(path))
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

/** Whether a change touches what may be a file of values, or makes or empties a folder. */
function mayLend({ base, head, before, after, changed }: Change): boolean {
  if (!base || !changed) return false
  const isManifest = (path: string) => [before, after].some(({ loaded }) => loaded.get(path)?.objects.length)
  const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  return [...changed].some((path) => {
    if (/\.(?:ya?ml|json)$|values/i.test(path) && !isManifest(path)) return true
    const folder = folderOf(path)
    return folder !== '' && [base, head].some(({ checkout }) => checkout.below(folder).length === 0)
  })
}
