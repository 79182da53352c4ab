import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread for runs, with a heap that holds little garbage: a run keeps most of what it reads, and one with
 * hundreds of renderings has many times that to throw away. V8 would let both wait, which takes more memory and saves
 * no time.
 *
 * @param file the program, which calls `serve` when it is started as a thread
 */
export function newThread(file: string): Worker {
  // The heap may grow to twice of what is in use, where it grew to more than three times that.
  setFlagsFromString('--heap-growing-percent=100')
  return new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: 16 } })
}
