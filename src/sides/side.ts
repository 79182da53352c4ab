import { basename } from 'node:path'
import type { Declarations } from '../cluster/clusters'
import { type Descriptions, readDescriptions } from '../configuration/descriptions'
import { withKubeVersion } from '../configuration/kube-version'
import type { NotInspected } from '../deployers/gitops-sources'
import { type Discovery, discover } from '../discovery/discover'
import type { Render } from '../discovery/followed'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest, type Origin, pathOf, type RenderedSource, type Side } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import { skimIdentities } from '../manifest/skim'
import type { DeclaredRelease } from '../policy/config'
import { startOf } from '../region'
import type { Answers } from '../render/answers'
import { guessesOf } from '../render/guesses'
import type { Renderer, Rewritten } from '../render/renderer'
import type { Failure, Piece, Rendering } from '../render/rendering'
import type { Questions } from '../render/uncertain-actions'
import { Checkout } from '../revision/checkout'
import { heldFolderOf } from '../revision/held-files'
import type { Revision } from '../revision/revision'
import { readTree, type Tree } from '../revision/tree'
import { type InflatedChart, inflatedCharts } from '../sources/inflated-chart'
import { closureOf, inside, type Kustomization, type RemoteEntry, remoteEntries } from '../sources/kustomization'
import { readPlugins } from '../sources/kustomize-reader'
import type { Lack } from '../sources/lack'
import { patchesIn, type WrittenPatch } from '../sources/patches'
import {
  type DeclarationSite,
  type HelmSource,
  type KustomizeSource,
  namesOfValues,
  type Source,
} from '../sources/source'
import { writtenFiles } from '../sources/written'
import { type FetchedInput, type FetchedParts, fetchedInputs, partsHere, seenHere } from './fetched-input'
import { withoutOwned } from './plain-tree'
import { type RenderingInput, reducedInput } from './reduced-input'
import { inNamespace, staysInstalled, withNamespace } from './rendered-objects'
import { showing } from './shown-files'

/** A source as one side of a change has it, rendered. */
export interface RenderedSide {
  readonly source: Source
  readonly objects: readonly { readonly object: LoadedObject; readonly origin: Origin }[]
  readonly unreadable: readonly {
    readonly cause: 'unreadable-output'
    readonly path: string
    /** The object, as far as it can be known: `Ingress/web`. */
    readonly about: string
    readonly reason: string
  }[]
  readonly failure: Failure | undefined
  /** Remote entries that were left out of the build. */
  readonly remote: readonly RemoteEntry[]
  /** The charts it inflates; those that are not in the repository were left out. */
  readonly charts: readonly InflatedChart[]
  /** Remote files of its ConfigMaps and Secrets, which were left out. */
  readonly data: readonly RemoteEntry[]
  /** How it was read, where it is not rendered whole on both sides. */
  readonly partial?: PartialReading
}

/** How a source was read that is not rendered whole, on this side or on the other. */
export interface PartialReading {
  /** Rendered without what it lacks, or read as its files are written. */
  readonly manner: 'reduced' | 'written'
  /** Why it is not rendered whole; nothing where the other side alone is not. */
  readonly failure: Failure | undefined
  readonly lacks: readonly Lack[]
}

/** What became of a release whose chart is not in the repository: it is rendered, or why it is not. */
export type ReleaseAccount =
  | 'rendered'
  | Pick<NotInspected, 'cause' | 'reason' | 'placeAt' | 'files' | 'about' | 'remedy'>

/** One side of a change: its files, and the sources that deploy them. */
export class SideOfChange {
  /** What a source is rendered from where something is left out of it, by its id. */
  private readonly inputs = new Map<string, RenderingInput>()

  /** Without the files that belong to charts and Kustomizations. */
  readonly tree: Tree

