// npm run bumps: replays bumps of real charts. Packages charts of public repositories at six versions each, serves them on
// loopback as a chart repository, writes a GitOps repository that installs them by HelmReleases or Applications, and lets
// the built gate judge each bump. What it prints is for a person to read: no bump of these may be an error without a cause.
// Then it bumps to versions that break something; it fails when one of these is not named at the line of the version.
//
//   --folder DIR   where clones and packages are kept (default: .tools/bumps)
//   --versions N   how many versions of each chart (default: 6)
//   --only NAME    one chart
//   --policy P     a policy, also one that is not released (repeatable)
//   --broken       only the versions that break something
//   --verbose      print what each bump brings
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { ReportJson } from '../../src/report/report-schema'
import { bring } from '../pinned-tools'
import { charts, type PublicChart } from './charts'
import { type Breaking, breaking, packageEdit } from './edits'
import { cloneOf, packageChart, versionsOf } from './package'

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: '.tools/bumps' },
    versions: { type: 'string', default: '6' },
    only: { type: 'string' },
    policy: { type: 'string', multiple: true, default: [] },
    broken: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const [helm, kubectl] = [bring('helm'), bring('kubectl')]
const packages = path.resolve(options.folder, 'packages')

/** The name and the versions of each chart, packaged. */
const packaged = charts
  .filter(({ name }) => options.only === undefined || name === options.only)
  .map((chart) => {
    const clone = cloneOf(chart.repository, options.folder)
    const versions = versionsOf(clone, chart.tag, Number(options.versions))
    mkdirSync(packages, { recursive: true })
    const wanted = breaking.flatMap((one) => (one.chart === chart.name ? (one.published ?? []) : []))
    for (const version of new Set([...versions, ...wanted]))
      packageChart(chart, version, { clone, helm, into: packages })
    return { chart, versions }
  })

/** The versions before and after what breaks something. */
const broken = breaking.flatMap((one): { chart: PublicChart; versions: readonly [string, string]; one: Breaking }[] => {
  const its = packaged.find(({ chart }) => chart.name === one.chart)
  const newest = its?.versions.at(-1)
  if (!its || newest === undefined) return []
  const versions = one.published ?? ([newest, `${newest}-broken`] as const)
  packageEdit(one, versions, { helm, into: packages })
  return [{ chart: { ...its.chart, users: `${its.chart.users}---\n${one.users ?? ''}` }, versions, one }]
})
execFileSync(helm, ['repo', 'index', packages], { stdio: 'inherit' })

const server = createServer((request, response) => {
  const name = path.basename(request.url ?? '')
  try {
    response.end(readFileSync(path.join(packages, name)))
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const forms = {
  HelmRelease: ({ name, namespace, values }: PublicChart, version: string) => `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: flux-system}
spec: {interval: 1h, url: "${url}"}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  interval: 1h
  chart:
    spec:
      chart: ${name}
      version: ${version}
      sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}
  values: ${JSON.stringify(values)}
`,
  Application: ({ name, namespace, values }: PublicChart, version: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: ${namespace}}
  source:
    repoURL: "${url}"
    chart: ${name}
    targetRevision: ${version}
    helm: {releaseName: ${name}, valuesObject: ${JSON.stringify(values)}}
`,
}

/** The report on the last commit of a repository. */
function judged(repo: string): Promise<ReportJson> {
  const tools = ['--helm', helm, '--kustomize', kubectl]
  const policies = options.policy.flatMap((one) => ['--policy', one])
  const args = [
    'check',
    '--repo',
    repo,
    '--base',
    'HEAD~1',
    '--head',
    'HEAD',
    '--format',
    'json',
    ...tools,
    ...policies,
  ]
  return new Promise((resolve, reject) => {
    const cache = path.resolve(options.folder, 'cache')
    execFile(
      process.execPath,
      ['dist/cli.cjs', ...args, '--cache', cache],
      { maxBuffer: 1 << 30 },
      (_, stdout, stderr) => {
        if (stdout === '') reject(new Error(stderr))
        else resolve(JSON.parse(stdout))
      },
    )
  })
}

type Form = keyof typeof forms

/** Judges the bumps of a chart from version to version. */
async function* replayed(chart: PublicChart, versions: readonly string[], form: Form) {
  const repo = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bumps-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=bumps', '-c', 'user.email=bumps@example.com', ...args])
  git('init', '--quiet')
  mkdirSync(path.join(repo, '.github'))
  writeFileSync(path.join(repo, '.github/ingress-guard.yaml'), `format: 1\nnetwork: {charts: ["${url}"]}\n`)
  if (chart.users !== '') writeFileSync(path.join(repo, 'users.yaml'), chart.users)
  for (const [index, version] of versions.entries()) {
    const text = forms[form](chart, version)
    writeFileSync(path.join(repo, `${chart.name}.yaml`), text)
    git('add', '--all')
    git('commit', '--quiet', '-m', version)
    if (index === 0) continue
    const line = text.split('\n').findIndex((one) => one.trim().endsWith(`: ${version}`)) + 1
    yield { title: `${chart.name} ${versions[index - 1]} → ${version}, ${form}`, line, report: await judged(repo) }
  }
  rmSync(repo, { recursive: true, force: true })
}

function print(title: string, { verdict, findings, inspected }: ReportJson): void {
  const { added, changed, removed } = inspected.changes
  const states = (inspected.files ?? []).map(({ state, cause }) => [state, cause].filter(Boolean).join(' '))
  console.log(
    `${title}: ${verdict}; ${states.join(', ')}; ${added} objects added, ${changed} changed, ${removed} removed`,
  )
  for (const { rows, more } of inspected.bumps ?? []) {
    console.log(`  it brings ${rows.length + more} rows`)
    if (!options.verbose) continue
    for (const { aspect, object, goes, comes } of rows)
      console.log(
        `    ${aspect} of ${object}: ${[...goes.map((one) => `-${one}`), ...comes.map((one) => `+${one}`)].join(' ')}`,
      )
  }
  for (const { level, rule, status, location, text } of findings)
    if (status === 'introduced') console.log(`  ${level} ${rule} ${location.path}:${location.region.startLine} ${text}`)
}

const counts = new Map<string, number>()
for (const form of ['HelmRelease', 'Application'] as const) {
  for (const { chart, versions } of options.broken ? [] : packaged) {
    for await (const { title, report } of replayed(chart, versions, form)) {
      print(title, report)
      for (const { level, status } of report.findings)
        if (status === 'introduced') counts.set(level, (counts.get(level) ?? 0) + 1)
    }
  }
  for (const { chart, versions, one } of broken) {
    for await (const { title, report, line } of replayed(chart, versions, form)) {
      print(`Broken: ${title}`, report)
      const isNamed = report.findings.some(
        ({ rule, status, location }) =>
          rule === one.rule && status === 'introduced' && location.region.startLine === line,
      )
      console.log(`  ${one.rule} is ${isNamed ? '' : 'NOT '}named at line ${line}`)
      if (!isNamed) process.exitCode = 1
    }
  }
}
console.log(`All: ${[...counts].map(([level, count]) => `${count} × ${level}`).join(', ') || 'no findings'}.`)
server.close()
