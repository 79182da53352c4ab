/** What a run does, and on which file. */
export interface Step {
  /** A phrase that goes on from "while": `reading apps/web.yaml`, `rendering charts/web`. */
  readonly doing: string
  readonly path?: string | undefined
}

/** What a run was doing when its time was used up. */
export interface Overrun extends Step {
  readonly minutes: number
}

/** Ends what still goes on in a run whose time is used up; no reader ever sees it. */
class TimeIsUp extends Error {}

/** The longest that a timer can be set to, in seconds: 24 days. */
const longest = 2 ** 31 / 1000 - 1

/** The time of one run, and what the run does with it. */
export class Budget {
  private readonly controller = new AbortController()
  private readonly end: number
  private readonly open = new Set<Step>()
  private last: Step = { doing: 'starting' }
  private ran: Overrun | undefined

  /** @param onStep is told of every step, before it begins */
  constructor(
    readonly minutes = Number.POSITIVE_INFINITY,
    private readonly onStep: (step: Step) => void = () => {},
  ) {
    this.end = performance.now() + minutes * 60_000
  }

  /** Aborted once the time is used up: what waits for a process or the network ends it then. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  get secondsLeft(): number {
    return Math.max(0, (this.end - performance.now()) / 1000)
  }

  /**
   * Says what is done next.
   *
   * @throws when there is no time left for it
   */
  doing(doing: string, path?: string): void {
    if (this.secondsLeft === 0) this.exhaust()
    if (this.signal.aborted) throw new TimeIsUp()
    this.last = { doing, path }
    this.onStep(this.last)
  }

  /** Does what may take long while other things go on. */
  async during<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
    this.doing(doing, path)
    const step = this.last
    this.open.add(step)
    try {
      return await work()
    } finally {
      this.open.delete(step)
    }
  }

  /** Declares the time used up, whatever is left of it. */
  exhaust(): void {
    if (this.signal.aborted) return
    // Of what goes on at once, what began first has taken longest.
    const [step = this.last] = this.open
    this.ran = { ...step, minutes: this.minutes }
    this.controller.abort()
  }

  /**
   * Does the work within the time.
   *
   * @param instead makes do with what there is when the time is used up
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
      // What was ended may say so in words of its own.
      if (!this.ran) throw error
      return instead(this.ran)
    } finally {
      clearTimeout(timer)
    }
  }
}
