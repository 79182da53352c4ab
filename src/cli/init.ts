import { lstatSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'
import { repositoryIn } from '../host/package'
import type { Platform } from '../ledger/platform'
import { configPath } from '../policy/names'
import { coverageReport } from '../report/coverage'
import { platformLines } from '../report/platform'
import type { Paint } from '../report/terminal'
import { visible } from '../report/words/visible'
import { defaultBranch, openRepository } from '../revision/git'
import { type CoverageFlags, coverageOf } from './coverage'
import { initFiles, workflowPath } from './init-files'
import type { Io } from './io'
import { outcomeOf, writeNewFiles } from './new-files'

/** The options of `init`. */
export interface InitFlags extends Omit<CoverageFlags, 'format' | 'head' | 'config'> {
  readonly dryRun: boolean
  readonly force: boolean
}

/**
 * Looks at a repository, shows which parts of it would be seen, and writes the workflow and a config. Every text that
 * it writes is shown. With `dryRun` nothing is written: the files go to the standard output, all else to the other one.
 */
export async function init({ dryRun, force, ...flags }: InitFlags, io: Io, paint: Paint): Promise<void> {
  const top = await topOf(flags.repo)
  const { inspected, coverage } = await coverageOf({ ...flags, repo: top }, io)
  const say = (text: string) => (dryRun ? io.stderr : io.stdout).write(text)
  const tools = inspected.tools.map(({ name, version }) => `${name} ${version}`).join(' and ')
  const found = [
    `repository: ${visible(top)}`,
    `default branch: ${visible(await branchOf(top))}`,
    ...platformLines(coverage.platform),
    ...(tools === '' ? [] : [`rendered with: ${visible(tools)}`]),
  ]
  say(`${found.map((line) => `${line}\n`).join('')}\n${coverageReport(coverage, inspected.head.revision, paint)}\n`)
  const files = initFiles(coverage, repositoryIn(io.root))
  if (dryRun) {
    for (const file of files.keys()) outcomeOf(top, file, force)
    io.stdout.write([...files].map(([file, text]) => `# ${file}\n${text}`).join('---\n'))
    return
  }
  const outcomes = writeNewFiles(top, files, force)
  for (const [file, outcome] of outcomes) {
    const text = (files.get(file) ?? '').replace(/^(?=.)/gm, '    ')
    if (outcome === 'kept') say(`${paint('yellow', 'Kept')} ${file}, which exists; --force replaces it.\n\n`)
    else say(`${paint('bold', outcome === 'replaced' ? 'Replaced' : 'Wrote')} ${file}:\n\n${text}\n`)
  }
  const onGitLab = lstatSync(path.join(top, '.gitlab-ci.yml'), { throwIfNoEntry: false }) !== undefined
  say(nextSteps(coverage.platform, onGitLab))
}

/** The top of the working tree that holds a folder. */
async function topOf(dir: string): Promise<string> {
  const { dir: top, bare } = await openRepository({ dir })
  const [inside, whole] = [realpathSync(dir), realpathSync(top)]
  const way = path.relative(whole, inside)
  // The settings of a repository may call any other folder its working tree.
  const isElsewhere = way.split(path.sep)[0] === '..' || path.isAbsolute(way)
  if (!bare && !isElsewhere && lstatSync(path.join(whole, '.git'), { throwIfNoEntry: false })) return whole
  throw new GuardError(
    'usage',
    `${JSON.stringify(dir)} is not in the working tree of a Git repository of its own. Name a checkout with --repo.`,
  )
}

async function branchOf(dir: string): Promise<string> {
  try {
    return await defaultBranch({ dir })
  } catch {
    return 'unknown; name it with --base when you run check'
  }
}

function nextSteps({ clusters }: Platform, onGitLab: boolean): string {
  const unknown = clusters.some(({ kubernetes }) => kubernetes === undefined)
  return [
    'Next:',
    '  Run the command check --all in place of init: it shows what the gate finds today.',
    ...(unknown
      ? [`  In ${configPath}, write the Kubernetes version of each cluster: rules on versions need it.`]
      : []),
    `  Commit ${workflowPath} and ${configPath}, open a pull request, and after its merge make the job`,
    '  ingress-guard a required status check.',
    ...(onGitLab ? ['  For GitLab, docs/ci-systems.md of ingress-guard has the job to include instead.'] : []),
    '',
  ].join('\n')
}