  private constructor(
    readonly revision: Revision,
    private readonly treeFor: (discovery: Discovery) => Tree,
    readonly checkout: Checkout,
    readonly discovery: Discovery,
    readonly descriptions: Descriptions,
    private readonly renderer: Renderer,
    /** Identifies a rendering of a source, by the source's id. */
    readonly keys: ReadonlyMap<string, string>,
    private readonly informed: (source: Source) => Source,
    /** The Kustomizations for which something was fetched, by the ids of their sources. */
    private readonly fetched: ReadonlyMap<string, FetchedInput> = new Map(),
  ) {
    this.tree = treeFor(discovery)
  }

  static async open(
    revision: Revision,
    side: Side,
    { ignore, inventories, releases, repository, renderer, base, changed, declarations }: Opening,
  ): Promise<SideOfChange> {
    const shown = new Set<string>()
    const look = async () => {
      renderer.budget.doing(`listing the files of ${revision.name}`)
      const tree = await readTree(revision, ignore, shown)
      const checkout = new Checkout(revision, tree, renderer.newFolder(), renderer.contents)
      const descriptions = await readDescriptions(side, { checkout, tree }, declarations[side])
      renderer.budget.doing(`looking for deployed sources in ${revision.name}`)
      const informed = withKubeVersion(descriptions, declarations)
      const render: Render = async (source, kustomizations) => {
        const rendering = await renderer.render(source, checkout, kustomizations)
        return 'failure' in rendering ? undefined : rendering.pieces
      }
      const known = { releases, repository, ...(base ? { base } : {}), isNew: declarations.isNew, informed, render }
      return { tree, checkout, descriptions, informed, discovery: await discover(checkout, known, side) }
    }
    const isShown = showing(ignore, changed, base)
    let seen = await look()
    // Files that become visible may deploy further ignored files.
    for (;;) {
      const more = [...seen.discovery.ignorable].filter((file) => !shown.has(file) && isShown(file))
      if (more.length === 0) break
      for (const file of more) shown.add(file)
      seen = await look()
    }
    const { tree, checkout, descriptions, discovery, informed } = seen
    const keys = await keysOf(discovery.sources, renderer, checkout, discovery)
    const treeFor = (its: Discovery) => withoutOwned(tree, its, inventories)
    return new SideOfChange(revision, treeFor, checkout, discovery, descriptions, renderer, keys, informed)
  }

  /** This side with releases whose charts were fetched, and with what became of the others. */
  async withReleases(sources: readonly Source[], accounts: ReadonlyMap<string, ReleaseAccount>): Promise<SideOfChange> {
    const { checkout, renderer } = this
    const fetched = sources.map(this.informed)
    const notInspected = this.discovery.notInspected.flatMap((one) => {
      const account = accounts.get(one.release ?? '')
      if (account === 'rendered') return []
      return account ? [{ ...one, ...account }] : [one]
    })
    // A HelmChart of K3s is listed only where it was asked for.
    const listed = new Set(this.discovery.notInspected.map(({ release }) => release))
    const more = [...accounts].flatMap(([release, account]) => {
      const manifest = listed.has(release) ? undefined : this.discovery.elsewhere.get(release)?.().manifest
      return manifest && account !== 'rendered' ? [{ manifest, ...account, release }] : []
    })
    const sourcesNow = [...this.discovery.sources, ...fetched]
    const discovery = { ...this.discovery, sources: sourcesNow, notInspected: [...notInspected, ...more] }
    const keys = new Map([...this.keys, ...(await keysOf(fetched, renderer, checkout, discovery))])
    return this.as({ discovery, keys })
  }

  /** This side with what was fetched for some of its Kustomizations, and why the rest was not. */
  async withFetched(sources: readonly KustomizeSource[], parts: FetchedParts): Promise<SideOfChange> {
    const { checkout, renderer, discovery } = this
    const folder = renderer.newFolder()
    const inputs = await fetchedInputs(sources, parts, { checkout, kustomizations: discovery.kustomizations, folder })
    const keys = new Map(this.keys)
    for (const { source, ...its } of inputs.values()) {
      for (const [id, key] of await keysOf([source], renderer, its.checkout, its)) keys.set(id, key)
    }
    return this.as({ discovery, keys, fetched: new Map([...this.fetched, ...inputs]) })
  }

