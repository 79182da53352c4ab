import { rmSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** A resource that must not outlive the process: a folder, or the processes of a group. */
export type Cleanup = { readonly folder: string } | { readonly group: number }

/** A message of a thread to the one that started it, which outlives it. */
export type CleanupMessage = { readonly kept: Cleanup } | { readonly released: Cleanup }

/**
 * Cleans up when the process ends, for whatever reason.
 *
 * @returns a function that cancels it
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
    // An ended process is gone, and a temporary folder is deleted by the system.
  }
}

/**
 * Lets a signal end the process as by default, but runs exit handlers, so temporary folders and child processes are
 * cleaned up.
 */
export function endOnSignals(stop: () => Promise<void> = async () => {}): void {
  // The statuses are those a shell gives such an end.
  for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const])
    process.once(signal, () => stop().finally(() => process.exit(status)))
}
