import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { run } from '../host/run'
import { findProgram } from '../render/tools/tool'
import { type Paint, terminalReport } from '../report/terminal'
import { PrivateFolder } from '../revision/private-folder'
import type { Io } from './io'

/**
 * Replays each incident as two commits of a new Git repository and prints the report on the second one.
 *
 * @returns 0 when every outage is stopped, 1 when one is not
 */
export async function demo(io: Io, paint: Paint): Promise<number> {
  const folder = path.join(io.root, 'incidents')
  const helm = findProgram(['helm'])
  let stopped = 0
  const incidents = readdirSync(folder).sort()
  for (const incident of incidents) {
    const title =
      readFileSync(path.join(io.root, 'docs', 'incidents', `${incident}.md`), 'utf8').match(/^# (.*)$/m)?.[1] ??
      incident
    const own = new PrivateFolder('ingress-guard-demo-')
    const repo = own.path
    try {
      const raw = path.join(folder, incident, 'raw')
      const asRendered = !helm && existsSync(raw)
      const sides = asRendered ? raw : path.join(folder, incident)
      commit(repo, path.join(sides, 'base'), 'before')
      commit(repo, path.join(sides, 'head'), 'the change')
      const report = await run(
        { repo, base: 'HEAD~1', head: 'HEAD', policies: [], all: false, helm },
        { root: io.root },
      )
      const note = asRendered ? 'No helm was found, so the demo uses the rendered chart.\n\n' : ''
      io.stdout.write(`${paint('bold', `=== ${title}`)}\n\n${note}${terminalReport(report, paint)}\n`)
      if (report.verdict === 'fail') stopped++
    } finally {
      own.remove()
    }
  }
  io.stdout.write(`${paint('bold', `${stopped} of ${incidents.length} outages stopped before the merge.`)}\n`)
  return stopped === incidents.length ? 0 : 1
}

/** Commits a folder's content as a repository's whole tree. */
function commit(repo: string, content: string, message: string): void {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: path.join(repo, 'no-such-file'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: path.join(repo, '.git'),
    GIT_WORK_TREE: repo,
    GIT_AUTHOR_NAME: 'demo',
    GIT_AUTHOR_EMAIL: 'demo@example.com',
    GIT_COMMITTER_NAME: 'demo',
    GIT_COMMITTER_EMAIL: 'demo@example.com',
    // Fixed dates make fixed commit ids, so that output quoted in the docs stays true.
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repo, env, stdio: 'pipe' })
  git('init', '--quiet')
  for (const entry of readdirSync(repo)) if (entry !== '.git') rmSync(path.join(repo, entry), { recursive: true })
  cpSync(content, repo, { recursive: true })
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', message)
}
