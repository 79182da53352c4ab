// npm run bench:ledger: what the account of changed files adds to gathering the evidence, as a ratio of processor time
// in one process, on generated repositories: one changed file of 10,000 manifests, a fifth of 10,000, and one of 20
// releases. Both are run in turns, so that what else the machine does weighs on both. Fails when a ratio is over its
// budget.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bring } from '../scripts/pinned-tools'
import { readConfigs } from '../src/configuration/config'
import { bundledPolicies } from '../src/host/bundled'
import { openRevisions } from '../src/host/open'
import { gather } from '../src/pipeline/gather'
import type { Config } from '../src/policy/config'
import { defaultUses, resolvePolicies } from '../src/policy/policy'
import { Renderer } from '../src/render/renderer'
import { rules } from '../src/rules/index'
import { ingress, writeCorpus } from './corpus'
import { releaseValues, writeReleases } from './releases'

const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8')) as Record<string, number>
const turns = 15
const bundled = bundledPolicies(process.cwd())
const resolutionOf = (config: Config) => resolvePolicies(config.uses ?? defaultUses(bundled), bundled, rules)

/** The processor time of gathering the evidence of the last commit of a repository, in seconds. */
async function gathering(repo: string, helm: string, isTrial: boolean): Promise<number> {
  const { base, head, repository } = await openRevisions({ repo, base: 'HEAD~1', head: 'HEAD', all: false })
  const configs = await readConfigs(base, head, undefined, resolutionOf)
  const renderer = new Renderer({ helm })
  const start = process.cpuUsage()
  try {
    const { inspected } = await gather({
      base,
      head,
      rules: resolutionOf(configs.inForce).rules,
      ignore: configs.inForce.ignore,
      clusters: { base: configs.inForce.clusters, head: configs.head.clusters },
      releases: { base: configs.inForce.releases, head: configs.head.releases },
      repository,
      renderer,
      ...(isTrial ? { isTrial } : {}),
    })
    if (isTrial === (inspected.files !== undefined)) throw new Error('The account was not switched.')
  } finally {
    renderer.close()
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

async function compare(name: string, write: (repo: string) => void, edit: (repo: string) => void): Promise<boolean> {
  const repo = mkdtempSync(path.join(tmpdir(), 'ingress-guard-bench-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args])
  try {
    git('init', '--quiet')
    write(repo)
    git('add', '--all')
    git('commit', '--quiet', '-m', 'base')
    edit(repo)
    git('commit', '--quiet', '--all', '-m', 'head')
    const helm = bring('helm')
    const times: { readonly with: number; readonly without: number }[] = []
    for (let turn = 0; turn <= turns; turn++) {
      const without = await gathering(repo, helm, true)
      times.push({ with: await gathering(repo, helm, false), without })
    }
    const ratios = times.slice(1).map((one) => one.with / one.without)
    const ratio = ratios.sort((a, b) => a - b)[turns >> 1] ?? 0
    const budget = budgets[`ledger-${name}`] ?? 0
    console.log(`${name}: with the account ${ratio.toFixed(3)} times the time without (budget ${budget})`)
    return ratio <= budget
  } finally {
    rmSync(repo, { recursive: true, force: true })
  }
}

const team = (index: number) => {
  const name = `team-${String(index).padStart(5, '0')}`
  return { name, file: `teams/group-${index % 50}/${name}/ingress.yaml` }
}

function editTeams(repo: string, every: number): void {
  for (let index = 7; index < 10_000 / 5; index += every) {
    const { name, file } = team(index)
    writeFileSync(path.join(repo, file), ingress(name, [`${name}.example.com`, 'new.example.com']))
  }
}

const passed = [
  await compare(
    'one-of-10000',
    (repo) => writeCorpus(repo, 10_000),
    (repo) => editTeams(repo, 10_000),
  ),
  await compare(
    'many-of-10000',
    (repo) => writeCorpus(repo, 10_000),
    (repo) => editTeams(repo, 5),
  ),
  await compare(
    'one-of-20-releases',
    (repo) => writeReleases(repo, 20),
    (repo) => writeFileSync(path.join(repo, 'releases/shop-07.yaml'), releaseValues('shop-07', 'other.example.com')),
  ),
]
if (passed.includes(false)) process.exitCode = 1
