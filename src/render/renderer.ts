import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { Budget } from '../budget'
import type { Checkout, Contents } from '../revision/checkout'
import { PrivateFolder } from '../revision/private-folder'
import type { Kustomization } from '../sources/kustomization'
import { type HelmSource, nameOfChart, namesOfValues, type Source } from '../sources/source'
import type { Answers } from './answers'
import { ChartNetwork } from './chart-network'
import { helmFiles, renderHelm, renderRewritten, rendersAsInstalled, type TemplateOutput } from './helm'
import { questionsOf, renderAnswered } from './helm-answers'
import { type Kustomize, kustomizeFiles, renderKustomize } from './kustomize'
import { postRendered } from './post-renderers'
import type { Piece, Rendering } from './rendering'
import { defaultLimits, faultOf, findProgram, type Limits } from './tool'
import { type Tool, ToolProbes } from './tool-probes'
import type { Questions } from './uncertain-actions'

/** The programs that render, as paths or names; by default those of the PATH. */
export interface Programs {
  readonly helm?: string | undefined
  readonly kustomize?: string | undefined
}

/** Renders sources, several at a time, and none twice. */
export class Renderer {
  private readonly own = new PrivateFolder('ingress-guard-')
  /** A private folder, gone when the renderer is closed. */
  readonly folder = this.own.path
  /** The inspected files of the repository. */
  readonly contents: Contents = new Map()
  private readonly done = new Map<string, Promise<Rendering>>()
  private readonly answered = new Map<string, Promise<readonly Piece[] | undefined>>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private folders = 0
  /** How many times a tool was started. */
  renderings = 0
  readonly helm: string | undefined
  private readonly kustomize: string | undefined

  constructor(
    private readonly programs: Programs = {},
    readonly limits: Limits = defaultLimits,
    private readonly network = new ChartNetwork([]),
    readonly budget = new Budget(),
    private readonly probes = new ToolProbes(),
  ) {
    this.helm = findProgram(programs.helm ? [programs.helm] : ['helm'])
    this.kustomize = findProgram(programs.kustomize ? [programs.kustomize] : ['kustomize', 'kubectl'])
  }

  close(): void {
    this.own.remove()
  }

  /** A new private folder. */
  newFolder(): string {
    return mkdtempSync(path.join(this.folder, `${this.folders++}-`))
  }

