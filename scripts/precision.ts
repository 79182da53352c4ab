// npm run precision: judges changes of public repositories, each as of its own day, and counts the errors by their marks.
// bench/precision-changes.jsonl names the changes, bench/precision.jsonl has a mark for each error that was read.
//
//   --repositories DIR   where clones are, as OWNER/NAME (default: .tools/precision)
//   --clone              clone what is not there, from GitHub
//   --cache DIR          where what is judged is kept, so that it goes on after an interruption (default: .tools/precision-cache)
//   --only NAME          the repositories whose name has this in it
//   --jobs N             how many changes are judged at a time (default: 1)
//   --timeout MINUTES    the time limit for each change (default: 2)
//   --unmarked           print the errors without a mark, as lines for bench/precision.jsonl
//
// Build first (npm run build). Fails where an error has no mark.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ChangeJudging } from '../src/host/change-judging'
import { inProcessOf } from '../src/host/change-process'
import { dayOf } from '../src/revision/history'
import { type Change, counted, type Mark, type Measured, summaryOf, unmarked } from './precision/summary'

const { values: options } = parseArgs({
  options: {
    repositories: { type: 'string', default: '.tools/precision' },
    clone: { type: 'boolean', default: false },
    cache: { type: 'string', default: '.tools/precision-cache' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '2' },
    unmarked: { type: 'boolean', default: false },
  },
})
const root = process.cwd()
const judge = inProcessOf(path.join(root, 'dist/cli.cjs'))
const changes = linesOf<Change>('bench/precision-changes.jsonl')
const marks = linesOf<Mark>('bench/precision.jsonl')

const measured: Measured[] = []
for (const { repository, style, commits } of changes.filter((one) => one.repository.includes(options.only))) {
  const repo = path.resolve(options.repositories, repository)
  if (!existsSync(repo)) {
    if (!options.clone) {
      console.error(`${repository} is not in ${options.repositories}: clone it there, or give --clone.`)
      continue
    }
    mkdirSync(path.dirname(repo), { recursive: true })
    execFileSync('git', ['clone', '--quiet', '--no-checkout', `https://github.com/${repository}`, repo])
  }
  const judging = new ChangeJudging(
    { repo, policies: [], cache: path.resolve(options.cache), timeout: Number(options.timeout) },
    root,
    undefined,
    judge,
  )
  const log = execFileSync('git', ['-C', repo, 'log', '--no-walk=unsorted', '--format=%H %at %P', ...commits], {
    encoding: 'utf8',
  })
  const queue = log.trimEnd().split('\n').values()
  const worker = async () => {
    for (const line of queue) {
      const [commit = '', seconds, parent = ''] = line.split(' ')
      measured.push({ repository, style, commit, outcome: await judging.of(parent, commit, dayOf(Number(seconds))) })
    }
  }
  await Promise.all(Array.from({ length: Number(options.jobs) }, worker))
}
const errors = counted(measured, marks)
console.log(summaryOf(measured, errors))
const open = unmarked(errors)
if (options.unmarked) for (const line of open) console.log(line)
if (open.length > 0) process.exitCode = 1

/** A file of our own, with one value on each line. */
function linesOf<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
