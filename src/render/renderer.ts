import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { Budget } from '../budget'
import type { Checkout } from '../revision/checkout'
import { PrivateFolder } from '../revision/private-folder'
import { Contents } from '../revision/reading-contents'
import type { Kustomization } from '../sources/kustomization'
import { asPacked } from '../sources/packed'
import { type HelmSource, inputsOf, type Source, titleOf } from '../sources/source'
import { ReleaseAnswers } from './answers/release-answers'
import { ByInput } from './by-input'
import type { RenderingCache } from './rendering-cache'
import { openStub } from './stub-cluster/stub-server'
import { ChartNetwork } from './tools/chart-network'
import { helmFiles, renderHelm, renderRewritten, rendersAsInstalled, type TemplateOutput } from './tools/helm'
import type { Running } from './tools/helm-template'
import { type Kustomize, kustomizeFiles, leftOutOf, renderKustomize } from './tools/kustomize'
import { missingTool } from './tools/missing-tool'
import { postRendered } from './tools/post-renderers'
import { ProcessorTurns } from './tools/processor-turns'
import { RenderedTexts } from './tools/rendered-texts'
import { type FailedRendering, isOfInputs, type Piece, type Rendering } from './tools/rendering'
import { defaultLimits, findProgram, type Limits } from './tools/tool'
import { type Tool, ToolProbes } from './tools/tool-probes'
import { ToolVersions } from './tools/tool-versions'

/** The programs that render, as paths or names; by default those of the PATH. */
export interface Programs {
  readonly helm?: string | undefined
  readonly kustomize?: string | undefined
}

/** The output of each edited template of a release, and the inserted letters and digits. */
export interface Rewritten {
  readonly nonce: string
  readonly outputs: readonly TemplateOutput[]
}

/** The data that outlives a run. */
export interface Kept {
  readonly renderings?: RenderingCache | undefined
  readonly probes?: ToolProbes | undefined
}

/** Renders sources, several at a time, and none twice. */
export class Renderer {
  private own: PrivateFolder | undefined
  /** The inspected files of the repository. */
  readonly contents = new Contents()
  readonly texts = new RenderedTexts()
  private readonly done = new Map<string, Promise<Rendering>>()
  private readonly listed = new ByInput<Promise<readonly string[]>>()
  private readonly keys = new ByInput<Promise<string>>()
  /** Releases as a cluster with other answers would have them. */
  readonly answers: ReleaseAnswers
  private readonly versions: ToolVersions
  private readonly cache: RenderingCache | undefined
  private readonly probes: ToolProbes
  private readonly turns: ProcessorTurns
  private readonly closing = new AbortController()
  private readonly signal: AbortSignal
  private folders = 0
  /** The number of times that a tool was started. */
  renderings = 0
  readonly helm: string | undefined
  private readonly kustomize: string | undefined

  constructor(
    private readonly programs: Programs = {},
    readonly limits: Limits = defaultLimits,
    private readonly network = new ChartNetwork([]),
    readonly budget = new Budget(),
    { renderings, probes = new ToolProbes() }: Kept = {},
  ) {
    this.cache = renderings
    this.turns = new ProcessorTurns(limits.atOnce)
    this.probes = probes
    this.signal = AbortSignal.any([budget.signal, this.closing.signal])
    setMaxListeners(0, this.signal)
    this.helm = findProgram(programs.helm ? [programs.helm] : ['helm'])
    this.kustomize = findProgram(programs.kustomize ? [programs.kustomize] : ['kustomize', 'kubectl'])
    const found = { helm: this.helm, kustomize: this.kustomize }
    const inTurn: typeof this.inTurn = (work) => this.inTurn(work)
    this.answers = new ReleaseAnswers({
      keyOf: (source, checkout) => this.keyOf(source, checkout, new Map()),
      kept: (source, checkout, key, render) =>
        this.kept([source, checkout, () => helmFiles(source, checkout)], key, () =>
          this.inTurn(() => this.timed(source, render)),
        ),
      running: () => this.runningHelm(),
      postRender: (source, pieces, running) => this.postRender(source, { pieces }, running),
      shared: (pieces) => this.texts.shared(pieces),
      openStub: async () => openStub(this.folder, await probes.isolation(this.folder)),
    })
    this.versions = new ToolVersions(
      found,
      () => this.folder,
      () => this.limitsNow,
      inTurn,
      probes,
    )
  }

  /** A private folder, gone when the renderer is closed. */
  get folder(): string {
    this.own ??= new PrivateFolder('ingress-guard-')
    return this.own.path
  }

  /** Also ends running renderings. */
  close(): void {
    this.closing.abort()
    this.answers.close()
    this.own?.remove()
  }

  /** A new private folder. */
  newFolder(): string {
    return mkdtempSync(path.join(this.folder, `${this.folders++}-`))
  }

