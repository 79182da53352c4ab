import { availableParallelism } from 'node:os'

/** Lets as much work run at once as the machine has processors. */
export class ProcessorTurns {
  private readonly waiting: (() => void)[] = []
  private running = 0

  async take<T>(work: () => Promise<T>): Promise<T> {
    // Another one may have started before the waiting one.
    while (this.running >= availableParallelism()) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running++
    try {
      return await work()
    } finally {
      this.running--
      this.waiting.shift()?.()
    }
  }
}
