import type { Step } from '../budget'
import type { GuardError, GuardErrorCode } from '../errors'
import type { Report } from '../finding/report'
import type { Progress } from '../report/unfinished'
import type { CleanupMessage } from '../revision/cleanup'
import type { Options } from './options'
import type { Host } from './run'

/** The message that starts a run in its thread. */
export interface Start {
  readonly options: Options
  readonly host: Host
  /** The step that is being done, as its length and its JSON: it can be read while the thread is stuck in it. */
  readonly step: SharedArrayBuffer
}

/** An error, as it goes from one thread to another. */
export interface Failed {
  readonly code: GuardErrorCode | undefined
  readonly message: string
  readonly at: GuardError['at']
  readonly stack: string | undefined
  readonly cause: string | undefined
}

/** A message of the thread. */
export type Message =
  | { readonly progress: Progress }
  | { readonly done: Report }
  | { readonly failed: Failed }
  | CleanupMessage

/** The bytes that a step's description may take. */
const room = 8192

export function newStep(): SharedArrayBuffer {
  return new SharedArrayBuffer(room)
}

export function writeStep(shared: SharedArrayBuffer, { doing, path }: Step): void {
  const bytes = Buffer.from(JSON.stringify({ doing: doing.slice(0, 500), path: path?.slice(0, 500) }))
  const length = new Int32Array(shared, 0, 1)
  // While it is written there is none to read.
  Atomics.store(length, 0, 0)
  new Uint8Array(shared, 4).set(bytes.subarray(0, room - 4))
  Atomics.store(length, 0, bytes.length)
}

export function stepIn(shared: SharedArrayBuffer): Step {
  const length = Atomics.load(new Int32Array(shared, 0, 1), 0)
  const bytes = Buffer.from(new Uint8Array(shared, 4).slice(0, length))
  return length === 0 ? { doing: 'starting' } : JSON.parse(bytes.toString('utf8'))
}
