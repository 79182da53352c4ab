import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cleanUp, cleanUpAtExit } from './cleanup'

/** A folder of this run alone. It is deleted on request, and at the latest when the process ends. */
export class PrivateFolder {
  readonly path: string
  private readonly release: () => void

  constructor(prefix: string) {
    this.path = mkdtempSync(path.join(tmpdir(), prefix))
    this.release = cleanUpAtExit({ folder: this.path })
  }

  remove(): void {
    this.release()
    cleanUp({ folder: this.path })
  }
}
