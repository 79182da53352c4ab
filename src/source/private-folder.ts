import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A folder of this run alone. It goes when it is removed, and at the latest when the process ends. */
export class PrivateFolder {
  readonly path: string

  constructor(prefix: string) {
    this.path = mkdtempSync(path.join(tmpdir(), prefix))
    process.on('exit', this.remove)
  }

  readonly remove = (): void => {
    process.off('exit', this.remove)
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Lets a signal end the process as it does by default, but by the way out on which folders and tools are cleared away. */
export function endOnSignals(): void {
  // The statuses are those a shell gives such an end.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}
