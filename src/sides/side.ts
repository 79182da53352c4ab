import type { Descriptions } from '../configuration/descriptions'
import type { NotInspected } from '../deployers/common/gitops-sources'
import type { Discovery } from '../discovery/discover'
import type { Side } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import type { Answers } from '../render/answers/answers'
import { type AnsweredRendering, questionsOf } from '../render/answers/helm-answers'
import type { Questions } from '../render/answers/uncertain-actions'
import type { Renderer, Rewritten } from '../render/renderer'
import type { ClusterState, Surrounding } from '../render/stub-cluster/ask-helm'
import { type ChartWords, wordsOf } from '../render/stub-cluster/chart-words'
import type { Piece, Rendering } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import { heldFolderOf } from '../revision/held-files'
import type { Revision } from '../revision/revision'
import type { Tree } from '../revision/tree'
import { fetchedClosure } from '../sources/fetched-kustomizations'
import { inflatedCharts } from '../sources/inflated-chart'
import { closureOf, inside, type Kustomization, type RemoteEntry, remoteEntries } from '../sources/kustomization'
import { readPlugins } from '../sources/kustomize-reader'
import type { Lack } from '../sources/lack'
import { patchesIn, type WrittenPatch } from '../sources/patches'
import { missingObjects } from '../sources/reduced-kustomization'
import { withoutKeys } from '../sources/sample-keys'
import type { DeclarationSite, HelmSource, KustomizeSource, Source } from '../sources/source'
import { type FetchedInput, type FetchedParts, fetchedInputs, type LeftOut, partsHere, seenHere } from './fetched-input'
import { type FetchedDependencies, FetchedInputs } from './fetched-inputs'
import { lookAt, type Opening } from './look-at'
import { withoutOwned } from './plain-tree'
import { readRendering } from './read-rendering'
import { readWritten } from './read-written'
import { type RenderingInput, reducedInput } from './reduced-input'
import type { RenderedSide } from './rendered-side'

/** The outcome for a release whose chart is not in the repository: it is rendered, or the reason why not. */
export type ReleaseAccount =
  | 'rendered'
  | Pick<NotInspected, 'cause' | 'reason' | 'placeAt' | 'files' | 'about' | 'remedy'>

