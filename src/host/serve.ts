import { parentPort } from 'node:worker_threads'
import { GuardError } from '../errors'
import { run } from './run'
import { type Message, type Start, writeStep } from './thread-messages'

/** The run, in its thread. */
export async function serve(): Promise<void> {
  const { options, host, step } = await new Promise<Start>((resolve) => parentPort?.once('message', resolve))
  const post = (message: Message) => parentPort?.postMessage(message)
  try {
    const done = await run(options, host, {
      step: (current) => writeStep(step, current),
      progress: (progress) => post({ progress }),
    })
    post({ done })
  } catch (error) {
    const known = error instanceof GuardError ? error : undefined
    const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
    post({ failed: { code: known?.code, message, at: known?.at, stack, cause: cause ? String(cause) : undefined } })
  }
}
