import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** How long a rendering may take, how much it may print, and how much memory its tool may have. */
export interface Limits {
  readonly seconds: number
  readonly outputMiB: number
  readonly memoryMiB: number
}

export const defaultLimits: Limits = { seconds: 60, outputMiB: 64, memoryMiB: 4096 }

/** What a tool printed, or why there is nothing to look at. */
export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** The tool was ended: it ran for too long or printed too much. */
  readonly stopped?: string
}

/** Where a program is: the path that is given, else the first of the PATH. */
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

/**
 * Runs a rendering tool on files that a pull request wrote: with none of the job's environment, proxies that lead
 * nowhere, a home of its own, and limits.
 *
 * @param home a private folder for what the tool keeps
 */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, home, limits, path: extraPath }: { cwd: string; home: string; limits: Limits; path?: string },
): Promise<Outcome> {
  // The limit on memory is a shell's to set. The words to run are its arguments, never its text.
  const script = `ulimit -v ${limits.memoryMiB * 1024} 2>/dev/null; exec "$@"`
  const child = spawn('/bin/sh', ['-c', script, 'sh', program, ...args], {
    cwd,
    env: environment(home, limits, extraPath),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  let size = 0
  let stopped: string | undefined
  const stop = (reason: string) => {
    stopped ??= reason
    try {
      // The group: a tool's own children end with it.
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }
  const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length
    if (size > limits.outputMiB * 1024 * 1024) stop(`it printed more than ${limits.outputMiB} MiB`)
    else chunks.push(chunk)
  }
  child.stdout.on('data', keep(out))
  child.stderr.on('data', keep(err))
  const timer = setTimeout(() => stop(`it was not done after ${limits.seconds} seconds`), limits.seconds * 1000)
  const status = await new Promise<number>((resolve) => {
    child.on('error', (cause) => {
      err.push(Buffer.from(cause.message))
      resolve(127)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
  clearTimeout(timer)
  return {
    status,
    stdout: Buffer.concat(out).toString('utf8'),
    stderr: Buffer.concat(err).toString('utf8'),
    ...(stopped ? { stopped } : {}),
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
    KUBECONFIG: path.join(home, 'no-cluster'),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    GIT_ALLOW_PROTOCOL: 'file',
    GIT_TERMINAL_PROMPT: '0',
    // A soft limit below the hard one: the tool frees what it can before it is refused more.
    GOMEMLIMIT: `${Math.round(limits.memoryMiB * 0.75)}MiB`,
    LC_ALL: 'C',
  }
}
