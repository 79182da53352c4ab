import { rmSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What must not outlive the process: a folder, or the processes of a group. */
export type Leftover = { readonly folder: string } | { readonly group: number }

/** What a thread tells the one that started it, which outlives it. */
export type LeftoverMessage = { readonly kept: Leftover } | { readonly released: Leftover }

/**
 * Sees to it that something goes when the process ends, however that comes.
 *
 * @returns what calls it off
 */
export function clearAtEnd(leftover: Leftover): () => void {
  const clear = () => {
    process.off('exit', clear)
    clearAway(leftover)
  }
  const tell = (message: LeftoverMessage) => parentPort?.postMessage(message)
  process.on('exit', clear)
  tell({ kept: leftover })
  return () => {
    process.off('exit', clear)
    tell({ released: leftover })
  }
}

export function clearAway(leftover: Leftover): void {
  try {
    if ('folder' in leftover) rmSync(leftover.folder, { recursive: true, force: true, maxRetries: 3 })
    else process.kill(-leftover.group, 'SIGKILL')
  } catch {
    // A process that has ended is gone, and a folder of the system's temporary ones goes with them.
  }
}

/** Lets a signal end the process as it does by default, but by the way out on which leftovers are cleared away. */
export function endOnSignals(stop: () => Promise<void> = async () => {}): void {
  // The statuses are those a shell gives such an end.
  for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const])
    process.once(signal, () => stop().finally(() => process.exit(status)))
}
