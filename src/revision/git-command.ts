import { spawn } from 'node:child_process'
import path from 'node:path'
import { GuardError } from '../errors'
import { cleanUp, cleanUpAtExit } from './cleanup'

/** Variables that would make git use another repository, as they are set inside a Git hook. */
const locating = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
]

/** A repository: its place, and the credentials for its remote. */
export interface Repository {
  readonly dir: string
  /** A token for fetching commits that a shallow clone lacks; without it, the remote's own credentials are used. */
  readonly token?: string | undefined
  /** The caller trusts the folder, so git need not check its owner. */
  readonly trusted?: boolean | undefined
  /** Ends the git processes. */
  readonly signal?: AbortSignal | undefined
}

export function environment(repository: Repository): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }
  for (const name of locating) delete env[name]
  // Settings are passed in the environment: arguments are visible to every process of the machine.
  const settings: [string, string][] = [
    ['core.fsmonitor', 'false'],
    ['core.quotePath', 'false'],
  ]
  if (repository.trusted) settings.push(['safe.directory', '*'])
  if (repository.token) {
    const basic = Buffer.from(`x-access-token:${repository.token}`).toString('base64')
    const server = env.GITHUB_SERVER_URL ?? 'https://github.com'
    settings.push([`http.${server}/.extraheader`, ''], [`http.${server}/.extraheader`, `AUTHORIZATION: basic ${basic}`])
  }
  const first = Number(env.GIT_CONFIG_COUNT ?? 0)
  env.GIT_CONFIG_COUNT = String(first + settings.length)
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${first + index}`] = key
    env[`GIT_CONFIG_VALUE_${first + index}`] = value
  }
  return env
}

interface Outcome {
  status: number
  stdout: Buffer
  stderr: string
}

export async function run(repository: Repository, args: readonly string[], input?: string): Promise<Outcome> {
  const child = spawn('git', ['-C', repository.dir, ...args], {
    env: environment(repository),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group: helpers of git that reach a remote end with it.
    detached: true,
  })
  const release = child.pid === undefined ? () => {} : cleanUpAtExit({ group: child.pid })
  const abort = () => {
    if (child.pid !== undefined) cleanUp({ group: child.pid })
    // A process that left the group may keep the pipes open forever.
    child.stdout.destroy()
    child.stderr.destroy()
  }
  repository.signal?.addEventListener('abort', abort)
  if (repository.signal?.aborted) abort()
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => {}) // git may end before it has read all; its status says why
  child.stdin.end(input ?? '')
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(
        new GuardError('source', `git could not be started: ${cause.message}. Install git.`, undefined, { cause }),
      ),
    )
    child.on('close', (code) => resolve(code ?? 1))
  }).finally(() => {
    release()
    repository.signal?.removeEventListener('abort', abort)
  })
  return { status, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8').trim() }
}

export async function git(repository: Repository, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(repository, args)
  if (status !== 0) throw gitError(repository, args, stderr)
  return stdout.toString('utf8').trimEnd()
}

export async function ask(repository: Repository, ...args: string[]): Promise<string | undefined> {
  const { status, stdout } = await run(repository, args)
  return status === 0 ? stdout.toString('utf8').trimEnd() : undefined
}

export function gitError(repository: Repository, args: readonly string[], stderr: string): GuardError {
  if (/dubious ownership|safe\.directory/.test(stderr)) {
    const dir = path.resolve(repository.dir)
    return new GuardError(
      'source',
      `git does not read ${dir}, because another user owns it (a container job, often). Run \`git config --global --add safe.directory ${dir}\` before this step.`,
    )
  }
  if (/cannot change to/.test(stderr)) return new GuardError('source', `The folder ${repository.dir} does not exist.`)
  if (/not a git repository/.test(stderr)) {
    return new GuardError(
      'source',
      `${path.resolve(repository.dir)} is not a Git repository. Run in a clone, set repo to the folder of one, or set base and head to two folders.`,
    )
  }
  return new GuardError(
    'source',
    `\`git ${args.slice(0, 2).join(' ')}\` failed: ${stderr.split('\n')[0] || 'no message'}`,
  )
}
