import type { Io } from '../../src/cli/io'
import { program } from '../../src/cli/program'
import type { ReportJson } from '../../src/report/json'
import { root } from '../harness'
import { gitSettings, withEnvironment } from '../source/repository'
import '../tools'

export interface Run {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Where these tests run is no matter of theirs. */
const atTerminal = { CI: undefined, GITHUB_ACTIONS: undefined, GITLAB_CI: undefined }

/** Runs the command line in this process, with buffers for its output. Nothing is fetched. */
export function guard(argv: readonly string[], isTTY = false, limits?: Io['limits']): Promise<Run> {
  return guardOnline(argv[0] === 'check' ? ['check', '--offline', ...argv.slice(1)] : argv, isTTY, limits)
}

/** The same with the network, for tests that start servers of their own. */
export async function guardOnline(argv: readonly string[], isTTY = false, limits?: Io['limits']): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const io = {
    stdout: {
      isTTY,
      write: (text: string) => {
        stdout += text
      },
    },
    stderr: {
      write: (text: string) => {
        stderr += text
      },
    },
    root,
    now: new Date('2026-11-21T12:00:00Z'),
    ...(limits ? { limits } : {}),
  }
  const status = await withEnvironment({ ...gitSettings, ...atTerminal }, () => program(argv, io))
  return { status, stdout, stderr }
}

/** Runs `check` for its JSON report. */
export async function checkJson(...argv: readonly string[]): Promise<ReportJson & { readonly status: number }> {
  return checkWithin(undefined, ...argv)
}

/** Runs `check` for its JSON report, with limits of its own on what a rendering may take. */
export async function checkWithin(
  limits: Io['limits'],
  ...argv: readonly string[]
): Promise<ReportJson & { readonly status: number }> {
  return reportOf(await guard([...jsonOf, ...argv], false, limits))
}

/** Runs `check` for its JSON report, with the network. */
export async function checkOnline(...argv: readonly string[]): Promise<ReportJson & { readonly status: number }> {
  return reportOf(await guardOnline([...jsonOf, ...argv]))
}

const jsonOf = ['check', '--format', 'json', '--today', '2026-11-21']

function reportOf({ status, stdout, stderr }: Run): ReportJson & { readonly status: number } {
  if (stdout === '') throw new Error(`no report; exit status ${status}: ${stderr}`)
  return { ...(JSON.parse(stdout) as ReportJson), status }
}

/** `introduced error head/web.yaml:12 ingress-tls/host-covered`, a line for each finding. */
export function lines({ findings }: ReportJson): string[] {
  return findings.map(
    ({ status, level, location, rule }) =>
      `${status} ${level} ${location.side}/${location.path}:${location.region.startLine} ${rule}`,
  )
}
