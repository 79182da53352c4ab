import { Worker } from 'node:worker_threads'

/**
 * Starts a thread for runs. Its room for new objects is small: a run keeps most of what it reads, so more room is filled
 * as well and not emptied, which takes a third of the memory on Node 24 and saves no time.
 *
 * @param file the program, which calls `serve` when it is started as a thread
 */
export function newThread(file: string): Worker {
  return new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: 16 } })
}
