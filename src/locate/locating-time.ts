/** The time of this machine, which tests set. */
export interface Clock {
  /** In milliseconds. */
  now(): number
  /** Ends after so many milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

const [least, most] = [10_000, 30_000]

/** How long lines are searched for: as long as the run took until then, but not too short and not too long. */
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

  /** What some work comes to; undefined where it takes longer than there is time. */
  async within<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.isOver) return undefined
    const done = new AbortController()
    const over = this.clock.wait(this.end - this.clock.now(), done.signal).then(() => undefined)
    // What takes longer is not waited for, however it ends.
    const working = work()
    working.catch(() => {})
    try {
      return await Promise.race([working, over])
    } finally {
      done.abort()
    }
  }
}
