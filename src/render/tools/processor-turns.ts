import { availableParallelism } from 'node:os'

/** Lets as much work run at once as the machine has processors, or so much. */
export class ProcessorTurns {
  private readonly waiting: (() => void)[] = []
  private running = 0

  constructor(private readonly most = availableParallelism()) {}

  async take<T>(work: () => Promise<T>): Promise<T> {
    // Another one may have started before the waiting one.
    while (this.running >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running++
    try {
      return await work()
    } finally {
      this.running--
      this.waiting.shift()?.()
    }
  }
}
