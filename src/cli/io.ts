import type { Host } from '../run'

/** What a process gives the command line; tests give buffers. */
export interface Io {
  readonly stdout: { write(text: string): unknown; isTTY?: boolean }
  readonly stderr: { write(text: string): unknown }
  /** The folder of the package. */
  readonly root: string
  readonly limits?: Host['limits']
}
