import { realpathSync } from 'node:fs'
import path from 'node:path'
import { endOnSignals } from '../source/private-folder'
import { program } from './program'

/** The package's folder: this file is bundled to `dist/cli.cjs`, which npm reaches through a symbolic link. */
const root = path.dirname(path.dirname(realpathSync(process.argv[1] ?? '')))

endOnSignals()
program(process.argv.slice(2), { stdout: process.stdout, stderr: process.stderr, root }).then((status) => {
  process.exitCode = status
})
