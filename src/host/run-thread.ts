import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Step } from '../budget'
import { GuardError } from '../errors'
import type { Report } from '../finding/report'
import type { Progress } from '../report/unfinished'
import { type Cleanup, cleanUp, cleanUpAtExit } from '../revision/cleanup'
import { newThread } from './new-thread'
import { defaultTimeout, type Options } from './options'
import type { Host } from './run'
import { type Failed, type Message, newStep, type Start, stepIn } from './thread-messages'

/** The seconds that a run may take to end after its time limit: it may be reading a large file. */
const grace = 15

/**
 * Runs the gate in its own thread. Work without a pause, such as a rule on a gigantic object, cannot be
 * interrupted in its own thread; so this thread keeps the time, and ends the other one.
 */
export class RunThread {
  private readonly threads = new Set<Worker>()

  /**
   * @param file the program, which calls `serve` when it is started as a thread
   * @param prepared a thread of that program for the first run
   * @param wait ends after so many seconds
   * @param show starts to show the current step of a run; the function that it returns ends that
   */
  constructor(
    private readonly file: string,
    private prepared?: Worker,
    private readonly wait = (seconds: number, signal: AbortSignal) => pause(seconds, signal),
    private readonly show: (current: () => Step) => () => void = () => () => {},
  ) {}

  /** Ends all threads. */
  async stop(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()))
  }

  /** Like `run`, in its own thread. */
  readonly run = async (options: Options, host: Host): Promise<Report> => {
    const { timeout = defaultTimeout, today = new Date().toISOString().slice(0, 10) } = options
    const step = newStep()
    const thread = this.prepared ?? newThread(this.file)
    this.prepared = undefined
    this.threads.add(thread)
    const start: Start = { options, host, step }
    thread.postMessage(start)
    const over = new AbortController()
    const cleanups = new Map<string, () => void>()
    let progress: Progress | undefined
    const hide = this.show(() => stepIn(step))
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
        const ended = async () => {
          await thread.terminate()
          const { unfinished } = await import('../report/unfinished')
          const { emptyProgress } = await import('./progress')
          return unfinished(progress ?? emptyProgress(options, today), { ...stepIn(step), minutes: timeout })
        }
        void this.wait(seconds + Math.min(grace, seconds), over.signal).then(() => {
          if (!over.signal.aborted) resolve(ended())
        })
      })
    } finally {
      hide()
      over.abort()
      // A thread that is stuck in the system does not end; its temporary files are then removed with the process.
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

function errorOf({ code, message, at, stack, cause }: Failed): Error {
  const error = code ? new GuardError(code, message, at, { cause }) : new Error(message, { cause })
  if (stack) error.stack = stack
  return error
}

function keyOf(leftover: Cleanup): string {
  return JSON.stringify(leftover)
}

/** A pause that does not keep the process alive. */
async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const most = 2 ** 31 - 1
  await wait(Math.min(seconds * 1000, most), undefined, { signal, ref: false }).catch(() => {})
}
