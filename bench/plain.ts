// npm run bench:plain: plain manifests. One Ingress of many, compared with git and an empty node; a repository judged
// whole, as a commit and as the working tree, compared with tools that read the same files; many Ingresses of many
// controllers, and in one file. Writes docs/benchmarks.md, and fails when a figure exceeds its budget, which keeps it
// from getting worse; whether it meets its aim is on the page.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { ingress, writeControllers, writeCorpus, writeIngresses } from './corpus'
import { checkOf, inRepository, type Measure, measure } from './measure'
import { peers } from './peers'

interface Limit {
  /** What it is to be. */
  readonly aim: number
  /** What it may be before the bench fails. */
  readonly budget: number
}

const limits = JSON.parse(readFileSync('bench/plain.json', 'utf8')) as Record<string, Limit>
/** Fewer manifests, to try the bench itself: nothing is written then, and nothing is held to a budget. */
const scale = Number(process.argv[2] ?? 1)
/** Built before anything is measured. */
const { built: tools, leftOut } = peers()
/** The Node of the person who runs this, and the one that runs the Action. */
const node24 = path.resolve('.tools/bin/node24')
const node = process.execPath
const nodes = [node, ...(existsSync(node24) ? [node24] : [])].map((program) => ({
  program,
  version: execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim(),
  ...measure(program, ['-e', '0'], 0),
}))
const empty = nodes[0]?.seconds ?? 0
const rows: string[] = []
const exceeded: string[] = []

function note(what: string, { seconds, megabytes }: Measure, ...beside: readonly string[]): void {
  rows.push(`| ${what} | ${seconds.toFixed(2)} s | ${megabytes.toFixed(0)} MiB | ${beside.join('; ')} |`)
  console.log(rows.at(-1))
}

/** A figure in words, with its aim; one over its budget is remembered. */
function held(name: string, figure: number, words: string): string {
  const { aim, budget } = limits[name] ?? { aim: 0, budget: 0 }
  if (scale === 1 && figure > budget) exceeded.push(`${name}: ${figure.toFixed(2)}, over its budget of ${budget}`)
  return `${words}, aim ${aim}: ${figure > aim ? '**missed**' : 'met'}`
}

function ratioOf(name: string, one: Measure, other: number, words: string): string {
  const ratio = one.seconds / other
  return held(name, ratio, `${ratio.toFixed(2)} × ${words}`)
}

function memoryOf(name: string, { megabytes }: Measure): string {
  return held(`${name}-memory`, megabytes, 'memory')
}

function commit(git: (...args: string[]) => string, message: string): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
}

function wholeOf(repo: string): string[] {
  return ['dist/cli.cjs', 'check', '--repo', repo, '--all', '--format', 'json']
}

for (const [name, args] of [
  ['version', ['--version']],
  ['explain', ['explain', 'host-covered']],
] as const) {
  const it = measure(node, ['dist/cli.cjs', ...args], 0)
  note(`\`${args.join(' ')}\``, it, ratioOf(name, it, empty, 'node alone'))
}

for (const manifests of [10_000, 50_000]) {
  inRepository((repo, git) => {
    writeCorpus(repo, manifests * scale)
    commit(git, 'base')
    const hosts = ['team-00007.example.com', 'new.example.com']
    writeFileSync(path.join(repo, 'teams/group-7/team-00007/ingress.yaml'), ingress('team-00007', hosts))
    commit(git, 'head')
    git('gc', '--quiet')
    const listing = `git -C ${repo} ls-tree -r -z HEAD~1 >/dev/null; git -C ${repo} ls-tree -r HEAD | cut -d' ' -f3 | cut -f1`
    const floor = measure('sh', ['-c', `${listing} | git -C ${repo} cat-file --batch --buffer >/dev/null`], 0)
    for (const { program, seconds, version } of nodes) {
      const check = measure(program, checkOf(repo), 1)
      note(
        `one Ingress of ${manifests} manifests, Node ${version}`,
        check,
        ratioOf(`check-${manifests}`, check, floor.seconds + seconds, 'git and node alone'),
        memoryOf(`check-${manifests}`, check),
      )
    }
    if (manifests > 10_000) return
    const committed = measure(node, [...wholeOf(repo), '--head', 'HEAD'], 1)
    const tree = measure(node, wholeOf(repo), 1)
    note(`all ${manifests}, as a commit`, committed, memoryOf('all', committed))
    note(`all ${manifests}, as the working tree`, tree, ratioOf('working-tree', tree, committed.seconds, 'the commit'))
    for (const { name, command, status } of tools) {
      const [program, ...args] = command(path.join(repo, 'teams'))
      const peer = measure(program, args, status)
      const ratio = committed.seconds / peer.seconds
      note(name, peer, held(name, ratio, `\`check --all\` takes ${ratio.toFixed(2)} × its time`))
    }
  })
}

inRepository((repo, git) => {
  writeCorpus(repo, 25_000 * scale)
  writeControllers(repo, 20, 'v1.11.2')
  commit(git, 'base')
  writeControllers(repo, 1, 'v1.11.3')
  commit(git, 'head')
  git('gc', '--quiet')
  note('5,000 Ingresses, 20 controllers, one of them changed', measure(node, checkOf(repo), 0))
})

inRepository((repo, git) => {
  writeIngresses(repo, 60_000 * scale)
  commit(git, 'head')
  // It takes long, so it is measured once.
  const one = measure(node, [...wholeOf(repo), '--head', 'HEAD'], 0, () => {}, 1)
  const seconds = held('one-file', one.seconds, 'seconds')
  note('60,000 Ingresses in one file, all', one, seconds, memoryOf('one-file', one))
})

const page = `# Benchmarks

Written by \`npm run bench:plain\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${availableParallelism()} processors. Each figure is
the median of five whole processes, that of one file the second of two.

| what | time | memory | beside |
| --- | --- | --- | --- |
${rows.join('\n')}

## What the others do

A ratio to one of them says how much longer \`check --all\` takes than it does on the same files.

| tool | does | does not |
| --- | --- | --- |
${tools.map(({ name, does, doesNot }) => `| ${name} | ${does} | ${doesNot} |`).join('\n')}
${leftOut.map((why) => `\nNot measured: ${why}.\n`).join('')}`
if (scale === 1) writeFileSync('docs/benchmarks.md', page)
for (const one of exceeded) console.error(one)
process.exitCode = exceeded.length > 0 ? 1 : 0