  /** Whether something was fetched: an entry of a Kustomization by its text, a chart by its folder. */
  hasFetched(id: string): boolean {
    return [...this.fetched.values()].some(
      ({ checkout }) => checkout.inPlaceOf.has(id) || checkout.has(`${id}/Chart.yaml`),
    )
  }

  /** Whether something that was fetched is in a source. */
  isOfFetched(source: Source): boolean {
    if (source.kind === 'helm') return source.fetched !== undefined
    const { entries, hasCharts } = this.fetched.get(source.id) ?? {}
    return hasCharts === true || (entries !== undefined && entries.size > 0)
  }

  private as({ discovery, keys, fetched = this.fetched }: Pick<SideOfChange, 'discovery' | 'keys'> & Fetched) {
    const { revision, treeFor, checkout, descriptions, renderer, informed } = this
    return new SideOfChange(revision, treeFor, checkout, discovery, descriptions, renderer, keys, informed, fetched)
  }

  files(source: Source): Promise<string[]> {
    return this.renderer.files(source, this.checkout, this.discovery.kustomizations)
  }

  /** The entries of its Kustomizations that are not in the repository. */
  async remotePlaces(): Promise<string[]> {
    const kustomizations = [...this.discovery.kustomizations.values()]
    const entries = kustomizations.flatMap((one) => remoteEntries(one, this.checkout).map(({ text }) => text))
    const plugins = kustomizations.flatMap(({ plugins, file, leadsTo }) => (plugins ? [file, ...leadsTo] : []))
    const texts = await this.checkout.texts([...new Set(plugins)].filter((file) => this.checkout.has(file)))
    const places = [...texts.values()]
      .filter((text) => mentions(text, 'builtin'))
      .flatMap((text) => readPlugins(text).places.map(({ text: place }) => place))
    return [...entries, ...places.filter((place) => /^(?:[^=]*=)?https?:/i.test(place))]
  }

  /** Renders a release with edited templates; empty when that fails. */
  async renderRewritten(source: HelmSource, rewrite: (template: string, nonce: string) => string): Promise<Rewritten> {
    return this.renderer.renderRewritten(source, this.inputOf(source).checkout, rewrite)
  }

  /** What the chart of a release asks of the cluster. */
  questionsOf(source: HelmSource): Promise<Questions> {
    return this.renderer.questionsOf(source, this.inputOf(source).checkout)
  }

  /**
   * Renders a release as with other answers of the cluster, or with one question answered alone.
   *
   * @returns no side where it does not render with them, and the questions for which the chart refuses the answer
   */
  async renderAnswered(
    source: HelmSource,
    answers: Answers,
    asked: Questions,
    only?: string,
  ): Promise<{ readonly side: RenderedSide | undefined; readonly refused: readonly string[] }> {
    const { source: own, checkout } = this.inputOf(source)
    if (own.kind !== 'helm') return { side: undefined, refused: [] }
    const { pieces, refused } = await this.renderer.renderAnswered(own, checkout, answers, asked, only)
    return { side: pieces ? await this.read(source, { pieces }) : undefined, refused }
  }

  /** Builds a Kustomization in which each object records the file it comes from. */
  async renderWithOrigins(source: KustomizeSource): Promise<readonly Piece[]> {
    const { source: built, checkout, kustomizations } = this.inputOf(source)
    if (built.kind === 'helm') return []
    const overlay = { ...built.overlay, buildMetadata: ['originAnnotations'] }
    const rendering = await this.renderer.render({ ...built, overlay }, checkout, kustomizations)
    return 'failure' in rendering ? [] : rendering.pieces
  }

