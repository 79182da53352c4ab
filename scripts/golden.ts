import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Compares two builds: writes the JSON report of every fixture, incident and commit of `golden.json`, or
 * compares two such folders. A change that keeps the behaviour differs in words only.
 *
 *     npm run golden -- write OUT --cli dist/cli.cjs [--repositories FOLDER]
 *     npm run golden -- compare BEFORE AFTER
 *
 * FOLDER holds clones as OWNER/NAME; commits of repositories that are not there are listed as left out.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    cli: { type: 'string', default: 'dist/cli.cjs' },
    repositories: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})

/** One run: a name for its report, and the arguments of `check` in a working folder. */
interface Case {
  readonly name: string
  readonly folder: string
  readonly args: readonly string[]
}

const [command, first, second] = positionals
if (command === 'write' && first) await write(path.resolve(first))
else if (command === 'compare' && first && second) compare(first, second)
else {
  console.error(
    'usage: golden write OUT [--cli FILE] [--repositories FOLDER] [--only TEXT] | golden compare BEFORE AFTER',
  )
  process.exitCode = 2
}

async function write(out: string): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'golden-'))
  const waiting = [...folderCases('incidents'), ...fixtureCases(scratch), ...commitCases()].filter(({ name }) =>
    name.includes(values.only),
  )
  console.log(`${waiting.length} cases`)
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const file = path.join(out, `${next.name}.json`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, await reportOf(next))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  rmSync(scratch, { recursive: true })
}

/** The JSON report, or the error where there is none. */
function reportOf({ folder, args }: Case): Promise<string> {
  const cli = path.resolve(values.cli)
  const words = [cli, 'check', ...args, '--format', 'json', '--today', '2026-11-21', '--fail-on', 'never']
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder, maxBuffer: 2 ** 30 }, (_, stdout, stderr) => {
      resolve(stdout || `${JSON.stringify({ error: stderr })}\n`)
    })
  })
}

/** The cases of a folder whose subfolders hold `base` and `head`. */
function folderCases(folder: string): Case[] {
  return readdirSync(folder).flatMap((name) => {
    const own = path.join(folder, name)
    const guard = path.join(own, 'guard.yaml')
    if (!existsSync(path.join(own, 'head'))) return []
    const base = existsSync(path.join(own, 'base')) ? ['--base', './base'] : ['--all']
    const config = existsSync(guard) ? ['--config', path.resolve(guard)] : []
    return [{ name: own.replace('__tests__/', ''), folder: own, args: [...base, '--head', './head', ...config] }]
  })
}

function fixtureCases(scratch: string): Case[] {
  const rules = readdirSync('__tests__/fixtures', { recursive: true, encoding: 'utf8' })
    .filter((folder) => folder.split(path.sep).length === 2)
    .map((folder) => path.join('__tests__/fixtures', folder))
  return rules.flatMap((rule) => {
    const files = readdirSync(rule).filter((name) => statSync(path.join(rule, name)).isFile())
    const alone = files.map((name): Case => {
      const folder = path.join(scratch, rule, name)
      cpSync(path.join(rule, name), path.join(folder, 'head', name))
      return { name: path.join(rule, name).replace('__tests__/', ''), folder, args: ['--all', '--head', './head'] }
    })
    return [...alone, ...folderCases(rule)]
  })
}

function commitCases(): Case[] {
  const { repositories } = values
  if (!repositories) return []
  const commits: Record<string, string[]> = JSON.parse(readFileSync('scripts/golden.json', 'utf8'))
  return Object.entries(commits).flatMap(([name, its]) => {
    const folder = path.resolve(repositories, name)
    if (!existsSync(folder)) console.log(`left out: ${name} is not in ${repositories}`)
    else
      return its.map((id) => ({
        name: path.join('commits', name, id),
        folder,
        args: ['--base', `${id}~1`, '--head', id],
      }))
    return []
  })
}

function compare(before: string, after: string): void {
  const names = new Set([...reportsIn(before), ...reportsIn(after)])
  let differing = 0
  for (const name of [...names].sort()) {
    const [old, now] = [before, after].map((folder) => behaviourIn(path.join(folder, name)))
    if (old === now) continue
    differing++
    console.log(`${name}\n${firstDifference(old ?? '', now ?? '')}`)
  }
  console.log(`${names.size} reports, ${differing} differ`)
  if (differing > 0) process.exitCode = 1
}

function reportsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
}

/** A report without the words that are for people alone. */
function behaviourIn(file: string): string {
  if (!existsSync(file)) return 'no report'
  const words = new Set(['text', 'reason'])
  return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), (key, value) => (words.has(key) ? undefined : value), 1)
}

function firstDifference(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const at = old.findIndex((line, index) => line !== now[index])
  const from = Math.max(0, at - 3)
  return [
    ...old.slice(from, at + 6).map((line) => `  - ${line}`),
    ...now.slice(from, at + 6).map((line) => `  + ${line}`),
  ].join('\n')
}
