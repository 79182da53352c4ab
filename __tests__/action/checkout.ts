import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runAction } from '../../src/action/action'
import { run } from '../../src/host/run'
import { ToolProbes } from '../../src/render/tools/tool-probes'
import { readFolder, root } from '../harness'
import { configMap } from '../source/objects'
import { type Files, gitIn, TestRepository, temporaryFolder } from '../source/repository'
import '../tools'

/** A GitHub event: what GITHUB_EVENT_NAME, GITHUB_SHA and the file at GITHUB_EVENT_PATH say. */
export interface Event {
  readonly name: string
  readonly sha: string
  readonly payload: object
}

/** The checkout of a workflow, and its place. */
export interface Checkout {
  readonly workspace: string
  readonly dir: string
}

const pullRef = 'refs/remotes/pull/1/merge'

/** A repository on a server that gives any commit by its id, as GitHub does, with one pull request. */
export class Remote {
  /** The commit that the feature branch left main at. */
  readonly fork: string
  /** The tip of main, by now one commit further. */
  readonly base: string
  /** The tip of the feature branch. */
  readonly head: string
  /** The test merge of the two, at refs/pull/1/merge. */
  readonly merge: string
  /** The bare repository that is served. */
  readonly dir: string

  /** @param base the files of main; @param change the changes of the feature branch */
  constructor(base: Files, change: Files) {
    const work = new TestRepository()
    this.fork = work.commit({ 'README.md': '# shop\n', ...base })
    work.git('checkout', '--quiet', '-b', 'feature')
    this.head = work.commit(change)
    work.git('checkout', '--quiet', 'main')
    this.base = work.commit({ 'later.yaml': configMap('later') })
    work.git('checkout', '--quiet', '--detach')
    work.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature')
    this.merge = work.git('rev-parse', 'HEAD')
    this.dir = work.clone('--bare')
    gitIn(this.dir, 'config', 'uploadpack.allowReachableSHA1InWant', 'true')
    gitIn(this.dir, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    work.git('push', '--quiet', this.dir, `${this.merge}:refs/pull/1/merge`)
  }

  /** Checks a commit out as actions/checkout does: `depth` 0 fetches everything, `folder` is its input `path`. */
  checkout({ sha = this.merge, ref = pullRef, depth = 1, folder = '.' } = {}): Checkout {
    const workspace = temporaryFolder()
    const dir = path.join(workspace, folder)
    mkdirSync(dir, { recursive: true })
    const branches = ['+refs/heads/*:refs/remotes/origin/*', ...(ref === pullRef ? [`+${sha}:${ref}`] : [])]
    const what = depth > 0 ? [`--depth=${depth}`, 'origin', `+${sha}:${ref}`] : ['origin', ...branches]
    gitIn(dir, 'init', '--quiet')
    gitIn(dir, 'remote', 'add', 'origin', `file://${this.dir}`)
    gitIn(dir, 'fetch', '--quiet', '--no-tags', '--prune', '--no-recurse-submodules', ...what)
    gitIn(dir, 'checkout', '--quiet', '--force', ref)
    return { workspace, dir }
  }

  /** @param fork where the head is, when it is not a branch */
  pullRequest({ fork }: { readonly fork?: string } = {}): Event {
    const repo = { id: 1, name: 'shop', full_name: 'acme/shop', default_branch: 'main', private: true }
    const side = (ref: string, sha: string) => ({ label: `acme:${ref}`, ref, sha, user: { login: 'acme' }, repo })
    const pull_request = {
      number: 1,
      state: 'open',
      draft: false,
      merge_commit_sha: this.merge,
      base: side('main', this.base),
      head: { ...side('feature', this.head), repo: fork ? { ...repo, id: 2, full_name: fork, fork: true } : repo },
    }
    const payload = { action: 'synchronize', number: 1, before: this.fork, after: this.head, pull_request }
    return {
      name: 'pull_request',
      sha: this.merge,
      payload: { ...payload, repository: repo, sender: { login: 'dev' } },
    }
  }
}

/** The remote of an incident: its folders `base` and `head`. */
export function remoteOf(incident: string): Remote {
  const side = (name: string) => readFolder(path.join(root, 'incidents', incident, name))
  const [base, head] = [side('base'), side('head')]
  return new Remote(base, { ...Object.fromEntries(Object.keys(base).map((file) => [file, null])), ...head })
}

/** The result of the Action. */
export interface Outcome {
  readonly status: number | null
  readonly log: string
  /** The lines of the log that a runner takes for commands. */
  readonly commands: readonly string[]
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
}

/** A step of a workflow that runs the Action. */
export interface Step {
  readonly event: Event
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly node?: string
}

const probes = new ToolProbes()

/**
 * Runs the built Action as a runner does: its own process, with little in the environment besides the inputs of the
 * step.
 */
export function act(checkout: Checkout, step: Step): Outcome {
  const { program, options, outcomeOf } = prepared(checkout, step)
  const { status, stdout, stderr } = spawnSync(step.node ?? process.execPath, program, { ...options, encoding: 'utf8' })
  return outcomeOf(status, stdout + stderr)
}

/** The Action in this process, which takes a tenth of the time of its own process. */
export async function actHere(checkout: Checkout, step: Step): Promise<Outcome> {
  const { options, outcomeOf } = prepared(checkout, step)
  const before = { cwd: process.cwd(), env: process.env, stdout: process.stdout.write, stderr: process.stderr.write }
  let log = ''
  const write = (text: string | Uint8Array) => {
    log += text
    return true
  }
  process.chdir(options.cwd)
  process.env = options.env
  process.stdout.write = write
  process.stderr.write = write
  try {
    await runAction((given, host) => run(given, { ...host, probes }), root)
    return outcomeOf(Number(process.exitCode ?? 0), log)
  } finally {
    process.exitCode = undefined
    process.stdout.write = before.stdout
    process.stderr.write = before.stderr
    process.env = before.env
    process.chdir(before.cwd)
  }
}

/** The built Action in its own process, while this process answers its requests. */
export async function actMeanwhile(checkout: Checkout, step: Step): Promise<Outcome> {
  const { program, options, outcomeOf } = prepared(checkout, step)
  const child = spawn(step.node ?? process.execPath, program, options)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text))
  const [status] = await once(child, 'close')
  return outcomeOf(status, log)
}

