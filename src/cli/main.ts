import { realpathSync } from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'

/** This file is bundled to `dist/cli.cjs`, which npm reaches through a symbolic link. */
const file = realpathSync(process.argv[1] ?? '')
const [, , command = ''] = process.argv
/** `replay` starts it so, with a channel to itself. */
const isChange = process.send !== undefined && command === 'judge-change-of-history'

if (isMainThread) {
  // The thread of the run starts first: it loads its modules while this thread loads its own.
  const thread = isChange || ['check', 'coverage', 'init'].includes(command) ? new Worker(file) : undefined
  if (isChange) void import('../host/change-process').then(({ serveChange }) => serveChange(file, thread))
  else void import('./command-line').then(({ commandLine }) => commandLine(file, thread))
} else void import('../host/serve').then(({ serve }) => serve())
