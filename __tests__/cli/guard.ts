import { program } from '../../src/cli/program'
import type { Opened } from '../../src/host/open'
import type { Options } from '../../src/host/options'
import { type Host, run } from '../../src/host/run'
import type { Clock } from '../../src/locate/locating-time'
import type { Limits } from '../../src/render/tools/tool'
import { ToolProbes } from '../../src/render/tools/tool-probes'
import type { ReportJson } from '../../src/report/report-schema'
import { root } from '../harness'
import { gitSettings, withEnvironment } from '../source/repository'
import '../tools'

export interface Run {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** The tools stay the same while the tests run. */
const probes = new ToolProbes()
/** Lines are searched for however long it takes. */
const clock: Clock = { now: () => 0, wait: () => new Promise(() => {}) }
/** These tests do not depend on the environment that runs them. */
const atTerminal = { CI: undefined, GITHUB_ACTIONS: undefined, GITLAB_CI: undefined }

/** Runs the command line in this process, with buffers for its output. Nothing is fetched. */
export function guard(argv: readonly string[], isTTY = false, limits?: Limits): Promise<Run> {
  const offline = argv[0] === 'check' ? ['check', '--offline', ...argv.slice(1)] : argv
  return guardOnline(offline, isTTY, { probes, ...(limits ? { limits } : {}) })
}

/** The same with the network, for tests that start servers of their own. */
export async function guardOnline(
  argv: readonly string[],
  isTTY = false,
  host: Pick<Host, 'limits' | 'probes' | 'open' | 'clock'> = { probes },
): Promise<Run> {
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
    run: (options: Options, own: Host) => run(options, { clock, ...own, ...host }),
  }
  const status = await withEnvironment({ ...gitSettings, ...atTerminal }, () => program(argv, io))
  return { status, stdout, stderr }
}

/** Runs `check` for its JSON report. */
export async function checkJson(...argv: readonly string[]): Promise<ReportJson & { readonly status: number }> {
  return checkWithin(undefined, ...argv)
}

/** Runs `check` for its JSON report, with its own limits on a rendering. */
export async function checkWithin(
  limits: Limits | undefined,
  ...argv: readonly string[]
): Promise<ReportJson & { readonly status: number }> {
  return reportOf(await guard([...jsonOf, ...argv], false, limits))
}

/** Runs `check` for its JSON report on revisions that are opened already. */
export function checkOpened(
  opened: Opened,
  ...argv: readonly string[]
): Promise<ReportJson & { readonly status: number }> {
  return checkOpenedOnline(opened, '--offline', ...argv)
}

/** The same with the network. */
export async function checkOpenedOnline(
  opened: Opened,
  ...argv: readonly string[]
): Promise<ReportJson & { readonly status: number }> {
  return reportOf(await guardOnline([...jsonOf, ...argv], false, { probes, open: async () => opened }))
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
