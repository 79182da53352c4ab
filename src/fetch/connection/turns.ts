import type { Budget } from '../../budget'
import { FetchFailure } from './failure'
import type { FetchLimits } from './limits'

/** Gives fetches their turn: some at a time, and all within the time for fetching. */
export class Turns {
  private readonly used = new AbortController()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private left: number
  private since = 0
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly limits: FetchLimits,
    private readonly budget: Budget,
  ) {
    this.left = limits.totalSeconds * 1000
  }

  /** Aborted once there is no more time for any fetch. */
  get ended(): AbortSignal {
    return AbortSignal.any([this.used.signal, this.budget.signal])
  }

  /** @param work gets a signal that ends it when its time, or that of all fetches, is used up */
  async take<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.running >= this.limits.parallel) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.start()
    const own = AbortSignal.timeout(this.limits.seconds * 1000)
    const signal = AbortSignal.any([own, this.ended])
    try {
      if (this.left <= 0) this.used.abort()
      signal.throwIfAborted()
      return await work(signal)
    } catch (error) {
      if (!signal.aborted || error instanceof FetchFailure) throw error
      const why = this.used.signal.aborted
        ? `was not asked or did not answer within the ${this.limits.totalSeconds} seconds that a run has for fetching`
        : this.budget.signal.aborted
          ? 'did not answer before the time of the run was used up'
          : `did not answer within ${this.limits.seconds} seconds`
      throw new FetchFailure('place-unreachable', `${what} ${why}`)
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.end()
    }
  }

  private start(): void {
    if (this.running++ > 0) return
    this.since = performance.now()
    this.timer = setTimeout(() => this.used.abort(), Math.max(0, this.left))
    this.timer.unref()
  }

  private end(): void {
    if (--this.running > 0) return
    clearTimeout(this.timer)
    this.left -= performance.now() - this.since
  }
}