  /** The files of the repository from which a source is made. */
  files(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<readonly string[]> {
    return this.listed.of(source, checkout, all, async () =>
      source.kind === 'helm' ? helmFiles(source, checkout) : kustomizeFiles(source, all, checkout),
    )
  }

  /** Identifies a rendering: the source and the content of every file it is made of. */
  keyOf(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<string> {
    return this.keys.of(source, checkout, all, () => this.newKeyOf(source, checkout, all))
  }

  private async newKeyOf(source: Source, whole: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<string> {
    const inputs = inputsOf(source)
    const checkout = source.kind === 'helm' ? await asPacked(source, whole) : whole
    const files = await this.files(source, checkout, all)
    const hash = createHash('sha256').update(
      // A list that only moves to another line renders to the same.
      JSON.stringify([inputs, source.kind === 'helm' && rendersAsInstalled(source)], (key, value) =>
        key === 'postRenderers' ? { ...value, at: undefined } : value,
      ),
    )
    for (const file of files) hash.update(`\0${file}\0${checkout.idOf(file)}`)
    return hash.digest('hex')
  }

  async render(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<Rendering> {
    const key = await this.keyOf(source, checkout, all)
    const known = this.done.get(key)
    if (known) return known
    void this.versions.of(source.kind)
    const rendering = this.rendered(key, source, checkout, all)
    this.done.set(key, rendering)
    return rendering
  }

  private async rendered(key: string, source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>) {
    let fresh: Rendering | undefined
    const files = () => this.files(source, checkout, all)
    const known = await this.kept<readonly Piece[] | FailedRendering>([source, checkout, files], key, async () => {
      fresh = await this.inTurn(() => this.timed(source, () => this.start(source, checkout, all)))
      if (!('failure' in fresh)) return fresh.pieces
      return isOfInputs(fresh.failure) ? fresh : undefined
    })
    if (fresh && 'failure' in fresh) return fresh
    if (known && 'failure' in known) return known
    const shared = { ...fresh, pieces: this.texts.shared(known ?? []) }
    return source.kind === 'helm' || fresh ? shared : { ...shared, ...(await leftOutOf(source, all, checkout)) }
  }

  private async kept<T extends readonly Piece[] | FailedRendering>(
    [source, checkout, files]: readonly [Source, Checkout, () => Promise<readonly string[]>],
    key: unknown,
    render: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const tools = this.cache && (await this.versions.identifying(source))
    return this.cache && tools
      ? this.cache.through({ source, checkout, files: await files(), tools, key }, render)
      : render()
  }

  private async start(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<Rendering> {
    const home = this.newFolder()
    const limits = await this.limitsHere()
    if (source.kind === 'helm') {
      if (!this.helm) return missingTool('helm', this.programs.helm, source)
      this.renderings++
      const packed = await asPacked(source, checkout)
      const rendering = await renderHelm(source, packed, { program: this.helm, home, limits, network: this.network })
      return this.postRender(source, rendering, { home, limits })
    }
    if (!this.kustomize) return missingTool('kustomize', this.programs.kustomize, source)
    const kustomize: Kustomize = {
      program: this.kustomize,
      command: this.building(this.kustomize),
      helm: this.helm,
    }
    this.renderings++
    return renderKustomize(source, all, checkout, { kustomize, home, limits })
  }

  /** The words by which a program builds a Kustomization. */
  private building(program: string): readonly string[] {
    return [path.basename(program).startsWith('kubectl') ? 'kustomize' : 'build']
  }

  private async runningHelm(): Promise<Running | undefined> {
    if (!this.helm) return undefined
    this.renderings++
    return { program: this.helm, home: this.newFolder(), limits: await this.limitsHere(), network: this.network }
  }

  /** Applies the postRenderers of a release to the output of helm. */
  private async postRender(
    source: HelmSource,
    rendering: Rendering,
    { home, limits }: { readonly home: string; readonly limits: Limits },
  ): Promise<Rendering> {
    const { postRenderers, chart } = source
    if ('failure' in rendering || !postRenderers) return rendering
    if (!this.kustomize) return missingTool('kustomize', this.programs.kustomize, source)
    this.renderings++
    const building = { program: this.kustomize, command: this.building(this.kustomize), home, limits }
    return postRendered(rendering.pieces, postRenderers, chart, building)
  }

  /** Whether tools render without network; it is tried once, before the first rendering. */
  async isIsolated(): Promise<boolean> {
    return ((await this.limitsHere()).isolation ?? []).length > 0
  }

  private async limitsHere(): Promise<Limits> {
    return { ...this.limitsNow, isolation: await this.probes.isolation(this.folder) }
  }

  /**
   * Renders a release with edited templates, even if the output is no longer YAML.
   *
   * @param rewrite gets letters and digits that the release cannot contain, as they are derived from its content
   */
  async renderRewritten(
    source: HelmSource,
    checkout: Checkout,
    rewrite: (template: string, nonce: string) => string,
  ): Promise<Rewritten> {
    const key = await this.keyOf(source, checkout, new Map())
    const nonce = key.slice(0, 16)
    const files = () => helmFiles(source, checkout)
    const outputs = await this.kept([source, checkout, files], ['rewritten', key], () =>
      this.inTurn(async () => {
        if (!this.helm) return undefined
        this.renderings++
        const limits = await this.limitsHere()
        const running = { program: this.helm, home: this.newFolder(), limits, network: this.network }
        const packed = await asPacked(source, checkout)
        const rewriting = () => renderRewritten(source, packed, running, (template) => rewrite(template, nonce))
        const pieces = (await this.timed(source, rewriting)).map((output) => ({ ...output, path: '' }))
        return pieces.length > 0 ? pieces : undefined
      }),
    )
    return { nonce, outputs: outputs ?? [] }
  }

  /** A rendering gets no more than the remaining time of the run. */
  private get limitsNow(): Limits {
    const { secondsLeft } = this.budget
    const { signal } = this
    return { ...this.limits, seconds: Math.min(this.limits.seconds, Math.ceil(secondsLeft) || 1), signal }
  }

  private timed<T>(source: Source, work: () => Promise<T>): Promise<T> {
    return this.budget.during(`rendering ${titleOf(source)}`, source.declaredAt.path, work)
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.take(work)
  }

  /** The tools that rendered the sources of some kinds, and their versions. */
  async tools(kinds: ReadonlySet<Source['kind']>): Promise<Tool[]> {
    const asked = await Promise.all([...kinds].sort().map((kind) => this.versions.of(kind)))
    return asked.filter((tool) => tool !== undefined)
  }
}