function prepared({ workspace, dir }: Checkout, { event, inputs = {}, env = {} }: Step) {
  const temp = temporaryFolder()
  const file = (name: string, text = '') => {
    writeFileSync(path.join(temp, name), text)
    return path.join(temp, name)
  }
  mkdirSync(path.join(temp, 'home'))
  const files = { summary: file('summary'), outputs: file('outputs') }
  const defaults = { today: '2026-11-21', offline: 'true', token: 'ghs_token', annotations: 'commands' }
  const given = Object.entries({ ...defaults, ...inputs }).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ])
  const options = {
    cwd: dir,
    timeout: 600_000,
    env: {
      PATH: process.env.PATH,
      HOME: path.join(temp, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_EVENT_NAME: event.name,
      GITHUB_SHA: event.sha,
      GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event.payload)),
      GITHUB_WORKSPACE: workspace,
      GITHUB_STEP_SUMMARY: files.summary,
      GITHUB_OUTPUT: files.outputs,
      RUNNER_TEMP: temp,
      ...Object.fromEntries(given),
      ...env,
    },
  }
  const outcomeOf = (status: number | null, log: string): Outcome => {
    const outputs = readFileSync(files.outputs, 'utf8').matchAll(/^(.+?)<<(ghadelimiter_.+)\n([\s\S]*?)\n\2$/gm)
    return {
      status,
      log,
      commands: commandsIn(log).filter((command) => !ofTimings.test(command)),
      summary: readFileSync(files.summary, 'utf8'),
      outputs: Object.fromEntries([...outputs].map(([, name, , value]) => [name, value])),
    }
  }
  return { program: [path.join(root, 'dist', 'action.cjs')], options, outcomeOf }
}

/** The group with timings, which every finished run has. */
const ofTimings = /^::(?:group::The run took \d+\.\d\d s\.|endgroup::)$/

const registered =
  'add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning'

/**
 * The lines that a runner obeys. It takes `::command::` after any leading space, and the older `##[command]` anywhere.
 * Source: actions/runner, src/Runner.Common/ActionCommand.cs and src/Runner.Worker/ActionCommandManager.cs
 */
function commandsIn(log: string): string[] {
  let resume: string | undefined
  const obeyed: string[] = []
  for (const line of log.split(/\r\n|\r|\n/)) {
    const names = `${registered}${resume ? `|${resume}` : ''}`
    const match =
      line.match(new RegExp(`^\\s*::(${names})(?: .*?)?::(.*)$`, 'i')) ??
      line.match(new RegExp(`##\\[(${names})(?: [^\\]]*)?\\](.*)$`, 'i'))
    if (!match) continue
    if (resume) resume = match[1] === resume ? undefined : resume
    else if (match[1] === 'stop-commands') resume = match[2]
    else obeyed.push(line)
  }
  return obeyed
}
