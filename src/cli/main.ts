import { realpathSync } from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'

/** This file is bundled to `dist/cli.cjs`, which npm reaches through a symbolic link. */
const file = realpathSync(process.argv[1] ?? '')

if (isMainThread) {
  // The thread of the run starts first: it loads its modules while this thread loads its own.
  const thread = ['check', 'coverage', 'init'].includes(process.argv[2] ?? '') ? new Worker(file) : undefined
  void import('./command-line').then(({ commandLine }) => commandLine(file, thread))
} else void import('../host/serve').then(({ serve }) => serve())
