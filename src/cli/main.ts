import { realpathSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { RunThread, serve } from '../host/run-thread'
import { endOnSignals } from '../revision/cleanup'
import { program } from './program'

/** This file is bundled to `dist/cli.cjs`, which npm reaches through a symbolic link. */
const file = realpathSync(process.argv[1] ?? '')

async function main(): Promise<void> {
  const thread = new RunThread(file)
  endOnSignals(() => thread.stop())
  const { stdout, stderr } = process
  const root = path.dirname(path.dirname(file))
  const status = await program(process.argv.slice(2), { stdout, stderr, root, run: thread.run })
  // Work left over from a run may continue for a while; the report does not wait for it.
  stdout.write('', () => process.exit(status))
}

if (isMainThread) void main()
else void serve()
