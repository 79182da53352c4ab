import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tool } from '../tools'
import { temporaryFolder } from './repository'

/** A tool that takes note of each time it is started, and how many times its first word was a given one. */
export interface CountingTool {
  readonly program: string
  readonly count: (word: string) => number
}

/** @param version a version that it reports instead of its own */
export function countingTool(name: 'helm' | 'kubectl', version?: string): CountingTool {
  const folder = temporaryFolder()
  const [program, log] = [path.join(folder, name), path.join(folder, 'log')]
  const lie = version === undefined ? '' : `[ "$1" = version ] && { echo '${version}'; exit; }\n`
  writeFileSync(program, `#!/bin/sh\necho "$1" >> '${log}'\n${lie}exec '${tool(name)}' "$@"\n`)
  chmodSync(program, 0o755)
  const words = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [])
  return { program, count: (word) => words().filter((one) => one === word).length }
}
