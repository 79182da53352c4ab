import { setMaxListeners } from 'node:events'

/** A step of a run, and its file. */
export interface Step {
  /** A phrase that follows "while": `reading apps/web.yaml`, `rendering charts/web`. */
  readonly doing: string
  readonly path?: string | undefined
}

/** A finished step, and how long it took. */
export interface TimedStep extends Step {
  readonly milliseconds: number
}

/** The unfinished steps of a run that ran out of time. */
export interface Overrun extends Step {
  readonly minutes: number
}

/** Ends remaining work of a run that ran out of time; it is never shown. */
class TimeIsUp extends Error {}

/** The longest that a timer can be set to, in seconds: 24 days. */
const longest = 2 ** 31 / 1000 - 1

/** The time of one run, and its current step. */
export class Budget {
  private readonly controller = new AbortController()
  private readonly end: number
  private readonly open = new Set<Step>()
  private last: Step = { doing: 'starting' }
  private ran: Overrun | undefined
  private readonly finished: TimedStep[] = []

  /**
   * @param onStep called with every step that differs from the one before it, before it begins
   * @param now the time by which long steps are measured, in milliseconds
   */
  constructor(
    readonly minutes = Number.POSITIVE_INFINITY,
    private readonly onStep: (step: Step) => void = () => {},
    private readonly now = () => performance.now(),
  ) {
    this.end = performance.now() + minutes * 60_000
    // Every process of a run listens, however many run at a time.
    setMaxListeners(0, this.controller.signal)
  }

  /** Aborted once the time is used up, to end processes and network requests. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  get secondsLeft(): number {
    // A timer may end a little before its time.
    return this.signal.aborted ? 0 : Math.max(0, (this.end - performance.now()) / 1000)
  }

  /** The long steps that were finished. */
  get spent(): readonly TimedStep[] {
    return this.finished
  }

  /**
   * Starts a step.
   *
   * @throws when there is no time left for it
   */
  doing(doing: string, path?: string): void {
    if (this.secondsLeft === 0) this.exhaust()
    if (this.signal.aborted) throw new TimeIsUp()
    // A rule is a step for each object that it looks at: tens of thousands of one file are the same to a reader.
    if (doing === this.last.doing && path === this.last.path) return
    this.last = { doing, path }
    this.onStep(this.last)
  }

  /** Runs a step that may take long while others continue. */
  async during<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
    this.doing(doing, path)
    const step = { doing, path }
    const start = this.now()
    this.open.add(step)
    try {
      return await work()
    } finally {
      this.open.delete(step)
      this.finished.push({ ...step, milliseconds: this.now() - start })
    }
  }

  /** Declares the time used up, even if some is left. */
  exhaust(): void {
    if (this.signal.aborted) return
    // Of parallel steps, the first one started has taken longest.
    const [step = this.last] = this.open
    this.ran = { ...step, minutes: this.minutes }
    this.controller.abort()
  }

  /**
   * Does the work within the time.
   *
   * @param instead returns a result from what there is when the time is used up
   */
  async within<T>(work: () => Promise<T>, instead: (overrun: Overrun) => T): Promise<T> {
    const timer =
      this.secondsLeft < longest ? setTimeout(() => this.exhaust(), Math.ceil(this.secondsLeft * 1000)) : undefined
    const usedUp = new Promise<never>((_, reject) => {
      if (this.signal.aborted) reject(new TimeIsUp())
      this.signal.addEventListener('abort', () => reject(new TimeIsUp()), { once: true })
    })
    try {
      return await Promise.race([work(), usedUp])
    } catch (error) {
      // Work that was ended may fail with an error of its own.
      if (!this.ran) throw error
      return instead(this.ran)
    } finally {
      clearTimeout(timer)
    }
  }
}
