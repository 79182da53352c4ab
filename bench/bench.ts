// npm run bench: whole-process time and peak memory of `check` on generated repositories with a change of one file,
// compared with git alone listing both trees and printing every blob, and with helm alone rendering the releases that
// the change reaches. Fails when a ratio exceeds its budget.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { ingress, writeCorpus } from './corpus'
import { checkOf, inRepository, measure } from './measure'
import { releaseValues, writeReleases } from './releases'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>

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
