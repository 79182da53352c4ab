// npm run precision: judges changes of public repositories, each as of its own day, and counts the errors by their marks.
// bench/precision-changes.jsonl names the changes, bench/precision.jsonl has a mark for each error that was read.
//
//   --changes FILE       other changes than those of bench/precision-changes.jsonl, in the same form
//   --set NAME           those of one measurement: first, second
//   --repositories DIR   where clones are, as OWNER/NAME or OWNER+NAME (default: .tools/precision)
//   --clone              clone what is not there, from GitHub
//   --cache DIR          where what is judged is kept, so that it goes on after an interruption (default: .tools/precision-cache)
//   --only NAME          the repositories whose name has this in it
//   --jobs N             how many changes are judged at a time (default: 1)
//   --timeout MINUTES    the time limit for each change (default: 2)
//   --offline            fetch nothing: what is not in the repository is judged by its values alone, or not at all
//   --policy NAME@RANGE  the policies to use instead of the default ones; may be given several times
//   --output FILE        write a line of JSON for each change as soon as it is judged
//   --unmarked           print the errors without a mark, as lines for bench/precision.jsonl
//
// The changes are judged in the order of their ids, over all repositories: an interrupted run has judged a sample.
// Build first (npm run build). Fails where an error has no mark.
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ChangeJudging } from '../src/host/change-judging'
import { inProcessOf } from '../src/host/change-process'
import { dayOf } from '../src/revision/history'
import { type Change, counted, type Mark, type Measured, summaryOf, unmarked } from './precision/summary'

const { values: options } = parseArgs({
  options: {
    changes: { type: 'string', default: 'bench/precision-changes.jsonl' },
    set: { type: 'string' },
    repositories: { type: 'string', default: '.tools/precision' },
    clone: { type: 'boolean', default: false },
    cache: { type: 'string', default: '.tools/precision-cache' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '2' },
    offline: { type: 'boolean', default: false },
    policy: { type: 'string', multiple: true, default: [] },
    output: { type: 'string' },
    unmarked: { type: 'boolean', default: false },
  },
})
const root = process.cwd()
const judge = inProcessOf(path.join(root, 'dist/cli.cjs'))
const marks = linesOf<Mark>('bench/precision.jsonl')
const measured: Measured[] = []
if (options.output !== undefined) writeFileSync(options.output, '')

/** A change to judge, in its repository. */
interface Task extends Omit<Measured, 'outcome'> {
  readonly parent: string
  readonly day: string | undefined
  readonly judging: ChangeJudging
}

const tasks = linesOf<Change>(options.changes)
  .filter(({ repository, set }) => repository.includes(options.only) && (options.set ?? set) === set)
  .flatMap(tasksOf)
  .sort((a, b) => (a.commit < b.commit ? -1 : 1))
const queue = tasks.values()
const worker = async () => {
  for (const { judging, parent, day, ...change } of queue)
    record({ ...change, outcome: await judging.of(parent, change.commit, day) })
}
await Promise.all(Array.from({ length: Number(options.jobs) }, worker))
const errors = counted(measured, marks)
console.log(summaryOf(measured, errors, marks))
const open = unmarked(errors)
if (options.unmarked) for (const line of open) console.log(line)
if (open.length > 0) process.exitCode = 1

/** The changes of a repository; those that its clone does not have count as not judged. */
function tasksOf({ repository, style, commits }: Change): Task[] {
  const repo = cloneOf(repository)
  if (repo === undefined) return []
  const judging = new ChangeJudging(
    {
      repo,
      policies: options.policy,
      cache: path.resolve(options.cache),
      timeout: Number(options.timeout),
      offline: options.offline,
    },
    root,
    undefined,
    judge,
  )
  return commits.flatMap((id) => {
    const [commit = id, seconds, parent = ''] = described(repo, id)
    if (seconds !== undefined) return [{ repository, style, commit, parent, day: dayOf(Number(seconds)), judging }]
    record({ repository, style, commit, outcome: { failed: 'The clone does not have this commit.' } })
    return []
  })
}

/** The folder of a clone, made where that is allowed. */
function cloneOf(repository: string): string | undefined {
  const [nested, flat] = [repository, repository.replace('/', '+')].map((name) =>
    path.resolve(options.repositories, name),
  )
  const known = [nested, flat].find((folder) => folder !== undefined && existsSync(folder))
  if (known !== undefined || nested === undefined) return known
  if (!options.clone) {
    console.error(`${repository} is not in ${options.repositories}: clone it there, or give --clone.`)
    return undefined
  }
  mkdirSync(path.dirname(nested), { recursive: true })
  execFileSync('git', ['clone', '--quiet', '--no-checkout', `https://github.com/${repository}`, nested])
  return nested
}

/** The id, the author date and the parents of a commit; nothing if the clone does not have it. */
function described(repo: string, commit: string): string[] {
  const { status, stdout } = spawnSync('git', ['-C', repo, 'log', '-1', '--format=%H %at %P', commit], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trimEnd().split(' ') : []
}

function record(change: Measured): void {
  measured.push(change)
  if (options.output !== undefined) appendFileSync(options.output, `${JSON.stringify(change)}\n`)
}

/** A file of our own, with one value on each line. */
function linesOf<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