  /**
   * The file that kustomize records as an object's origin, relative to the generated folder above its own; for a fetched
   * one the entry that takes it in.
   */
  fileFrom(origin: string, source: Source): string | DeclarationSite | undefined {
    const start = `/${basename(this.inputOf(source).checkout.forKustomize.folder)}/`
    const written = origin.slice(origin.indexOf(start) + start.length)
    const entry = this.fetched.get(source.id)?.entries.get(heldFolderOf(written))
    const place = inside('', written)
    return entry ?? (place !== undefined && this.checkout.has(place) ? place : undefined)
  }

  private inputOf(source: Source): RenderingInput {
    return this.inputs.get(source.id) ?? { ...this.wholeInputOf(source), source }
  }

  private wholeInputOf({ id }: Source): Omit<RenderingInput, 'source'> {
    const { checkout, discovery } = this
    return this.fetched.get(id) ?? { checkout, kustomizations: discovery.kustomizations }
  }

  async render(source: Source): Promise<RenderedSide> {
    const { checkout, kustomizations } = this.wholeInputOf(source)
    return this.read(source, await this.renderer.render(source, checkout, kustomizations))
  }

  /** Renders a source without what it lacks; whole, where nothing of it is for that. */
  async renderWithout(source: Source, lacks: readonly Lack[]): Promise<RenderedSide> {
    const { renderer } = this
    const { checkout, kustomizations } = this.wholeInputOf(source)
    const newFolder = () => renderer.newFolder()
    const input = await reducedInput(source, lacks, { checkout, kustomizations, newFolder })
    if (!input) return this.render(source)
    const rendering = await renderer.render(input.source, input.checkout, input.kustomizations)
    if (!('failure' in rendering)) this.inputs.set(source.id, input)
    const side = await this.read(source, rendering, input.changesOthers ? 'reduced' : undefined)
    // Places are those of the files as they are written.
    if (side.failure || source.kind === 'helm') return side
    const charts = await inflatedCharts(source, kustomizations, checkout)
    const data = this.takenBy(source).flatMap((one) => one.data.map((mention) => ({ ...mention, path: one.file })))
    const parts = { pieces: [], charts, data, remote: this.remoteOf(source) }
    const fetched = this.fetched.get(source.id)
    return { ...side, ...(fetched ? partsHere(parts, fetched) : parts) }
  }

  /** Reads the manifests that a source names as they are written. */
  async readAsWritten(source: Source): Promise<RenderedSide> {
    const files = await writtenFiles(source, this.discovery.kustomizations, this.checkout)
    const objects = files.flatMap(({ path, text, namespace, mayChange }) => {
      const origin: Origin = { kind: 'rendered', path, template: '', id: source.id, source: described(source) }
      return loadFile({ text }).objects.map((object) => ({
        object: withNamespace(inNamespace(object, namespace), source),
        origin: { ...origin, unbuilt: mayChange ? ('changed' as const) : ('written' as const) },
      }))
    })
    const remote = source.kind === 'kustomize' ? this.remoteOf(source) : []
    return { source, objects, unreadable: [], failure: undefined, remote, charts: [], data: [] }
  }

  /** The patches of a Kustomization, as they are written. */
  patches(source: KustomizeSource): Promise<WrittenPatch[]> {
    return patchesIn(source, this.discovery.kustomizations, this.checkout)
  }

  private remoteOf(source: KustomizeSource): RemoteEntry[] {
    const { checkout } = this.wholeInputOf(source)
    return this.takenBy(source).flatMap((one) => remoteEntries(one, checkout))
  }

