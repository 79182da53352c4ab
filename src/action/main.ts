import path from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { newThread } from '../host/new-thread'

/** This file is bundled to `dist/action.cjs`. */
const file = path.resolve(process.argv[1] ?? '')

if (isMainThread) {
  // The thread of the run starts first: it loads its modules while this thread loads its own.
  const thread = newThread(file)
  void import('./action').then(({ action }) => action(file, thread))
} else void import('../host/serve').then(({ serve }) => serve())