  /** The files of the repository that a source is made of. */
  files(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<string[]> {
    return source.kind === 'helm' ? helmFiles(source, checkout) : Promise.resolve(kustomizeFiles(source, all, checkout))
  }

  /** Identifies a rendering: the source and the content of every file it is made of. */
  async keyOf(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<string> {
    const {
      id: _,
      target: __,
      declaredAt: ___,
      origin: ____,
      definitionFiles: _____,
      baseSourceId: ______,
      incomplete: _______,
      overlaidAt: ________,
      ...own
    } = source
    // The folder of a fetched chart identifies it.
    const inputs = { ...own, fetched: undefined }
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
    void this.versionOf(source.kind)
    const rendering = this.inTurn(() => this.timed(source, () => this.start(source, checkout, all)))
    this.done.set(key, rendering)
    return rendering
  }

  private async start(source: Source, checkout: Checkout, all: ReadonlyMap<string, Kustomization>): Promise<Rendering> {
    const home = this.newFolder()
    const limits = await this.limitsHere()
    if (source.kind === 'helm') {
      if (!this.helm) return this.missing('helm', source)
      this.renderings++
      const rendering = await renderHelm(source, checkout, { program: this.helm, home, limits, network: this.network })
      const { postRenderers, chart } = source
      if ('failure' in rendering || !postRenderers) return rendering
      if (!this.kustomize) return this.missing('kustomize', source)
      this.renderings++
      const building = { program: this.kustomize, command: this.building(this.kustomize), home, limits }
      return postRendered(rendering.pieces, postRenderers, chart, building)
    }
    if (!this.kustomize) return this.missing('kustomize', source)
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

  /** What the chart of a release asks of the cluster. */
  async questionsOf(source: HelmSource, checkout: Checkout): Promise<Questions> {
    return questionsOf(source, checkout)
  }

  /** Renders a release as with other answers of the cluster; undefined where it does not render with them. */
  async renderAnswered(
    source: HelmSource,
    checkout: Checkout,
    answers: Answers,
    questions: Questions,
  ): Promise<readonly Piece[] | undefined> {
    const key = JSON.stringify([await this.keyOf(source, checkout, new Map()), answers])
    const known = this.answered.get(key)
    if (known) return known
    const rendering = this.inTurn(() =>
      this.timed(source, async () => {
        if (!this.helm) return undefined
        this.renderings++
        const [home, limits] = [this.newFolder(), await this.limitsHere()]
        const running = { program: this.helm, home, limits, network: this.network }
        const pieces = await renderAnswered(source, checkout, running, answers, questions)
        const { postRenderers, chart } = source
        if (!pieces || !postRenderers || !this.kustomize) return pieces
        const building = { program: this.kustomize, command: this.building(this.kustomize), home, limits }
        const laid = await postRendered(pieces, postRenderers, chart, building)
        return 'failure' in laid ? undefined : laid.pieces
      }),
    )
    this.answered.set(key, rendering)
    return rendering
  }

  /** Whether tools render without network; it is tried once, before the first rendering. */
  async isIsolated(): Promise<boolean> {
    return ((await this.limitsHere()).isolation ?? []).length > 0
  }

  private async limitsHere(): Promise<Limits> {
    return { ...this.limitsNow, isolation: await this.probes.isolation(this.folder) }
  }

  /** Renders a release with edited templates, even if the output is no longer YAML. */
  renderRewritten(
    source: HelmSource,
    checkout: Checkout,
    rewrite: (template: string) => string,
  ): Promise<TemplateOutput[]> {
    return this.inTurn(async () => {
      if (!this.helm) return []
      this.renderings++
      const limits = await this.limitsHere()
      const running = { program: this.helm, home: this.newFolder(), limits, network: this.network }
      return this.timed(source, () => renderRewritten(source, checkout, running, rewrite))
    })
  }

  /** A rendering gets no more than the remaining time of the run. */
  private get limitsNow(): Limits {
    const { secondsLeft, signal } = this.budget
    return { ...this.limits, seconds: Math.min(this.limits.seconds, Math.ceil(secondsLeft) || 1), signal }
  }

  private timed<T>(source: Source, work: () => Promise<T>): Promise<T> {
    return this.budget.during(`rendering ${titleOf(source)}`, source.declaredAt.path, work)
  }

  /** As many at once as the machine has processors. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    // Another one may have begun before the one that waits.
    while (this.running >= availableParallelism()) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running++
    try {
      return await work()
    } finally {
      this.running--
      this.waiting.shift()?.()
    }
  }

  /** The tools that rendered the sources of some kinds, and their versions. */
  async tools(kinds: ReadonlySet<Source['kind']>): Promise<Tool[]> {
    const asked = await Promise.all([...kinds].sort().map((kind) => this.versionOf(kind)))
    return asked.filter((tool) => tool !== undefined)
  }

  /** Asked once, in parallel with the first rendering. */
  private async versionOf(kind: Source['kind']): Promise<Tool | undefined> {
    const program = kind === 'helm' ? this.helm : this.kustomize
    if (program === undefined) return undefined
    const limits = { ...this.limitsNow, seconds: Math.min(10, this.limits.seconds), outputMiB: 1 }
    return this.probes.versionOf(program, (ask) => this.inTurn(() => ask(this.folder, limits)))
  }

  private missing(tool: 'helm' | 'kustomize', source: Source): Rendering {
    const named = this.programs[tool]
    const none = `no ${tool === 'helm' ? tool : 'kustomize (or kubectl)'} was found to render it; install it, or set its path with the input or option ${tool}`
    const reason = named ? `${named}, which the input or option ${tool} names, ${faultOf(named)}` : none
    return { failure: { cause: 'tool-missing', reason, ...source.declaredAt, missing: tool } }
  }
}

/** A source in a few words: `charts/web (values-prod.yaml)`. */
function titleOf(source: Source): string {
  if (source.kind === 'kustomize') return `the Kustomization ${source.root || '.'}`
  const values = namesOfValues(source)
  return `${nameOfChart(source)}${values.length > 0 ? ` (${values.join(', ')})` : ''}`
}
