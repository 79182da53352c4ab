// npm run bench:plain: plain manifests. One Ingress of many, compared with git and an empty node; a repository judged
// whole, as a commit and as the working tree, compared with tools that read the same files; many Ingresses of many
// controllers. Writes docs/benchmarks.md, and fails when a ratio exceeds its budget.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { ingress, writeControllers, writeCorpus } from './corpus'
import { checkOf, inRepository, type Measure, measure } from './measure'
import { peers } from './peers'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
/** Fewer manifests, to try the bench itself: nothing is written then. */
const scale = Number(process.argv[2] ?? 1)
/** Built before anything is measured. */
const tools = peers()
const rows: string[] = []
let failed = false

function note(what: string, { seconds, megabytes }: Measure, beside = ''): void {
  rows.push(`| ${what} | ${seconds.toFixed(2)} s | ${megabytes.toFixed(0)} MiB | ${beside} |`)
  console.log(rows.at(-1))
}

function ratioOf(name: string, one: Measure, other: number, words: string): string {
  const ratio = one.seconds / other
  const budget = budgets[name] ?? 0
  if (scale === 1 && ratio > budget) failed = true
  return `${ratio.toFixed(2)} × ${words} (budget ${budget})`
}

function commit(git: (...args: string[]) => string, message: string): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
}

const node = measure(process.execPath, ['-e', '0'], 0)
for (const [name, args] of [
  ['version', ['--version']],
  ['explain', ['explain', 'host-covered']],
] as const) {
  const it = measure(process.execPath, ['dist/cli.cjs', ...args], 0)
  note(`\`${args.join(' ')}\``, it, ratioOf(name, it, node.seconds, 'node alone'))
}

for (const manifests of [10_000, 50_000]) {
  inRepository((repo, git) => {
    writeCorpus(repo, manifests * scale)
    commit(git, 'base')
    const hosts = ['team-00007.example.com', 'new.example.com']
    writeFileSync(path.join(repo, 'teams/group-7/team-00007/ingress.yaml'), ingress('team-00007', hosts))
    commit(git, 'head')
    git('gc', '--quiet')
    const check = measure(process.execPath, checkOf(repo), 1)
    const listing = `git -C ${repo} ls-tree -r -z HEAD~1 >/dev/null; git -C ${repo} ls-tree -r HEAD | cut -d' ' -f3 | cut -f1`
    const floor = measure('sh', ['-c', `${listing} | git -C ${repo} cat-file --batch --buffer >/dev/null`], 0)
    const beside = ratioOf(`check-${manifests}`, check, floor.seconds + node.seconds, 'git and node alone')
    note(`one Ingress of ${manifests} manifests`, check, beside)
    if (manifests > 10_000) return
    const whole = ['dist/cli.cjs', 'check', '--repo', repo, '--all', '--format', 'json']
    const committed = measure(process.execPath, [...whole, '--head', 'HEAD'], 1)
    const tree = measure(process.execPath, whole, 1)
    note(`all ${manifests}, as a commit`, committed)
    note(`all ${manifests}, as the working tree`, tree, ratioOf('working-tree', tree, committed.seconds, 'the commit'))
    for (const { name, command, status } of tools) {
      const [program, ...args] = command(path.join(repo, 'teams'))
      const peer = measure(program, args, status)
      note(name, peer, ratioOf(name, committed, peer.seconds, 'of it'))
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
  note('5,000 Ingresses, 20 controllers, one of them changed', measure(process.execPath, checkOf(repo), 0))
})

const page = `# Benchmarks

Written by \`npm run bench:plain\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${availableParallelism()} processors. Each figure is
the median of five whole processes.

| what | time | memory | beside |
| --- | --- | --- | --- |
${rows.join('\n')}

## What the others do

A ratio to one of them says how much longer \`check --all\` takes than it does on the same files.

| tool | does | does not |
| --- | --- | --- |
${tools.map(({ name, does, doesNot }) => `| ${name} | ${does} | ${doesNot} |`).join('\n')}
`
if (scale === 1) writeFileSync('docs/benchmarks.md', page)
process.exitCode = failed ? 1 : 0
