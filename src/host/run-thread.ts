import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { Step } from '../budget'
import { GuardError, type GuardErrorCode } from '../errors'
import type { Report } from '../finding/report'
import { type Progress, unfinished } from '../report/unfinished'
import { type Cleanup, type CleanupMessage, cleanUp, cleanUpAtExit } from '../revision/cleanup'
import { defaultTimeout, type Options } from './options'
import { emptyProgress, type Host, run } from './run'

/** The input of a run's thread. */
interface Start {
  readonly options: Options
  readonly host: Host
  /** The step that is being done, as its length and its JSON: it can be read while the thread is stuck in it. */
  readonly step: SharedArrayBuffer
}

interface Failed {
  readonly code: GuardErrorCode | undefined
  readonly message: string
  readonly at: GuardError['at']
  readonly stack: string | undefined
  readonly cause: string | undefined
}

type Message =
  | { readonly progress: Progress }
  | { readonly done: Report }
  | { readonly failed: Failed }
  | CleanupMessage

/** The bytes that a step's description may take. */
const room = 8192

/** How many seconds a run may take to end after its time limit: it may be reading a large file. */
const grace = 15

/**
 * Runs the gate in its own thread. Work without a pause, such as a rule on a gigantic object, cannot be
 * interrupted in its own thread; so this thread keeps the time, and ends the other one.
 */
export class RunThread {
  private readonly threads = new Set<Worker>()

  /**
   * @param file the program, which calls `serve` when it is started as a thread
   * @param wait ends after so many seconds
   */
  constructor(
    private readonly file: string,
    private readonly wait = (seconds: number, signal: AbortSignal) => pause(seconds, signal),
  ) {}

  /** Ends all threads. */
  async stop(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()))
  }

  /** Like `run`, in its own thread. */
  readonly run = async (options: Options, host: Host): Promise<Report> => {
    const { timeout = defaultTimeout, today = new Date().toISOString().slice(0, 10) } = options
    const step = new SharedArrayBuffer(room)
    const start: Start = { options, host, step }
    const thread = new Worker(this.file, { workerData: start })
    this.threads.add(thread)
    const over = new AbortController()
    const cleanups = new Map<string, () => void>()
    let progress = emptyProgress(options, today)
    try {
      return await new Promise<Report>((resolve, reject) => {
        thread.on('message', (message: Message) => {
          if ('progress' in message) progress = message.progress
          if ('done' in message) resolve(message.done)
          if ('failed' in message) reject(errorOf(message.failed))
          if ('kept' in message) cleanups.set(keyOf(message.kept), cleanUpAtExit(message.kept))
          if ('released' in message) {
            cleanups.get(keyOf(message.released))?.()
            cleanups.delete(keyOf(message.released))
          }
        })
        thread.on('error', (cause) => {
          const words = `${cause.message} while ${stepIn(step).doing}`
          reject(new GuardError('internal', `The run stopped unexpectedly: ${words}.`, undefined, { cause }))
        })
        thread.on('exit', () =>
          reject(new GuardError('internal', `The run stopped unexpectedly while ${stepIn(step).doing}.`)),
        )
        const seconds = timeout * 60
        void this.wait(seconds + Math.min(grace, seconds), over.signal).then(async () => {
          if (over.signal.aborted) return
          resolve(thread.terminate().then(() => unfinished(progress, { ...stepIn(step), minutes: timeout })))
        })
      })
    } finally {
      over.abort()
      // A thread that is stuck in the system does not end; then its leftovers go with the process.
      void thread.terminate().then(() => {
        this.threads.delete(thread)
        for (const [leftover, release] of cleanups) {
          release()
          cleanUp(JSON.parse(leftover))
        }
      })
    }
  }
}

/** The run, in its thread. */
export async function serve(): Promise<void> {
  const { options, host, step }: Start = workerData
  const tell = (message: Message) => parentPort?.postMessage(message)
  try {
    const done = await run(options, host, {
      step: (current) => writeStep(step, current),
      progress: (progress) => tell({ progress }),
    })
    tell({ done })
  } catch (error) {
    const known = error instanceof GuardError ? error : undefined
    const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
    tell({ failed: { code: known?.code, message, at: known?.at, stack, cause: cause ? String(cause) : undefined } })
  }
}

function errorOf({ code, message, at, stack, cause }: Failed): Error {
  const error = code ? new GuardError(code, message, at, { cause }) : new Error(message, { cause })
  if (stack) error.stack = stack
  return error
}

function keyOf(leftover: Cleanup): string {
  return JSON.stringify(leftover)
}

function writeStep(shared: SharedArrayBuffer, { doing, path }: Step): void {
  const bytes = Buffer.from(JSON.stringify({ doing: doing.slice(0, 500), path: path?.slice(0, 500) }))
  const length = new Int32Array(shared, 0, 1)
  // While it is written there is none to read.
  Atomics.store(length, 0, 0)
  new Uint8Array(shared, 4).set(bytes.subarray(0, room - 4))
  Atomics.store(length, 0, bytes.length)
}

function stepIn(shared: SharedArrayBuffer): Step {
  const length = Atomics.load(new Int32Array(shared, 0, 1), 0)
  const bytes = Buffer.from(new Uint8Array(shared, 4).slice(0, length))
  return length === 0 ? { doing: 'starting' } : JSON.parse(bytes.toString('utf8'))
}

/** A pause that does not keep the process alive. */
async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const most = 2 ** 31 - 1
  await wait(Math.min(seconds * 1000, most), undefined, { signal, ref: false }).catch(() => {})
}