/** One side of a change: its files, and the sources that deploy them. */
export class SideOfChange {
  /** The inputs of sources from which parts are left out, by id. */
  private readonly inputs = new Map<string, RenderingInput>()
  /** The files for releases that are only assumed, by chart. */
  private readonly assumed = new Map<string, Promise<Checkout>>()

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
    readonly fetched: FetchedInputs = new FetchedInputs(),
  ) {
    this.tree = treeFor(discovery)
  }

  static async open(revision: Revision, side: Side, opening: Opening): Promise<SideOfChange> {
    const { inventories, renderer } = opening
    const { tree, checkout, descriptions, discovery, informed } = await lookAt(revision, side, opening)
    const keys = await keysOf(discovery.sources, renderer, checkout, discovery)
    const treeFor = (its: Discovery) => withoutOwned(tree, its, inventories)
    return new SideOfChange(revision, treeFor, checkout, discovery, descriptions, renderer, keys, informed)
  }

  /** This side with releases whose charts were fetched, and with the outcomes of the others. */
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
    const charts = fetched.filter(({ kind }) => kind === 'helm')
    const keys = new Map([...this.keys, ...(await keysOf(charts, renderer, checkout, discovery))])
    const inputs = new Map<string, FetchedInput>()
    for (const source of fetched) {
      const input = source.kind === 'kustomize' ? await this.inputOfFetched(source) : undefined
      if (!input) continue
      inputs.set(source.id, input)
      for (const [id, key] of await keysOf([source], renderer, input.checkout, input)) keys.set(id, key)
    }
    return this.as({ discovery, keys, fetched: this.fetched.withSources(inputs) })
  }

  private async inputOfFetched(source: KustomizeSource): Promise<FetchedInput | undefined> {
    const checkout = this.checkout.withFetched(new Map(), new Map(), () => this.renderer.newFolder())
    const kustomizations = await fetchedClosure(source.root, checkout)
    if (typeof kustomizations === 'string' || !source.fetched) return undefined
    const entries = new Map([[heldFolderOf(source.root), source.fetched.at]])
    return { checkout, kustomizations, entries, faults: new Map(), hasCharts: false }
  }

  /** What the Kustomization in a fetched folder includes that was not fetched with it. */
  async lackOfFetched(root: string): Promise<string | undefined> {
    const checkout = this.checkout.withFetched(new Map(), new Map(), () => this.checkout.folder)
    const found = await fetchedClosure(root, checkout)
    return typeof found === 'string' ? found : undefined
  }

  /** This side with the fetched parts of some of its Kustomizations, and the reasons for the missing ones. */
  async withFetched(sources: readonly KustomizeSource[], parts: FetchedParts): Promise<SideOfChange> {
    const { checkout, renderer, discovery } = this
    const newFolder = () => renderer.newFolder()
    const inputs = await fetchedInputs(sources, parts, {
      checkout,
      kustomizations: discovery.kustomizations,
      newFolder,
    })
    const keys = new Map(this.keys)
    for (const { source, ...its } of inputs.values()) {
      for (const [id, key] of await keysOf([source], renderer, its.checkout, its)) keys.set(id, key)
    }
    return this.as({ discovery, keys, fetched: this.fetched.withSources(inputs) })
  }

  /** This side with the fetched dependencies of some of its charts. */
  async withDependencies(charts: ReadonlySet<string>, { files, entries }: FetchedDependencies): Promise<SideOfChange> {
    const { renderer, discovery } = this
    const { kustomizations } = discovery
    const checkout = this.checkout.withFetched(new Map(), files, () => renderer.newFolder())
    const sources = discovery.sources.filter((one) => one.kind === 'helm' && !one.fetched && charts.has(one.chart))
    const keys = new Map([...this.keys, ...(await keysOf(sources, renderer, checkout, discovery))])
    const input = { checkout, kustomizations, entries, faults: new Map(), hasCharts: true }
    return this.as({ discovery, keys, fetched: this.fetched.withCharts(charts, input) })
  }

  /**
   * This side with some releases rendered without the dependencies of their charts.
   *
   * @param reasons why, by the ids of the releases
   */
  async withoutDependencies(reasons: ReadonlyMap<string, LeftOut>): Promise<SideOfChange> {
    const { checkout, renderer, discovery } = this
    const sources = discovery.sources.filter(({ id }) => reasons.has(id))
    const keys = new Map([...this.keys, ...(await keysOf(sources, renderer, checkout, discovery))])
    const { kustomizations } = discovery
    const input = { checkout, kustomizations, entries: new Map(), faults: new Map(), hasCharts: false }
    const own = sources.map(({ id }) => {
      const without = reasons.get(id)
      return [id, { ...input, ...(without && { without }) }] as const
    })
    return this.as({ discovery, keys, fetched: this.fetched.withSources(own) })
  }

  private as({ discovery, keys, fetched }: Pick<SideOfChange, 'discovery' | 'keys' | 'fetched'>) {
    const { revision, treeFor, checkout, descriptions, renderer, informed } = this
    return new SideOfChange(revision, treeFor, checkout, discovery, descriptions, renderer, keys, informed, fetched)
  }

  files(source: Source): Promise<readonly string[]> {
    return this.renderer.files(source, this.checkout, this.discovery.kustomizations)
  }

  /** The entries of its Kustomizations that are not in the repository. */
  async remotePlaces(): Promise<string[]> {
    const kustomizations = [...this.discovery.kustomizations.values()]
    const entries = kustomizations.flatMap((one) =>
      [...remoteEntries(one, this.checkout), ...one.files].map(({ text }) => text),
    )
    const plugins = kustomizations.flatMap(({ plugins, file, leadsTo }) => (plugins ? [file, ...leadsTo] : []))
    const texts = await this.checkout.texts([...new Set(plugins)].filter((file) => this.checkout.has(file)))
    const places = [...texts.values()]
      .filter((text) => mentions(text, 'builtin'))
      .flatMap((text) => readPlugins(text).places.map(({ text: place }) => place))
    return [...entries, ...places.filter((place) => /^(?:[^=]*=)?https?:/i.test(place))]
  }

  /** Renders a release with edited templates; empty when that fails. */
  async renderRewritten(source: HelmSource, rewrite: (template: string, nonce: string) => string): Promise<Rewritten> {
    const { source: own, checkout } = this.inputOf(source)
    return this.renderer.renderRewritten(own.kind === 'helm' ? own : source, checkout, rewrite)
  }

  /** The output of a release with other texts of some files. */
  async outputWith(source: HelmSource, texts: ReadonlyMap<string, string>): Promise<Rendering> {
    const { source: own, checkout, kustomizations } = this.inputOf(source)
    const edited = texts.size > 0 ? checkout.edited(texts, () => this.renderer.newFolder()) : checkout
    return this.renderer.render(own, edited, kustomizations)
  }

  /** The questions of a release's chart to the cluster. */
  questionsOf(source: HelmSource): Promise<Questions> {
    return questionsOf(source, this.inputOf(source).checkout)
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
  ): Promise<{ readonly side: RenderedSide | undefined } & Omit<AnsweredRendering, 'pieces'>> {
    const { source: own, checkout } = this.inputOf(source)
    if (own.kind !== 'helm') return { side: undefined, refused: [], questions: [] }
    const { pieces, ...rest } = await this.renderer.answers.ofConditions(own, checkout, answers, asked, only)
    return { side: pieces ? await this.read(source, { pieces }) : undefined, ...rest }
  }

  /** The words in the files of a release. */
  wordsOf(source: HelmSource): Promise<ChartWords> {
    return wordsOf(source, this.inputOf(source).checkout)
  }

  /** Renders a release as helm does for a cluster. */
  async renderAsked(
    source: HelmSource,
    state: ClusterState,
    surrounding: Omit<Surrounding, 'fixed'>,
  ): Promise<{
    readonly side: RenderedSide | undefined
    readonly questions: readonly string[]
    readonly fault?: string
    readonly reason?: string | undefined
  }> {
    const { source: own, checkout, kustomizations } = this.inputOf(source)
    if (own.kind !== 'helm') return { side: undefined, questions: [], fault: 'stopped' }
    const plain = await this.renderer.render(own, checkout, kustomizations)
    const fixed = 'pieces' in plain ? plain.pieces.filter(({ template }) => template.includes('/crds/')) : []
    const { questions, ...result } = await this.renderer.answers.ofCluster(own, checkout, state, {
      ...surrounding,
      fixed,
    })
    if ('fault' in result) return { side: undefined, questions, ...result }
    return { side: await this.read(source, { pieces: result.pieces }), questions }
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
   * The file that kustomize records as an object's origin, relative to the generated folder above its own; for a
   * fetched file, the entry that includes it.
   */
  fileFrom(origin: string, source: Source): string | DeclarationSite | undefined {
    const steps = origin.split('/')
    const up = steps.findIndex((step) => step !== '..')
    if (up < 1 || up + 1 >= steps.length) return undefined
    // A rendering from the cache has the name of the folder that an earlier run built in.
    const written = steps.slice(up + 1).join('/')
    const entry = this.fetched.of(source)?.entries.get(heldFolderOf(written))
    const place = inside('', written)
    return entry ?? (place !== undefined && this.checkout.has(place) ? place : undefined)
  }

  private inputOf(source: Source): RenderingInput {
    return this.inputs.get(source.id) ?? { ...this.wholeInputOf(source), source }
  }

  private wholeInputOf(source: Source): Omit<RenderingInput, 'source'> {
    const { checkout, discovery } = this
    return this.fetched.of(source) ?? { checkout, kustomizations: discovery.kustomizations }
  }

  /** The files for a rendering: a release that is only assumed is rendered without making keys. */
  private async filesFor(source: Source): Promise<Omit<RenderingInput, 'source'>> {
    const input = this.wholeInputOf(source)
    if (source.kind !== 'helm' || source.origin !== 'probed') return input
    const known = this.assumed.get(source.chart)
    const checkout = known ?? withoutKeys(source.chart, input.checkout, () => this.renderer.newFolder())
    if (!known) this.assumed.set(source.chart, checkout)
    return { ...input, checkout: await checkout }
  }

  async render(source: Source): Promise<RenderedSide> {
    const input = await this.filesFor(source)
    if (input.checkout !== this.wholeInputOf(source).checkout) this.inputs.set(source.id, { ...input, source })
    return this.read(source, await this.renderer.render(source, input.checkout, input.kustomizations))
  }

  /** Renders a source without its missing parts; whole, if no part of it can be left out for that. */
  async renderWithout(source: Source, lacks: readonly Lack[]): Promise<RenderedSide> {
    const { renderer } = this
    const { checkout, kustomizations } = await this.filesFor(source)
    const newFolder = () => renderer.newFolder()
    const input = await reducedInput(source, lacks, { checkout, kustomizations, newFolder })
    if (!input) return this.render(source)
    const rendering = await renderer.render(input.source, input.checkout, input.kustomizations)
    if (!('failure' in rendering)) this.inputs.set(source.id, input)
    const side = await this.read(source, rendering, input.changesOthers ? 'reduced' : undefined)
    // Places are those in the original files.
    if (side.failure || source.kind === 'helm') return side
    const charts = await inflatedCharts(source, kustomizations, checkout)
    const data = this.takenBy(source).flatMap((one) => one.data.map((mention) => ({ ...mention, path: one.file })))
    const parts = { pieces: [], charts, data, remote: this.remoteOf(source) }
    const fetched = this.fetched.of(source)
    return { ...side, ...(fetched ? partsHere(parts, fetched) : parts) }
  }

  /** The objects that a source does not have, by its files, and that it has patches for. */
  async missingObjects(source: Source): Promise<readonly Lack[]> {
    const { checkout, kustomizations } = this.wholeInputOf(source)
    return source.kind === 'kustomize' ? missingObjects(source, kustomizations, checkout) : []
  }

  /** Reads the manifests that a source names from their files. */
  async readAsWritten(source: Source): Promise<RenderedSide> {
    const load = (text: string) => this.renderer.texts.load(text)
    const read = await readWritten(source, this.discovery.kustomizations, this.checkout, load)
    const remote = source.kind === 'kustomize' ? this.remoteOf(source) : []
    return { source, ...read, failure: undefined, remote, charts: [], data: [] }
  }

  /** The patches of a Kustomization, from its files. */
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

  private read(source: Source, built: Rendering, unbuilt?: 'reduced'): Promise<RenderedSide> {
    const { checkout, renderer } = this
    const fetched = this.fetched.of(source)
    return readRendering(source, fetched ? seenHere(built, fetched) : built, { checkout, renderer, unbuilt })
  }
}

/** The keys of the renderings of sources, by their ids. */
async function keysOf(
  sources: readonly Source[],
  renderer: Renderer,
  checkout: Checkout,
  { kustomizations }: Pick<Discovery, 'kustomizations'>,
): Promise<Map<string, string>> {
  const keys = sources.map(async (source) => {
    const key = await renderer.keyOf(source, checkout, kustomizations)
    return [source.id, JSON.stringify([key, source.target, source.namespace])] as const
  })
  return new Map(await Promise.all(keys))
}
