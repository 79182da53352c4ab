/** The time of this machine, which tests set. */
export interface Clock {
  /** In milliseconds. */
  now(): number
  /** Ends after so many milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

const [least, most] = [10_000, 30_000]

/** The time that the search for lines may take: as long as the run took until then, within limits. */
export class LocatingTime {
  private readonly end: number

  /** @param start when the run began */
  constructor(
    private readonly clock: Clock,
    start: number,
  ) {
    const now = clock.now()
    this.end = now + Math.min(most, Math.max(least, now - start))
  }

  get isOver(): boolean {
    return this.clock.now() >= this.end
  }

  /** The result of some work; undefined if it takes longer than the remaining time. */
  async within<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.isOver) return undefined
    const done = new AbortController()
    const over = this.clock.wait(this.end - this.clock.now(), done.signal).then(() => undefined)
    // Work that takes longer is not waited for, and its failure is ignored.
    const working = work()
    working.catch(() => {})
    try {
      return await Promise.race([working, over])
    } finally {
      done.abort()
    }
  }
}
