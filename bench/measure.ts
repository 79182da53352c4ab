import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const runs = 5
// A commit would start a collection of its own, which stops ours.
const settings = ['user.name=bench', 'user.email=bench@example.com', 'gc.auto=0', 'maintenance.auto=false']

export interface Measure {
  readonly seconds: number
  readonly megabytes: number
}

/**
 * The median over some runs of a command, after one that does not count.
 *
 * @param before is done before each run, and takes no part in its time
 * @param counted how many runs count
 */
export function measure(
  command: string,
  args: readonly string[],
  status: number,
  before = () => {},
  counted = runs,
): Measure {
  const all = Array.from({ length: counted + 1 }, () => {
    before()
    const start = process.hrtime.bigint()
    const { status: ended, stderr } = spawnSync('/usr/bin/env', ['time', '-f', '%M', command, ...args], {
      maxBuffer: 1 << 30,
    })
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    if (ended !== status) throw new Error(`${command} ended with ${ended}, not ${status}: ${stderr}`)
    return { seconds, megabytes: Number(String(stderr).trim().split('\n').pop()) / 1024 }
  }).slice(1)
  const median = (values: number[]) => values.sort((a, b) => a - b)[counted >> 1] ?? 0
  return { seconds: median(all.map((run) => run.seconds)), megabytes: median(all.map((run) => run.megabytes)) }
}

/** A new repository in a folder that is gone afterwards. */
export function inRepository(work: (repo: string, git: (...args: string[]) => string) => void): void {
  const repo = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bench-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, ...settings.flatMap((one) => ['-c', one]), ...args], {
      encoding: 'utf8',
    })
  try {
    git('init', '--quiet')
    work(repo, git)
  } finally {
    rmSync(repo, { recursive: true, force: true })
  }
}

/** The arguments of node to check the last commit of a repository. */
export function checkOf(repo: string): string[] {
  return ['dist/cli.cjs', ...['check', '--repo', repo, '--base', 'HEAD~1', '--head', 'HEAD', '--format', 'json']]
}