  private takenBy(source: KustomizeSource): Kustomization[] {
    const { kustomizations } = this.wholeInputOf(source)
    return [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, kustomizations))
  }

  /** The objects of a rendering. */
  private async read(source: Source, built: Rendering, unbuilt?: 'reduced'): Promise<RenderedSide> {
    const fetched = this.fetched.get(source.id)
    const rendering = fetched ? seenHere(built, fetched) : built
    const { charts = [], data = [] } = rendering
    if ('failure' in rendering) {
      const failure = inSight(rendering.failure, source)
      return { source, objects: [], unreadable: [], failure, remote: failure.remote ?? [], charts, data }
    }
    if (source.origin === 'probed')
      return { source, objects: [], unreadable: [], failure: undefined, remote: [], charts, data }
    const isGuess = await guessesOf(source, this.checkout)
    const objects: RenderedSide['objects'][number][] = []
    const unreadable: RenderedSide['unreadable'][number][] = []
    for (const { path, template, text } of rendering.pieces) {
      this.renderer.budget.doing(`reading the rendered manifests of ${path}`, path)
      const file = loadFile({ text })
      // Of a chart that was fetched a reader can open the line that asks for it.
      const seen = (source.kind === 'helm' && source.fetched?.at.path) || path
      const own: Origin = { kind: 'rendered', path: seen, template, id: source.id, source: described(source) }
      const origin: Origin = unbuilt ? { ...own, unbuilt } : own
      const staying = file.objects.filter(
        (object) => source.kind !== 'helm' || staysInstalled(new Manifest(object, 'head', origin, []), source),
      )
      for (const object of staying) {
        const guessed = isGuess(object.apiVersion, path)
        objects.push({ object: withNamespace(object, source), origin: guessed ? { ...origin, guessed } : origin })
      }
      const about = file.unreadable.length > 0 ? skimIdentities(text).map(pathOf).join() : ''
      unreadable.push(
        ...file.unreadable.map(({ reason }) => ({ cause: 'unreadable-output' as const, path: seen, about, reason })),
      )
      const most = this.renderer.limits.objects
      if (objects.length > most) {
        const reason = `it renders to more than ${most} objects`
        const failure = { cause: 'too-many-objects' as const, reason, path: seen, region: startOf(1) }
        return { source, objects: [], unreadable: [], failure, remote: [], charts, data }
      }
    }
    return { source, objects, unreadable, failure: undefined, remote: rendering.remote ?? [], charts, data }
  }
}

interface Fetched {
  readonly fetched?: ReadonlyMap<string, FetchedInput>
}

interface Opening {
  readonly ignore: readonly string[]
  /** The files that describe clusters and are deployed to none. */
  readonly inventories: ReadonlySet<string>
  readonly releases: readonly DeclaredRelease[]
  readonly declarations: Declarations
  readonly repository: readonly string[]
  readonly renderer: Renderer
  /** The discovery of the base, when the head is opened. */
  readonly base?: Discovery | undefined
  /** The paths that differ; undefined when one side is judged whole. */
  readonly changed: ReadonlySet<string> | undefined
}

/** A failure in a chart that was fetched, at the line that asks for it. */
function inSight(failure: Failure, source: Source): Failure {
  if (source.kind !== 'helm' || !source.fetched || !failure.path.startsWith(source.chart)) return failure
  return { ...failure, ...source.fetched.at, reason: failure.reason.replaceAll(`${source.chart}/`, '') }
}

/** What identifies the renderings of sources, by their ids. */
async function keysOf(
  sources: readonly Source[],
  renderer: Renderer,
  checkout: Checkout,
  { kustomizations }: Pick<Discovery, 'kustomizations'>,
): Promise<Map<string, string>> {
  const keys = sources.map(async (source) => {
    const key = await renderer.keyOf(source, checkout, kustomizations)
    return [source.id, JSON.stringify([key, source.target])] as const
  })
  return new Map(await Promise.all(keys))
}

/** A source as reports name it. */
export function described(source: Source): RenderedSource {
  if (source.kind === 'kustomize') return { kind: 'kustomize', path: source.root || '.' }
  const { chart, release, namespace, fetched } = source
  const its = { release, namespace, values: namesOfValues(source) }
  if (!fetched) return { kind: 'helm', path: chart || '.', ...its }
  const { repository, version } = fetched
  return { kind: 'helm', path: fetched.chart, repository, version, ...its }
}
