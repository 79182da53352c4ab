// npm run bench:bump: a bump of one of 300 releases of one chart repository on loopback, of three sizes. Cold, compared
// with helm alone, which gets the index and both versions and renders them; warm, compared with the same bump of a chart
// in the repository, where the charts of the 299 other releases are elsewhere all the same. Fails when a ratio exceeds
// its budget.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { checkOf, inRepository, type Measure, measure } from './measure'
import { growIndex, writeDefinitions } from './public-charts'
import { type Place, writeChart, writeHome, writeRelease } from './remote-releases'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
const releases = 300
const bumpedRelease = 7
const versions = ['1.0.0', '1.1.0'] as const
const helm = bring('helm')
const here = 'https://github.com/acme/platform'

/** The index and the chart of a repository. */
interface Size {
  readonly name: string
  readonly indexBytes: number
  /** Whether the chart has 4.5 MB of CRDs, like kube-prometheus-stack. */
  readonly hasDefinitions: boolean
}

const sizes: readonly Size[] = [
  { name: 'small', indexBytes: 0, hasDefinitions: false },
  { name: 'public', indexBytes: 7_000_000, hasDefinitions: true },
  { name: 'large', indexBytes: 20_000_000, hasDefinitions: true },
]

/** A server of a folder in a process of its own: this one waits for those that it measures. */
const serving = `
const { createServer } = require('node:http')
const { readFileSync } = require('node:fs')
createServer((request, response) => {
  try { response.end(readFileSync(process.argv[1] + request.url)) } catch { response.writeHead(404).end() }
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`

function report(name: string, check: Measure, beside: string, other: Measure): void {
  const [budget, ratio] = [budgets[name] ?? 0, check.seconds / other.seconds]
  const figures = `check ${check.seconds.toFixed(3)} s, ${check.megabytes.toFixed(0)} MiB; ${beside} ${other.seconds.toFixed(3)} s`
  console.log(`${name}: ${figures}; ratio ${ratio.toFixed(2)} (budget ${budget})`)
  if (ratio > budget) process.exitCode = 1
}

/** Writes one version of the chart. */
function writeVersion(folder: string, version: string, { hasDefinitions }: Size): void {
  writeChart(folder, version)
  if (hasDefinitions) writeDefinitions(path.join(folder, 'crds'), version)
}

/** A bump of one release, checked with a cache. */
function bumped(size: Size, url: string, place: Place, work: (check: readonly string[]) => void): void {
  inRepository((repo, git) => {
    git('remote', 'add', 'origin', here)
    writeHome(repo, releases, { url })
    for (const version of versions) {
      if ('folder' in place) writeVersion(path.join(repo, place.folder), version, size)
      writeRelease(repo, bumpedRelease, version, place)
      git('add', '--all')
      git('commit', '--quiet', '-m', version)
    }
    work([...checkOf(repo), '--helm', helm])
  })
}

function compare(work: string, size: Size, url: string): void {
  const [cache, home] = [path.join(work, 'cache'), path.join(work, 'home')]
  const empty = () => {
    for (const folder of [cache, home]) rmSync(folder, { recursive: true, force: true })
  }
  const name = `shop-${bumpedRelease}`
  const render = (version: string) =>
    `HELM_CACHE_HOME=${home} ${helm} template ${name} platform --repo ${url} --version ${version} --namespace ${name} --include-crds --set host=${name}.example.com >/dev/null`
  bumped(size, url, { url }, (check) => {
    const cold = measure(process.execPath, [...check, '--cache', cache], 0, empty)
    const alone = measure('sh', ['-c', versions.map(render).join(' && ')], 0, empty)
    report(`bump-cold-${size.name}`, cold, 'helm alone', alone)
    const warm = measure(process.execPath, [...check, '--cache', cache], 0)
    bumped(size, url, { here, folder: 'charts/platform' }, (same) => {
      const vendored = measure(process.execPath, [...same, '--cache', cache], 0)
      report(`bump-warm-${size.name}`, warm, 'with the chart at hand', vendored)
    })
  })
}

/** Packages both versions of the chart, with their index. */
function packageCharts(work: string, size: Size): void {
  const folder = path.join(work, 'packages', size.name)
  for (const version of versions) {
    const chart = path.join(work, size.name, version, 'platform')
    writeVersion(chart, version, size)
    execFileSync(helm, ['package', chart, '--destination', folder], { stdio: 'ignore' })
  }
  execFileSync(helm, ['repo', 'index', folder])
  const index = path.join(folder, 'index.yaml')
  const more = growIndex(index, size.indexBytes)
  console.log(
    `${size.name}: an index of ${more + versions.length} versions and ${statSync(index).size} bytes; a chart of ${statSync(path.join(folder, 'platform-1.0.0.tgz')).size} bytes, packed`,
  )
}

const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bench-'))
for (const size of sizes) packageCharts(work, size)
const packages = path.join(work, 'packages')
const server = spawn(process.execPath, ['-e', serving, packages], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const [port] = await once(server.stdout, 'data')
  for (const size of sizes) compare(work, size, `http://127.0.0.1:${String(port).trim()}/${size.name}`)
} finally {
  server.kill()
  rmSync(work, { recursive: true, force: true })
}
