import { isUtf8 } from 'node:buffer'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { cleanUpAtExit } from '../../revision/cleanup'

/** The limits of a rendering: time, output, memory of the tool, and size of the result. */
export interface Limits {
  readonly seconds: number
  readonly outputMiB: number
  readonly memoryMiB: number
  readonly objects: number
  /** How many tools run at once; as many as there are processors by default. */
  readonly atOnce?: number
  /** Ends a rendering before its time. */
  readonly signal?: AbortSignal
  /** The command prefix that runs a tool without network; empty where the machine does not allow that. */
  readonly isolation?: readonly string[]
}

export const defaultLimits: Limits = { seconds: 60, outputMiB: 64, memoryMiB: 4096, objects: 20_000 }

/** The output of a tool, or why there is none. */
export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** The tool was ended: it ran for too long, printed too much or took too much memory. */
  readonly stopped?: string
  /** Set if it never ran: it is no program that this machine can execute. */
  readonly broken?: string
}

/** A user namespace, in which an unprivileged user may create a network: here an empty one. */
const withoutNetwork = ['unshare', '--user', '--map-root-user', '--net', '--']

/** The command prefixes that remove the network; many machines do not allow them to unprivileged users. */
export async function isolationHere(cwd: string, words = withoutNetwork): Promise<readonly string[]> {
  const limits = { ...defaultLimits, seconds: 10, outputMiB: 1, isolation: words }
  const { status, stdout } = await runTool('/bin/echo', ['isolated'], { cwd, home: cwd, limits })
  return status === 0 && stdout === 'isolated\n' ? words : []
}

/** The path of a program: the given one, else the first in the PATH. */
export function findProgram(names: readonly string[]): string | undefined {
  for (const name of names) {
    const candidates = name.includes(path.sep)
      ? [path.resolve(name)]
      : (process.env.PATH ?? '')
          .split(path.delimiter)
          .filter(Boolean)
          .map((folder) => path.join(folder, name))
    const found = candidates.find(isProgram)
    if (found) return found
  }
  return undefined
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The reason why the named program cannot be used. */
export function faultOf(program: string): string {
  if (!program.includes(path.sep)) return 'is not in the PATH'
  try {
    return statSync(program).isDirectory() ? 'is a folder' : 'is not executable'
  } catch {
    return 'does not exist'
  }
}

/**
 * Runs a rendering tool on files that a pull request wrote: without the job's environment, with proxies that lead
 * nowhere, a separate home folder, and limits.
 *
 * @param home a private folder for the tool's files
 */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, home, limits, path: extraPath }: { cwd: string; home: string; limits: Limits; path?: string },
): Promise<Outcome> {
  if (args.some((word) => word.includes('\0')))
    return { status: 1, stdout: '', stderr: 'its arguments contain a NUL character' }
  // A shell sets the limits; the command is passed as its arguments, never as its text. The limit on processor time is
  // for a tool that outlives this process, which would otherwise end it.
  const script = [
    'ulimit -c 0 2>/dev/null',
    `ulimit -t ${Math.ceil(limits.seconds * (availableParallelism() + 1))} 2>/dev/null`,
    `ulimit -v ${limits.memoryMiB * 1024} 2>/dev/null`,
    'exec "$@"',
  ].join('; ')
  let child: ChildProcessByStdio<null, Readable, Readable>
  try {
    const words = [...(limits.isolation ?? []), '/bin/sh', '-c', script, 'sh', program, ...args]
    child = spawn(words[0] ?? '/bin/sh', words.slice(1), {
      cwd,
      env: environment(home, limits, extraPath),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'E2BIG') throw cause
    return { status: 1, stdout: '', stderr: 'its arguments are too long for a command line' }
  }
  const out: Buffer[] = []
  const err: Buffer[] = []
  let size = 0
  let stopped: string | undefined
  const endGroup = () => {
    // A tool that could not be started has no group: 0 would be that of this process.
    if (child.pid === undefined) return
    try {
      // The group: a tool's own children end with it.
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }
  const stop = (reason: string) => {
    stopped ??= reason
    endGroup()
    // A child that left the group may keep the pipes open forever.
    child.stdout.destroy()
    child.stderr.destroy()
  }
  const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length
    if (size > limits.outputMiB * 1024 * 1024) stop(`it printed more than ${limits.outputMiB} MiB`)
    else chunks.push(chunk)
  }
  const release = child.pid === undefined ? () => {} : cleanUpAtExit({ group: child.pid })
  child.stdout.on('data', keep(out))
  child.stderr.on('data', keep(err))
  const abort = () => stop('the time limit of the run was reached')
  limits.signal?.addEventListener('abort', abort)
  if (limits.signal?.aborted) abort()
  const timer = setTimeout(() => stop(`it did not finish within ${limits.seconds} seconds`), limits.seconds * 1000)
  const status = await new Promise<number>((resolve) => {
    child.on('error', (cause) => {
      err.push(Buffer.from(cause.message))
      resolve(127)
    })
    child.on('exit', endGroup)
    child.on('close', (code, signal) => {
      if (signal) stopped ??= `the system sent it ${signal}`
      resolve(code ?? 1)
    })
  })
  clearTimeout(timer)
  limits.signal?.removeEventListener('abort', abort)
  release()
  const stdout = Buffer.concat(out)
  const stderr = Buffer.concat(err).toString('utf8')
  // The message of Go's runtime when it gets no more memory.
  if (status !== 0 && /^(?:fatal error: )?runtime: (?:out of memory|cannot allocate memory)/m.test(stderr))
    stopped ??= `it used more than ${limits.memoryMiB} MiB of memory`
  if (!isUtf8(stdout)) stopped ??= 'its output is not UTF-8'
  const broken = (status === 126 || status === 127) && size < 10_000 ? stderr.replace(/^sh: \d+: (?:exec: )?/, '') : ''
  return {
    status,
    stdout: stdout.toString('utf8'),
    stderr,
    ...(stopped ? { stopped } : {}),
    ...(broken ? { broken: broken.trim() } : {}),
  }
}

function environment(home: string, limits: Limits, extraPath: string | undefined): NodeJS.ProcessEnv {
  const nowhere = 'http://127.0.0.1:9'
  return {
    PATH: extraPath ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    XDG_CACHE_HOME: path.join(home, 'cache'),
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_DATA_HOME: path.join(home, 'data'),
    HELM_CACHE_HOME: path.join(home, 'cache'),
    HELM_CONFIG_HOME: path.join(home, 'config'),
    HELM_DATA_HOME: path.join(home, 'data'),
    HELM_PLUGINS: path.join(home, 'no-plugins'),
    HELM_NO_PLUGINS: '1',
    KUBECONFIG: path.join(home, 'no-cluster'),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    // No protocol is allowed: the repository is laid out, and no tool has to fetch anything, not even from this disk.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // A soft limit below the hard one: the tool frees memory before it is refused more.
    GOMEMLIMIT: `${Math.round(limits.memoryMiB * 0.75)}MiB`,
    // A rendering ends soon: with its default, Go would collect garbage many times until then, which takes a third of
    // the processor time.
    GOGC: '1000',
    LC_ALL: 'C',
  }
}
