import path from 'node:path'
import type { Worker } from 'node:worker_threads'
import { inProcessOf } from '../host/change-process'
import { RunThread } from '../host/run-thread'
import { endOnSignals } from '../revision/cleanup'
import { program } from './program'
import { progressLine } from './progress-line'

/**
 * The process of the command line.
 *
 * @param file the bundle, in the `dist` folder of the package
 * @param prepared a thread for the run, if one is started already
 */
export async function commandLine(file: string, prepared: Worker | undefined): Promise<void> {
  const { stdout, stderr } = process
  const show = stderr.isTTY && !process.env.CI ? progressLine(stderr) : undefined
  const thread = new RunThread(file, prepared, undefined, show)
  endOnSignals(() => thread.stop())
  const root = path.dirname(path.dirname(file))
  const status = await program(process.argv.slice(2), {
    stdout,
    stderr,
    root,
    run: thread.run,
    judge: inProcessOf(file),
  })
  // Work left over from a run may continue for a while; the report does not wait for it.
  stdout.write('', () => process.exit(status))
}
