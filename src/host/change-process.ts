import { fork } from 'node:child_process'
import type { Worker } from 'node:worker_threads'
import { endOnSignals } from '../revision/cleanup'
import { changeArgument } from './change-argument'
import type { ChangeResult, ChangeTask, JudgeChange } from './change-judging'
import { judgeChange } from './judge-change'
import { RunThread } from './run-thread'

/**
 * Judges each change in a process of its own: it may need more memory than there is, or crash, and the others go on.
 *
 * @param file the program, which calls `serveChange` for the argument above
 */
export function inProcessOf(file: string): JudgeChange {
  return (task) =>
    new Promise<ChangeResult>((resolve) => {
      const child = fork(file, [changeArgument], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
      child.once('message', (outcome: ChangeResult) => resolve(outcome))
      child.once('error', ({ message }) => resolve({ failed: `No process could be started for it: ${message}.` }))
      child.once('exit', (status, signal) =>
        resolve({ failed: `Its process stopped unexpectedly (${signal ?? `exit status ${status}`}).` }),
      )
      child.send(task)
    })
}

/**
 * Runs the process of one change, which ends with its parent.
 *
 * @param file the program, for the thread of the run
 */
export async function serveChange(file: string, prepared: Worker | undefined): Promise<void> {
  const thread = new RunThread(file, prepared)
  endOnSignals(() => thread.stop())
  process.once('disconnect', () => thread.stop().finally(() => process.exit(0)))
  const task = await new Promise<ChangeTask>((resolve) => process.once('message', resolve))
  const outcome = await judgeChange(task, thread.run)
  process.send?.(outcome, () => process.exit(0))
}
