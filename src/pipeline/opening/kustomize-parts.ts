import { createHash } from 'node:crypto'
import path from 'node:path/posix'
import type { FetchRequest } from '../../fetch/asked-once'
import type { Fetched, FetchedFiles, FetchFault } from '../../fetch/connection/fetching'
import { heldFolderOf } from '../../revision/held-files'
import type { FetchedParts } from '../../sides/fetched-input'
import type { SideOfChange } from '../../sides/side'
import { withFetched } from '../../sources/fetched-kustomizations'
import { type InflatedChart, inflatedCharts } from '../../sources/inflated-chart'
import {
  closureOf,
  fileKey,
  inside,
  type Kustomization,
  type RemoteEntry,
  remoteEntries,
  remoteFiles,
  urlOfFile,
} from '../../sources/kustomization'
import { filePlaceOf, type RemotePlace, remotePlaceOf } from '../../sources/remote-place'
import type { KustomizeSource } from '../../sources/source'
import type { Ask } from './asking'

/** The number of rounds in which fetched parts may lead to more: entries within entries. */
const maxRounds = 6

/** The number of path segments that a branch may have in the URL of a raw file. */
const maxNames = 3

/** The requested parts of the Kustomizations of one side. */
export interface KustomizeParts extends FetchedParts {
  /** The remote entries that are known, by their text. */
  readonly entries: ReadonlyMap<string, RemoteEntry>
  /** The charts that are not in the repository, by their folder. */
  readonly inflated: ReadonlyMap<string, InflatedChart>
  /** Held folders whose trees have links or submodules, which no tool gets. */
  readonly lackingFiles: ReadonlySet<string>
  /** Whether a trial made a request that the change did not make. */
  readonly isUnknown: boolean
}

/**
 * Fetches the remote parts of the Kustomizations of one side, and the further parts that these include from trusted
 * places.
 */
export async function partsOf(
  side: SideOfChange,
  sources: readonly KustomizeSource[],
  ask: Ask,
): Promise<KustomizeParts> {
  const parts = new CollectedParts(side, ask)
  for (let round = 0; round < maxRounds; round++) {
    const { all, checkout } = await parts.sofar()
    const closure = new Set(sources.flatMap(startsOf).flatMap((start) => closureOf(start, all)))
    const entries = [...closure].flatMap((one) => remoteEntries(one, checkout))
    const charts = await Promise.all(sources.map((source) => inflatedCharts(source, all, checkout)))
    const files = [...closure].flatMap((one) => remoteFiles(one, checkout))
    const isMore = await parts.add(entries, files, charts.flat(), [...closure])
    if (!isMore) break
  }
  return parts
}

function startsOf({ root, components = [] }: KustomizeSource): string[] {
  return [root, ...components]
}

/** A tree from which one folder alone was fetched. */
interface PartialTree {
  readonly entry: string
  readonly folder: string
}

class CollectedParts implements KustomizeParts {
  readonly inPlaceOf = new Map<string, string>()
  readonly charts = new Map<string, Uint8Array>()
  readonly faults = new Map<string, FetchFault>()
  readonly entries = new Map<string, RemoteEntry>()
  readonly inflated = new Map<string, InflatedChart>()
  readonly lackingFiles = new Set<string>()
  isUnknown = false
  private readonly partial = new Map<string, PartialTree>()

  constructor(
    private readonly side: SideOfChange,
    private readonly ask: Ask,
  ) {}

  /** The Kustomizations with the parts fetched so far. */
  async sofar() {
    const { checkout: own, discovery } = this.side
    // These files are only read, so the folder is never written.
    const checkout = own.withFetched(this.inPlaceOf, this.charts, () => own.folder)
    return { checkout, all: await withFetched(discovery.kustomizations, checkout) }
  }

  /** @returns whether something was asked for */
  async add(
    entries: readonly RemoteEntry[],
    files: readonly RemoteEntry[],
    charts: readonly InflatedChart[],
    kustomizations: readonly Kustomization[],
  ): Promise<boolean> {
    const open: Promise<void>[] = []
    for (const { entry, folder } of this.partialOnes(kustomizations)) {
      const place = remotePlaceOf(entry)
      this.partial.delete(heldFolderOf(this.inPlaceOf.get(entry) ?? ''))
      if (place?.kind === 'tree') open.push(this.tree(entry, { ...place, folder }, []))
    }
    for (const entry of entries) {
      if (this.entries.has(entry.text)) continue
      this.entries.set(entry.text, entry)
      open.push(this.entry(entry.text))
    }
    for (const file of files) {
      const key = fileKey(file.path, file.text)
      if (this.entries.has(key)) continue
      this.entries.set(key, file)
      open.push(this.file(key, file))
    }
    for (const chart of charts) {
      // The home of the charts of a fetched base is in that base.
      const isOut = heldFolderOf(chart.folder) !== heldFolderOf(chart.from)
      if (isOut || chart.vendored || chart.repo === '' || this.inflated.has(chart.folder)) continue
      this.inflated.set(chart.folder, chart)
      open.push(this.chart(chart))
    }
    await Promise.all(open)
    return open.length > 0
  }

