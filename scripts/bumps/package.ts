// Packages charts of public Git repositories at several versions each.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { major, maxSatisfying, minor, rcompare, valid } from 'semver'
import { parse, stringify } from 'yaml'
import type { PublicChart } from './charts'

/** The folder of a chart in a repository, by the tag of a version. */
type Origin = Pick<PublicChart, 'folder' | 'tag'>

/** A bare clone of a public repository, brought here once. */
export function cloneOf(repository: string, folder: string): string {
  const clone = path.join(folder, repository.replace('/', '+'), 'repo')
  if (!existsSync(clone)) {
    mkdirSync(path.dirname(clone), { recursive: true })
    execFileSync('git', ['clone', '--quiet', '--bare', `https://github.com/${repository}`, clone], { stdio: 'inherit' })
  }
  return clone
}

/** The versions that a repository has tags of, the newest first. */
function versionsIn(clone: string, tag: Origin['tag']): string[] {
  const [before, after] = tag('\0').split('\0') as [string, string]
  const tags = execFileSync('git', ['--git-dir', clone, 'tag', '--list', `${before}*${after}`], { encoding: 'utf8' })
  return tags
    .split('\n')
    .map((one) => one.slice(before.length, one.length - after.length))
    .filter((version) => valid(version) && !version.includes('-'))
    .sort(rcompare)
}

/** The last releases of the newest minor versions, the oldest first. */
export function versionsOf(clone: string, tag: Origin['tag'], count: number): string[] {
  const minors = new Map<string, string>()
  for (const version of versionsIn(clone, tag)) {
    const key = `${major(version)}.${minor(version)}`
    if (!minors.has(key)) minors.set(key, version)
  }
  return [...minors.values()].slice(0, count).reverse()
}

/** Packages a chart at a version into a folder, unless it is there. */
export function packageChart(
  { name, folder, tag }: PublicChart,
  version: string,
  { clone, helm, into }: { clone: string; helm: string; into: string },
): void {
  if (existsSync(path.join(into, `${name}-${version}.tgz`))) return
  const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-chart-'))
  try {
    layOut(clone, { folder, tag }, version, work)
    const chart = path.join(work, folder)
    release(chart, version)
    addDefinitions(chart, path.join(work, 'deploy/crds'))
    bringDependencies(chart, clone, folder)
    const args = ['package', chart, '--version', version, '--destination', into]
    execFileSync(helm, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function layOut(clone: string, { folder, tag }: Origin, version: string, work: string): void {
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', clone, ...args], { maxBuffer: 1 << 30 })
  // The CRDs of cert-manager were in a folder next to its chart.
  const wanted = ['ls-tree', '-d', '--name-only', '-r', tag(version), '--', folder, 'deploy/crds']
  const there = String(git(...wanted)).split('\n')
  const archive = git('archive', tag(version), '--', ...[folder, 'deploy/crds'].filter((one) => there.includes(one)))
  execFileSync('tar', ['--extract', '--directory', work], { input: archive })
}

/** The files that the release of a chart adds to it: its Chart.yaml, and the version of its application. */
function release(chart: string, version: string): void {
  const file = path.join(chart, 'Chart.yaml')
  const template = path.join(chart, 'Chart.template.yaml')
  const text = readFileSync(existsSync(template) ? template : file, 'utf8')
  const isOpen = /^appVersion: "?v?(?:0\.0\.0|\{\{)/m.test(text) || existsSync(template)
  const released = text.replace(/^version:.*$/m, `version: ${version}`)
  writeFileSync(file, isOpen ? released.replace(/^appVersion:.*$/m, `appVersion: v${version}`) : released)
}

/** The build of older versions of cert-manager adds the CRDs, which are in a folder next to the chart. */
function addDefinitions(chart: string, crds: string): void {
  if (!existsSync(crds) || readdirSync(path.join(chart, 'templates')).some((file) => file.startsWith('crd'))) return
  const texts = readdirSync(crds)
    .filter((file) => /^(?:crd-|.*cert-manager\.io_).*\.yaml$/.test(file))
    .map((file) => readFileSync(path.join(crds, file), 'utf8'))
  const condition = '{{- if or .Values.crds.enabled .Values.installCRDs }}'
  writeFileSync(path.join(chart, 'templates/crds.yaml'), `${condition}\n${texts.join('\n---\n')}\n{{- end }}\n`)
}

/** Puts the dependencies of the same repository into `charts/`, and leaves out those of others. */
function bringDependencies(chart: string, clone: string, folder: string): void {
  const file = path.join(chart, 'Chart.yaml')
  const written = parse(readFileSync(file, 'utf8'))
  const kept: unknown[] = []
  for (const dependency of written.dependencies ?? []) {
    const { name, version: range } = dependency
    const there = existsSync(path.join(chart, 'charts')) ? readdirSync(path.join(chart, 'charts')) : []
    if (there.some((entry) => entry === name || entry.startsWith(`${name}-`))) {
      kept.push(dependency)
      continue
    }
    const origin = { folder: path.posix.join(path.posix.dirname(folder), name), tag: (its: string) => `${name}-${its}` }
    const version = maxSatisfying(versionsIn(clone, origin.tag), range)
    if (!version) {
      console.log(`  ${path.basename(chart)}: without its dependency ${name} ${range}, which another repository has`)
      continue
    }
    const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-chart-'))
    layOut(clone, origin, version, work)
    mkdirSync(path.join(chart, 'charts'), { recursive: true })
    execFileSync('cp', ['-r', path.join(work, origin.folder), path.join(chart, 'charts', name)])
    rmSync(work, { recursive: true, force: true })
    kept.push({ ...dependency, version })
  }
  rmSync(path.join(chart, 'Chart.lock'), { force: true })
  if (written.dependencies) writeFileSync(file, stringify({ ...written, dependencies: kept }))
}
