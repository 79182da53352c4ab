// npm run bench:bump: a bump of one of 300 releases of one chart repository on loopback. Cold, compared with helm
// alone, which gets the index and both versions and renders them; warm, compared with the same bump of a chart in the
// repository, with the same cache. Fails when a ratio exceeds its budget.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { checkOf, inRepository, type Measure, measure } from './measure'
import { type Place, writeChart, writeHome, writeRelease } from './remote-releases'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
const releases = 300
const helm = bring('helm')
const here = 'https://github.com/acme/platform'

/** A server of a folder in a process of its own: this one waits for those that it measures. */
const serving = `
const { createServer } = require('node:http')
const { readFileSync } = require('node:fs')
createServer((request, response) => {
  try { response.end(readFileSync(process.argv[1] + request.url)) } catch { response.writeHead(404).end() }
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`

function report(name: string, ratio: number, words: string): void {
  const budget = budgets[name] ?? 0
  console.log(`${words}; ratio ${ratio.toFixed(2)} (budget ${budget})`)
  if (ratio > budget) process.exitCode = 1
}

/** A bump of one release, checked with a cache. */
function bumped(place: Place, work: (check: readonly string[]) => void): void {
  inRepository((repo, git) => {
    git('remote', 'add', 'origin', here)
    writeHome(repo, releases, place)
    git('add', '--all')
    git('commit', '--quiet', '-m', 'base')
    writeRelease(repo, 7, '1.1.0', place)
    git('commit', '--quiet', '--all', '-m', 'head')
    work([...checkOf(repo), '--helm', helm])
  })
}

function inWords(name: string, check: Measure, beside: string, other: Measure): string {
  return `${releases} releases, one bumped, ${name}: check ${check.seconds.toFixed(3)} s, ${check.megabytes.toFixed(0)} MiB; ${beside} ${other.seconds.toFixed(3)} s`
}

function compare(work: string, url: string): void {
  const [cache, home] = [path.join(work, 'cache'), path.join(work, 'home')]
  const empty = () => {
    for (const folder of [cache, home]) rmSync(folder, { recursive: true, force: true })
  }
  const render = (version: string) =>
    `HELM_CACHE_HOME=${home} ${helm} template shop-7 platform --repo ${url} --version ${version} --namespace shop-7 --include-crds --set host=shop-7.example.com >/dev/null`
  bumped({ url }, (check) => {
    const cold = measure(process.execPath, [...check, '--cache', cache], 0, empty)
    const alone = measure('sh', ['-c', `${render('1.0.0')} && ${render('1.1.0')}`], 0, empty)
    report('bump-cold', cold.seconds / alone.seconds, inWords('cold', cold, 'helm alone', alone))
  })
  bumped({ url }, (check) => {
    const warm = measure(process.execPath, [...check, '--cache', cache], 0)
    bumped({ here }, (same) => {
      const vendored = measure(process.execPath, [...same, '--cache', cache], 0)
      report('bump-warm', warm.seconds / vendored.seconds, inWords('warm', warm, 'with the charts at hand', vendored))
    })
  })
}

/** Packages both versions of the chart, with their index. */
function packageCharts(work: string): string {
  const folder = path.join(work, 'packages')
  for (const version of ['1.0.0', '1.1.0']) {
    const chart = path.join(work, version, 'platform')
    writeChart(chart, version)
    execFileSync(helm, ['package', chart, '--destination', folder], { stdio: 'ignore' })
  }
  execFileSync(helm, ['repo', 'index', folder])
  return folder
}

const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bench-'))
const server = spawn(process.execPath, ['-e', serving, packageCharts(work)], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const [port] = await once(server.stdout, 'data')
  const url = `http://127.0.0.1:${String(port).trim()}`
  compare(work, url)
} finally {
  server.kill()
  rmSync(work, { recursive: true, force: true })
}
