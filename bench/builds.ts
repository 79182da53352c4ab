// npm run bench:builds: a change of a base that 20 of 500 Kustomizations include. Cold, compared with kustomize alone, which
// builds those at both sides on all processors; warm, with the renderings of an earlier change, compared with those of
// the head. Fails when a figure exceeds its budget.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { apps, clusters, ingressOf, nameOf, overlaysOf, writeMonorepo } from './kustomizations'
import { checkOf, inRepository, measure } from './measure'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
const kubectl = bring('kubectl')
const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bench-'))

function report(name: string, figure: number, words: string): void {
  const budget = budgets[name] ?? 0
  console.log(`${words}: ${figure.toFixed(2)} (budget ${budget})`)
  if (figure > budget) process.exitCode = 1
}

/** Kustomize alone, for some folders on all processors. */
function built(folders: readonly string[]): number {
  const list = path.join(work, 'folders')
  writeFileSync(list, folders.map((folder) => `${folder}\n`).join(''))
  const all = `xargs -n 1 -P ${availableParallelism()} sh -c '${kubectl} kustomize "$0" >/dev/null' <${list}`
  return measure('sh', ['-c', all], 0).seconds
}

try {
  inRepository((repo, git) => {
    git('remote', 'add', 'origin', 'https://github.com/acme/platform')
    writeMonorepo(repo)
    git('add', '--all')
    git('commit', '--quiet', '-m', 'base')
    const commit = (paths: readonly string[], message: string) => {
      writeFileSync(path.join(repo, 'bases', nameOf(7), 'ingress.yaml'), ingressOf(7, paths))
      git('commit', '--quiet', '--all', '-m', message)
    }
    const check = [...checkOf(repo), '--offline', '--kustomize', kubectl]
    const [cache, kept] = [path.join(work, 'cache'), path.join(work, 'kept')]
    commit(['/', '/earlier'], 'earlier')
    execFileSync(process.execPath, [...check, '--cache', kept], { stdio: 'ignore' })
    git('reset', '--quiet', '--hard', 'HEAD~1')
    const before = path.join(work, 'base')
    git('worktree', 'add', '--quiet', '--detach', before)
    commit(['/', '/basket'], 'head')
    const reached = (root: string) => overlaysOf(7).map((folder) => path.join(root, folder))
    const cold = measure(process.execPath, check, 0)
    const both = built([...reached(before), ...reached(repo)])
    const said = `${apps * clusters} Kustomizations, a base of ${clusters} changed`
    const inWords = `${said}, cold: check ${cold.seconds.toFixed(2)} s, ${cold.megabytes.toFixed(0)} MiB`
    report('builds-cold', cold.seconds / both, `${inWords}; kustomize alone ${both.toFixed(2)} s; ratio`)
    const again = () => {
      rmSync(cache, { recursive: true, force: true })
      cpSync(kept, cache, { recursive: true })
    }
    const warm = measure(process.execPath, [...check, '--cache', cache], 0, again)
    const head = built(reached(repo))
    const over = `${said}, warm: check ${warm.seconds.toFixed(2)} s, ${warm.megabytes.toFixed(0)} MiB`
    report(
      'builds-warm',
      warm.seconds - head,
      `${over}; kustomize alone, at the head ${head.toFixed(2)} s; seconds over it`,
    )
  })
} finally {
  rmSync(work, { recursive: true, force: true })
}
