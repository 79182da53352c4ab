import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A run of all tests brings the tools before it starts; a run of some leaves it to those that need one. */
export default function bringTools({ testPathPatterns }) {
  if (testPathPatterns.isSet()) return
  const cwd = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/tools.ts'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
