import { rmSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** A resource that must not outlive the process: a folder, or the processes of a group. */
export type Cleanup = { readonly folder: string } | { readonly group: number }

/** A message of a thread to its parent, which outlives it. */
export type CleanupMessage = { readonly kept: Cleanup } | { readonly released: Cleanup }

/** All that is cleaned up when this process ends, which it is asked for once: Node warns of many listeners. */
const kept = new Set<Cleanup>()

function cleanUpAll(): void {
  process.off('exit', cleanUpAll)
  for (const one of kept) cleanUp(one)
  kept.clear()
}

/**
 * Cleans up when the process ends, for any reason.
 *
 * @returns a function that cancels the cleanup
 */
export function cleanUpAtExit(cleanup: Cleanup): () => void {
  const tell = (message: CleanupMessage) => parentPort?.postMessage(message)
  const own = { ...cleanup }
  if (kept.size === 0) process.on('exit', cleanUpAll)
  kept.add(own)
  tell({ kept: cleanup })
  return () => {
    kept.delete(own)
    if (kept.size === 0) process.off('exit', cleanUpAll)
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
