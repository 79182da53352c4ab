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
  /** The step that is being done, as its length and its text: it can be read while the thread is stuck in it. */
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

/** The bytes that a step's description may take, and those before it: its length. */
const room = 8192
const start = 4

const encoder = new TextEncoder()

export function newStep(): SharedArrayBuffer {
  return new SharedArrayBuffer(room)
}

/** Hundreds of thousands of steps are written in a large run, so that this is not JSON. */
export function writeStep(shared: SharedArrayBuffer, { doing, path }: Step): void {
  const length = new Int32Array(shared, 0, 1)
  // While it is written there is none to read.
  Atomics.store(length, 0, 0)
  const text = path === undefined ? doing.slice(0, 500) : `${doing.slice(0, 500)}\0${path.slice(0, 500)}`
  Atomics.store(length, 0, encoder.encodeInto(text, new Uint8Array(shared, start)).written)
}

export function stepIn(shared: SharedArrayBuffer): Step {
  const length = Atomics.load(new Int32Array(shared, 0, 1), 0)
  if (length === 0) return { doing: 'starting' }
  const [doing = '', path] = Buffer.from(new Uint8Array(shared, start).slice(0, length)).toString('utf8').split('\0')
  return path === undefined ? { doing } : { doing, path }
}