  /** The trees with more folders named than fetched. */
  private partialOnes(kustomizations: readonly Kustomization[]): PartialTree[] {
    const found = new Set<PartialTree>()
    for (const { folder, includes } of kustomizations) {
      const part = this.partial.get(heldFolderOf(folder))
      const top = part && path.join(heldFolderOf(folder), topOf(part.folder))
      const isOutside = (place: string | undefined) =>
        place !== undefined && top !== undefined && place !== top && !place.startsWith(`${top}/`)
      if (part && includes.some(({ text }) => isOutside(inside(folder, text)))) found.add(part)
    }
    return [...found]
  }

  private async entry(text: string): Promise<void> {
    const place = remotePlaceOf(text)
    if (!place) {
      const reason = `${JSON.stringify(text)} is not a URL that is fetched from`
      this.faults.set(text, { cause: 'place-refused', reason })
    } else if (place.kind === 'file') {
      const { url, place: above } = place
      const answer = await this.answerTo({ kind: 'file', url, place: above }, text)
      const [content] = answer?.files.values() ?? []
      if (answer && content) this.inPlaceOf.set(text, this.held(answer, url, asBase(content)))
    } else if (place.isFile) await this.fileOfTree(text, place)
    else await this.tree(text, place, place.folder === '' ? [] : [topOf(place.folder)])
  }

  /** A file that is no resource, below the Kustomization that names it: kustomize reads no other. */
  private async file(key: string, { text, path: from }: RemoteEntry): Promise<void> {
    const url = urlOfFile(text)
    const place = filePlaceOf(url)
    if (!place) {
      const reason = `${JSON.stringify(url)} is not a URL that is fetched from`
      this.faults.set(key, { cause: 'place-refused', reason })
      return
    }
    const answer =
      place.kind === 'file'
        ? await this.answerTo({ kind: 'file', url: place.url, place: place.place }, key)
        : await this.answerTo(
            { kind: 'tree', repository: place.repository, ref: place.ref, folders: [place.folder] },
            key,
          )
    const [content] = answer?.files.values() ?? []
    if (!answer || !content) return
    const folder = `.fetched-${createHash('sha256').update(url).digest('hex')}`
    const at = path.join(path.dirname(from), folder, path.basename(new URL(url).pathname))
    this.charts.set(at, content)
    this.inPlaceOf.set(key, at)
  }

  private async fileOfTree(text: string, place: RemoteTree): Promise<void> {
    const { repository, ref, folder } = place
    const answer = await this.answerTo({ kind: 'tree', repository, ref, folders: [folder] }, text)
    const content = answer?.files.get(folder)
    if (content && answer) this.inPlaceOf.set(text, this.held(answer, `${repository} ${folder}`, asBase(content)))
    else if (answer) {
      const reason = `${repository} has no file ${folder} at ${answer.version}`
      this.faults.set(text, { cause: 'version-missing', reason })
    } else await this.fileOfLongerRef(text, place)
  }

  /** The URL of a raw file does not show where the name of a branch ends: it may have slashes. */
  private async fileOfLongerRef(text: string, place: RemoteTree): Promise<void> {
    const fault = this.faults.get(text)
    const [next, ...rest] = place.folder.split('/')
    const mayBeLonger = rest.length > 0 && !place.ref.startsWith('refs/') && place.ref.split('/').length < maxNames
    if (fault?.cause !== 'version-missing' || !mayBeLonger) return
    this.faults.delete(text)
    await this.fileOfTree(text, { ...place, ref: `${place.ref}/${next}`, folder: rest.join('/') })
    if (this.faults.has(text)) this.faults.set(text, fault)
  }

  /** @param folders the folders to fetch; all if empty */
  private async tree(
    text: string,
    { repository, ref, folder }: Pick<RemoteTree, 'repository' | 'ref' | 'folder'>,
    folders: string[],
  ) {
    const request = { kind: 'tree' as const, repository, ref, ...(folders.length > 0 ? { folders } : {}) }
    const answer = await this.answerTo(request, text)
    if (!answer) return
    const place = this.held(answer, `${repository} ${folders.join()}`, answer.files)
    if (folders.length > 0) this.partial.set(place, { entry: text, folder })
    if (answer.links?.length) this.lackingFiles.add(place)
    this.inPlaceOf.set(text, path.join(place, folder))
  }

  private async chart({ name, repo, version, folder }: InflatedChart): Promise<void> {
    const answer = await this.answerTo({ kind: 'chart', repository: repo, chart: name, version }, folder)
    for (const [file, content] of answer?.files ?? []) this.charts.set(path.join(folder, file), content)
  }

  private held({ digest }: Fetched, of: string, files: FetchedFiles): string {
    return this.side.checkout.hold(`${digest} ${of}`, files)
  }

  private async answerTo(request: FetchRequest, key: string): Promise<Fetched | undefined> {
    const answer = await this.ask(request)
    if (!answer) {
      this.isUnknown = true
      return undefined
    }
    if (!('cause' in answer)) return answer
    this.inPlaceOf.delete(key)
    this.faults.set(key, answer)
    return undefined
  }
}

type RemoteTree = Extract<RemotePlace, { kind: 'tree' }>

function topOf(folder: string): string {
  return folder.split('/', 1)[0] ?? ''
}

/** A file as a base for kustomize, which includes no file from outside its own folder. */
function asBase(content: Uint8Array): FetchedFiles {
  return new Map([
    ['kustomization.yaml', Buffer.from('resources: [manifest.yaml]\n')],
    ['manifest.yaml', content],
  ])
}
