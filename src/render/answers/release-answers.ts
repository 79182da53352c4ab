import type { Checkout } from '../../revision/checkout'
import { asPacked } from '../../sources/packed'
import type { HelmSource } from '../../sources/source'
import { type AskedRendering, type ClusterState, renderAsked, type Surrounding } from '../stub-cluster/ask-helm'
import type { StubServer } from '../stub-cluster/stub-server'
import type { Running } from '../tools/helm-template'
import type { Piece, Rendering } from '../tools/rendering'
import type { Answers } from './answers'
import { type AnsweredRendering, renderAnswered } from './helm-answers'
import { answeredEntry, askedEntry, type RenderingEntry } from './rendering-entries'
import type { Questions } from './uncertain-actions'

/** The ways to render a release. */
export interface RenderingWays {
  keyOf(source: HelmSource, checkout: Checkout): Promise<string>
  /** The rendering that an earlier run kept, or else a new one when it is its turn. */
  kept(
    source: HelmSource,
    checkout: Checkout,
    key: unknown,
    render: () => Promise<readonly Piece[] | undefined>,
  ): Promise<readonly Piece[] | undefined>
  /** Undefined if there is no helm. */
  running(): Promise<Running | undefined>
  /** Applies the changes that its deployer makes to the output. */
  postRender(source: HelmSource, pieces: readonly Piece[], running: Running): Promise<Rendering>
  /** Holds equal texts once. */
  shared(pieces: readonly Piece[]): readonly Piece[]
  openStub(): Promise<StubServer | undefined>
}

/** Renders releases as clusters with other answers would have them, none twice. */
export class ReleaseAnswers {
  private readonly answered = new Map<string, Promise<AnsweredRendering>>()
  private readonly asked = new Map<string, Promise<AskedRendering>>()
  private stub: Promise<StubServer | undefined> | undefined

  constructor(private readonly ways: RenderingWays) {}

  close(): void {
    void this.stub?.then((server) => server?.close())
  }

  /**
   * Renders with other answers to questions that no cluster served to helm answers: time, chance, and the content of
   * objects.
   */
  async ofConditions(
    source: HelmSource,
    checkout: Checkout,
    answers: Answers,
    questions: Questions,
    only?: string,
  ): Promise<AnsweredRendering> {
    const key = [await this.ways.keyOf(source, checkout), answers, only, [...questions.functions].sort()]
    const answering = { answers, questions, only }
    const packed = await asPacked(source, checkout)
    return once(this.answered, JSON.stringify(key), async () => {
      const { pieces, ...rest } = await this.kept([source, checkout], key, answeredEntry, (running, postRender) =>
        renderAnswered(source, packed, running, answering, postRender),
      )
      return { ...rest, pieces: pieces && this.ways.shared(pieces) }
    })
  }

  /** Renders as helm does for a cluster, which is served to it. */
  async ofCluster(
    source: HelmSource,
    checkout: Checkout,
    state: ClusterState,
    surrounding: Surrounding,
  ): Promise<AskedRendering> {
    const { digest, isInstalled } = surrounding
    const key = ['asked', await this.ways.keyOf(source, checkout), state, digest, isInstalled]
    return once(this.asked, JSON.stringify(key), async () => {
      this.stub ??= this.ways.openStub()
      const server = await this.stub
      if (!server) return { questions: [], fault: 'stopped' }
      const packed = await asPacked(source, checkout)
      const result = await this.kept([source, checkout], key, askedEntry, (running, postRender) =>
        renderAsked(source, packed, running, { state, surrounding, server }, postRender),
      )
      return 'pieces' in result ? { ...result, pieces: this.ways.shared(result.pieces) } : result
    })
  }

  private async kept<T>(
    [source, checkout]: readonly [HelmSource, Checkout],
    key: unknown,
    { none, written, read }: RenderingEntry<T>,
    render: (running: Running, postRender: (pieces: readonly Piece[]) => Promise<Rendering>) => Promise<T>,
  ): Promise<T> {
    let fresh: T | undefined
    const pieces = await this.ways.kept(source, checkout, key, async () => {
      const running = await this.ways.running()
      if (!running) return undefined
      fresh = await render(running, (its) => this.ways.postRender(source, its, running))
      return written(fresh)
    })
    return fresh ?? (pieces ? read(pieces) : none)
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, render: () => Promise<T>): Promise<T> {
  const rendering = known.get(key) ?? render()
  known.set(key, rendering)
  return rendering
}
