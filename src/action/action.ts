import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Worker } from 'node:worker_threads'
import * as core from '@actions/core'
import { GuardError } from '../errors'
import type { Report } from '../finding/report'
import type { Timings } from '../finding/timings'
import { notInTime } from '../host/not-in-time'
import { RunThread } from '../host/run-thread'
import { annotationLimit, shownAnnotations, withCommandsDisabled } from '../report/annotations'
import { jsonReport } from '../report/json'
import { markdownReport, markdownSentence } from '../report/markdown'
import { terminalReport } from '../report/terminal'
import { timingLines, timingSentence } from '../report/timing-lines'
import { visible } from '../report/words/visible'
import { countedFindings, summaryOf } from '../report/words/wording'
import { endOnSignals } from '../revision/cleanup'
import { deliver } from './deliver'
import { type Audience, audienceOf, baseOf, readEvent, refuseUnsafe } from './event'
import { type Inputs, readInputs } from './inputs'
import { writeSarif } from './sarif-file'

/**
 * The process of the Action.
 *
 * @param file the bundle, in the `dist` folder of the package
 * @param prepared a thread for the run, started already
 */
export async function action(file: string, prepared: Worker): Promise<void> {
  const thread = new RunThread(file, prepared)
  endOnSignals(() => thread.stop())
  await runAction(thread.run, path.dirname(path.dirname(file)))
  // Work left over from a run may continue for a while; the job does not wait for it.
  process.stdout.write('', () => process.exit())
}

/**
 * The Action, which leaves its exit status in `process.exitCode`.
 *
 * @param run makes a run, in any thread
 */
export async function runAction(run: RunThread['run'], root: string): Promise<void> {
  await main(run, root).catch(explain)
}

async function main(run: RunThread['run'], root: string): Promise<void> {
  const inputs = readInputs(core, process.env.GITHUB_WORKSPACE ?? process.cwd())
  const { options } = inputs
  const { token } = inputs.delivery
  const event = readEvent(process.env)
  refuseUnsafe(event)
  const audience = audienceOf(event, process.env)
  if (inputs.command === 'merge') {
    const { mergeFiles } = await import('../host/merge')
    return carry(mergeFiles(inputs.reports, root), inputs, audience, root)
  }
  const given = options.base !== undefined || options.all
  // The workflow names the folder, so it vouches for it: in a container job another user owns the checkout.
  const repository = { dir: options.repo, token, trusted: true }
  const base = given ? undefined : await baseOf(event, repository)
  const found = base === undefined ? {} : base === 'whole' ? { all: true } : { base: base.base }
  const { timings, ...report } = await run(
    { ...options, ...found, head: options.head ?? 'HEAD', timings: true },
    // Another head than the event's has its own merge base.
    {
      root,
      token,
      trusted: true,
      exactBase: typeof base === 'object' && base.exact && options.head === undefined,
      fromEvent: [...(given ? [] : ['base' as const]), ...(options.head === undefined ? ['head' as const] : [])],
    },
  )
  if (timings) showTime(timings)
  if (inputs.command === 'clusters') return listClusters(report)
  await carry(report, inputs, audience, root)
}

/**
 * Sets the output for the matrix of a workflow.
 *
 * @throws GuardError when the repository could not be read in time
 */
function listClusters({ clusters, unfinished }: Report): void {
  if (!clusters) throw notInTime({ unfinished }, '`timeout`')
  const names = JSON.stringify(clusters.map(([name]) => name))
  process.stdout.write(withCommandsDisabled(`${names}\n`))
  core.setOutput('clusters', names)
}

/** Shows what the time was spent on, folded in the log. */
function showTime(timings: Timings): void {
  core.startGroup(timingSentence(timings))
  process.stdout.write(withCommandsDisabled(`${timingLines(timings).join('\n')}\n`))
  core.endGroup()
}

/** Carries the report to the log, the outputs, the summary, a file and the pull request. */
async function carry(
  report: Report,
  { delivery, sarifFile }: Inputs,
  audience: Audience | undefined,
  root: string,
): Promise<void> {
  if (report.verdict === 'fail') process.exitCode = core.ExitCode.Failure
  process.stdout.write(withCommandsDisabled(terminalReport(report, (_, text) => text)))
  const file = path.join(mkdtempSync(path.join(process.env.RUNNER_TEMP ?? tmpdir(), 'ingress-guard-')), 'report.json')
  writeFileSync(file, `${JSON.stringify(jsonReport(report), null, 2)}\n`)
  const counted = countedFindings(report)
  core.setOutput('verdict', report.verdict)
  core.setOutput('findings', counted.length)
  core.setOutput('errors', counted.filter(({ level }) => level === 'error').length)
  core.setOutput('warnings', counted.filter(({ level }) => level === 'warning').length)
  core.setOutput('report', file)
  summarize(markdownReport(report))
  const unwritten = sarifFile ? writeSarif(report, sarifFile, root) : []
  const { remarks: undelivered, byCommands } = await deliver(report, delivery, audience)
  const remarks = [...unwritten, ...undelivered]
  const annotate = { error: core.error, warning: core.warning, notice: core.notice }
  for (const { level, text } of remarks) {
    annotate[level](text)
    summarize(markdownSentence(text))
  }
  const taken = remarks.map(({ level }) => level)
  const annotations = byCommands ? shownAnnotations(report, taken) : []
  for (const { level, message, ...properties } of annotations) annotate[level](message, properties)
  // GitHub shows ten errors of a step; one more would be lost, and the findings are more important than the summary.
  if (report.verdict === 'fail' && annotations.filter(({ level }) => level === 'error').length < annotationLimit)
    core.setFailed(visible(summaryOf(report)))
}

function summarize(markdown: string): void {
  if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${markdown}\n`)
}

async function explain(error: unknown): Promise<void> {
  process.exitCode = core.ExitCode.Failure
  const sentence =
    error instanceof GuardError ? error.sentence : `${String(error)} (a bug in ingress-guard: please report it)`
  const words = `ingress-guard could not run: ${visible(sentence)}`
  core.setOutput('verdict', 'error')
  core.setFailed(words)
  if (core.isDebug() && error instanceof Error) core.debug(`${error.stack}\n${error.cause ?? ''}`)
  summarize(markdownSentence(words))
}
