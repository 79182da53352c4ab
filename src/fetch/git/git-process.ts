import { spawn } from 'node:child_process'
import { cleanUp, cleanUpAtExit } from '../../revision/cleanup'
import { codeOf } from '../connection/failure'
import type { Place } from '../connection/place'

/** The access of git to one place: its protocol and the addresses that were checked. */
export interface GitAccess {
  readonly place: Place
  /** The place's URL, or one of the same host that it redirects to. */
  readonly url: string
  /** The addresses of its host, if it is a name. */
  readonly addresses: readonly string[]
  /** The proxy of this machine for it, which looks the name up itself. */
  readonly proxy?: URL | undefined
}

/** The outcome of one git process. */
export interface GitOutcome {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
  /** Its output exceeded the limit, and it was ended. */
  readonly tooLarge: boolean
}

/** The surroundings of one git process, and its limits. */
export interface GitRun {
  /** The private bare repository. */
  readonly folder: string
  readonly signal: AbortSignal
  /** The limit on its output, and on each file that it writes, in bytes. */
  readonly most: number
  readonly input?: string
}

/** Variables that would make git use another repository, program or host. */
const dropped = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_TEMPLATE_DIR',
  'GIT_EXTERNAL_DIFF',
  'GIT_PROXY_COMMAND',
  'GIT_TRACE',
  'GIT_TRACE_CURL',
  'GIT_CURL_VERBOSE',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'ALL_PROXY',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
])

/**
 * Settings that no config of the machine may change. The rest of that config holds, as a former step may have put
 * credentials there.
 */
const settings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['core.attributesFile', '/dev/null'],
  ['credential.interactive', 'false'],
  // A host that a place redirects to is not the place, and must not get its credentials.
  ['http.followRedirects', 'false'],
  ['transfer.bundleURI', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.version', '2'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
]

export async function runGit(
  args: readonly string[],
  { folder, signal, most, input = '' }: GitRun,
  access?: GitAccess,
): Promise<GitOutcome> {
  // A limit of the shell on each file: a pack is written before anyone knows its size. Its unit is 512 bytes.
  const script = `ulimit -f ${Math.ceil(most / 512)}; exec git "$@"`
  const child = spawn('/bin/sh', ['-c', script, 'sh', `--git-dir=${folder}`, ...args], {
    cwd: folder,
    env: environment(access),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group: helpers of git that reach a remote end with it, and none has a terminal to ask on.
    detached: true,
  })
  const release = child.pid === undefined ? () => {} : cleanUpAtExit({ group: child.pid })
  const stop = () => {
    if (child.pid !== undefined) cleanUp({ group: child.pid })
    child.stdout.destroy()
    child.stderr.destroy()
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const out: Buffer[] = []
  const err: Buffer[] = []
  let size = 0
  const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length
    if (size > most) stop()
    else chunks.push(chunk)
  }
  child.stdout.on('data', keep(out))
  child.stderr.on('data', keep(err))
  child.stdin.on('error', () => {}) // git may end before it has read all; its status says why
  child.stdin.end(input)
  try {
    const status = await new Promise<number>((resolve) => {
      child.on('error', (error) => {
        err.push(Buffer.from(`git could not be started (${codeOf(error)})`))
        resolve(127)
      })
      child.on('close', (code) => resolve(code ?? 1))
    })
    signal.throwIfAborted()
    const stderr = Buffer.concat(err).toString('utf8')
    const tooLarge = size > most || /signal 25|File size limit|File too large/i.test(stderr)
    return { status, stdout: Buffer.concat(out), stderr, tooLarge }
  } finally {
    release()
    signal.removeEventListener('abort', stop)
  }
}

function environment(access: GitAccess | undefined): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !dropped.has(name.toUpperCase()))
  const own: (readonly [string, string])[] = [...settings, ['http.proxy', access?.proxy?.href ?? '']]
  if (access) own.push(['remote.origin.url', access.url], ...pinned(access))
  // Settings are passed in the environment, after those of the job; the last one of a name counts.
  const first = Number(process.env.GIT_CONFIG_COUNT ?? 0)
  const added = own.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ])
  return {
    ...Object.fromEntries([...inherited, ...added]),
    GIT_CONFIG_COUNT: String(first + own.length),
    GIT_ALLOW_PROTOCOL: access ? (access.place.scheme === 'oci' ? 'none' : access.place.scheme) : 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
    SSH_ASKPASS_REQUIRE: 'never',
    LC_ALL: 'C',
  }
}

/** Makes git connect to the addresses that were checked, even if the name has others by then. */
function pinned({ place, url, addresses }: GitAccess): [string, string][] {
  if (place.scheme === 'ssh' || addresses.length === 0) return []
  const { hostname, port, protocol } = new URL(url)
  const number = port || (protocol === 'http:' ? '80' : '443')
  return [['http.curloptResolve', `${hostname}:${number}:${addresses.join(',')}`]]
}
