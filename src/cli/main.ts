import { realpathSync } from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { changeArgument } from '../host/change-argument'
import { newThread } from '../host/new-thread'

/** This file is bundled to `dist/cli.cjs`, which npm reaches through a symbolic link. */
const file = realpathSync(process.argv[1] ?? '')
const [, , command = ''] = process.argv
/** `replay` starts it so, with a channel to itself. */
const isChange = process.send !== undefined && command === changeArgument

keepCompiledCode()
if (isMainThread) {
  // The thread of the run starts first: it loads its modules while this thread loads its own.
  const thread = isChange || ['check', 'clusters', 'coverage', 'init'].includes(command) ? newThread(file) : undefined
  if (isChange) void import('../host/change-process').then(({ serveChange }) => serveChange(file, thread))
  else void import('./command-line').then(({ commandLine }) => commandLine(file, thread))
} else void import('../host/serve').then(({ serve }) => serve())

/**
 * Has Node (from 22.8) keep the compiled code for later runs, in the user's own folder; not in CI, where there is no later
 * run on that machine, or where others may have run on it before. A relative path would lead into what is checked.
 */
function keepCompiledCode(): void {
  const { CI, XDG_CACHE_HOME: named = '', HOME: home = '' } = process.env
  const caches = path.isAbsolute(named) ? named : path.join(home, '.cache')
  if (CI || !path.isAbsolute(caches)) return
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(path.join(caches, 'ingress-guard', 'code'))
}
