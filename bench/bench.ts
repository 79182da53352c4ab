// npm run bench: whole-process time and peak memory of `check` on generated repositories with a change of one file, beside
// what git alone takes to list both trees and print every blob, and beside what helm alone takes to render the releases that
// the change reaches. Fails when a ratio is over its budget.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { ingress, writeCorpus } from './corpus'
import { releaseValues, writeReleases } from './releases'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
const runs = 5
// A commit would start a collection of its own, which stops ours.
const settings = ['user.name=bench', 'user.email=bench@example.com', 'gc.auto=0', 'maintenance.auto=false']

interface Measure {
  seconds: number
  megabytes: number
}

/** The median over some runs of a command, after one that does not count. */
function measure(command: string, args: readonly string[], status: number): Measure {
  const all = Array.from({ length: runs + 1 }, () => {
    const start = process.hrtime.bigint()
    const { status: ended, stderr } = spawnSync('/usr/bin/env', ['time', '-f', '%M', command, ...args], {
      maxBuffer: 1 << 30,
    })
    const seconds = Number(process.hrtime.bigint() - start) / 1e9
    if (ended !== status) throw new Error(`${command} ended with ${ended}, not ${status}: ${stderr}`)
    return { seconds, megabytes: Number(String(stderr).trim().split('\n').pop()) / 1024 }
  }).slice(1)
  const median = (values: number[]) => values.sort((a, b) => a - b)[runs >> 1] ?? 0
  return { seconds: median(all.map((run) => run.seconds)), megabytes: median(all.map((run) => run.megabytes)) }
}

/** A new repository in a folder that is gone afterwards. */
function inRepository(work: (repo: string, git: (...args: string[]) => string) => void): void {
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

const checkOf = (repo: string) => [
  'dist/cli.cjs',
  ...['check', '--repo', repo, '--base', 'HEAD~1', '--head', 'HEAD', '--format', 'json'],
]

let failed = false
for (const manifests of [1_000, 10_000]) {
  inRepository((repo, git) => {
    writeCorpus(repo, manifests)
    git('add', '--all')
    git('commit', '--quiet', '-m', 'base')
    writeFileSync(
      path.join(repo, 'teams/group-7/team-00007/ingress.yaml'),
      ingress('team-00007', ['team-00007.example.com', 'new.example.com']),
    )
    git('commit', '--quiet', '--all', '-m', 'head')
    git('gc', '--quiet')
    const check = measure(process.execPath, checkOf(repo), 1)
    const floor = measure(
      'sh',
      [
        '-c',
        `git -C ${repo} ls-tree -r -z HEAD~1 >/dev/null; git -C ${repo} ls-tree -r HEAD | cut -d' ' -f3 | cut -f1 | git -C ${repo} cat-file --batch --buffer >/dev/null`,
      ],
      0,
    )
    const empty = measure(process.execPath, ['-e', '0'], 0)
    const ratio = check.seconds / (floor.seconds + empty.seconds)
    const budget = budgets[`check-${manifests}`] ?? 0
    console.log(
      `${manifests} manifests: check ${check.seconds.toFixed(3)} s, ${check.megabytes.toFixed(0)} MiB; git alone ${floor.seconds.toFixed(3)} s, ${floor.megabytes.toFixed(0)} MiB; node alone ${empty.seconds.toFixed(3)} s; ratio to git and node together ${ratio.toFixed(2)} (budget ${budget})`,
    )
    if (ratio > budget) failed = true
  })
}

const releases = 20
for (const [name, host, status] of [
  ['passes', 'shop-07.example.com', 0],
  ['is stopped', 'shop-07.other.example.com', 1],
] as const) {
  inRepository((repo, git) => {
    const helm = bring('helm')
    writeReleases(repo, releases)
    git('add', '--all')
    git('commit', '--quiet', '-m', 'base')
    writeFileSync(path.join(repo, 'releases/shop-07.yaml'), `${releaseValues('shop-07', host)}  colour: blue\n`)
    git('commit', '--quiet', '--all', '-m', 'head')
    const render = (release: string) =>
      `${helm} template ${release} ${repo}/charts/${release} --namespace ${release} --include-crds --values ${repo}/releases/${release}.yaml >/dev/null`
    const all = Array.from({ length: releases }, (_, index) => `shop-${String(index).padStart(2, '0')}`)
    const check = measure(process.execPath, [...checkOf(repo), '--helm', helm], status)
    // The changed release at both sides; the others once, for the Ingress that may clash with one of them.
    const bare = measure('sh', ['-c', [...all, 'shop-07'].map(render).join('; ')], 0)
    const ratio = check.seconds / bare.seconds
    const budget = budgets[status === 0 ? 'render-passes' : 'render-stopped'] ?? 0
    console.log(
      `${releases} releases, one changed, the change ${name}: check ${check.seconds.toFixed(3)} s, ${check.megabytes.toFixed(0)} MiB; helm alone ${bare.seconds.toFixed(3)} s; ratio ${ratio.toFixed(2)} (budget ${budget})`,
    )
    if (ratio > budget) failed = true
  })
}
process.exitCode = failed ? 1 : 0
