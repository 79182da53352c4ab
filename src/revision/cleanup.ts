import { rmSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What must not outlive the process: a folder, or the processes of a group. */
export type Cleanup = { readonly folder: string } | { readonly group: number }

/** What a thread tells the one that started it, which outlives it. */
export type CleanupMessage = { readonly kept: Cleanup } | { readonly released: Cleanup }

/**
 * Sees to it that something goes when the process ends, however that comes.
 *
 * @returns what calls it off
 */
export function cleanUpAtExit(cleanup: Cleanup): () => void {
  const clear = () => {
    process.off('exit', clear)
    cleanUp(cleanup)
  }
  const tell = (message: CleanupMessage) => parentPort?.postMessage(message)
  process.on('exit', clear)
  tell({ kept: cleanup })
  return () => {
    process.off('exit', clear)
    tell({ released: cleanup })
  }
}

export function cleanUp(cleanup: Cleanup): void {
  try {
    if ('folder' in cleanup) rmSync(cleanup.folder, { recursive: true, force: true, maxRetries: 3 })
    else process.kill(-cleanup.group, 'SIGKILL')
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
