import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as core from '@actions/core'
import { context } from '@actions/github'
import { GuardError } from '../errors'
import { annotationLimit, shownAnnotations, unheeded } from '../report/annotations'
import { jsonReport } from '../report/json'
import { markdownReport, markdownSentence } from '../report/markdown'
import type { Report } from '../report/report'
import { terminalReport } from '../report/terminal'
import { visible } from '../report/visible'
import { countedFindings, summaryOf } from '../report/wording'
import { run } from '../run'
import { baseOf } from './event'
import { readInputs } from './inputs'
import { writeSarif } from './sarif-file'

/** The package's folder: this file is bundled to `dist/action.cjs`. */
const root = path.dirname(path.dirname(path.resolve(process.argv[1] ?? '')))

async function main(): Promise<void> {
  const { token, sarifFile, ...options } = readInputs(core, process.env.GITHUB_WORKSPACE ?? process.cwd())
  const given = options.base !== undefined || options.all
  const { eventName: name, sha, payload } = context
  // The workflow names the folder, so it vouches for it: in a container job another user owns the checkout.
  const repository = { dir: options.repo, token, trusted: true }
  const event = given ? undefined : await baseOf({ name, sha, payload: payload as never }, repository)
  const found = event === undefined ? {} : event === 'whole' ? { all: true } : { base: event.base }
  const report = await run(
    { ...options, ...found, head: options.head ?? 'HEAD' },
    // Another head than the event's has a merge base of its own.
    { root, token, trusted: true, exactBase: typeof event === 'object' && event.exact && options.head === undefined },
  )
  if (sarifFile) writeSarif(report, sarifFile, root)
  await tell(report)
}

/** Carries the report to the log, the pull request's files, the summary and the outputs. */
async function tell(report: Report): Promise<void> {
  process.stdout.write(unheeded(terminalReport(report, (_, text) => text)))
  const annotate = { error: core.error, warning: core.warning, notice: core.notice }
  const annotations = shownAnnotations(report)
  for (const { level, message, ...properties } of annotations) annotate[level](message, properties)
  const file = path.join(mkdtempSync(path.join(process.env.RUNNER_TEMP ?? tmpdir(), 'ingress-guard-')), 'report.json')
  writeFileSync(file, `${JSON.stringify(jsonReport(report), null, 2)}\n`)
  const counted = countedFindings(report)
  core.setOutput('verdict', report.verdict)
  core.setOutput('findings', counted.length)
  core.setOutput('errors', counted.filter(({ level }) => level === 'error').length)
  core.setOutput('warnings', counted.filter(({ level }) => level === 'warning').length)
  core.setOutput('report', file)
  if (process.env.GITHUB_STEP_SUMMARY) await core.summary.addRaw(markdownReport(report)).write()
  if (report.verdict === 'pass') return
  // GitHub shows ten errors of a step; one more would be lost, and the findings are worth more than their sum.
  if (annotations.filter(({ level }) => level === 'error').length < annotationLimit)
    core.setFailed(visible(summaryOf(report)))
  else process.exitCode = core.ExitCode.Failure
}

main().catch(async (error: unknown) => {
  const sentence =
    error instanceof GuardError ? error.sentence : `${String(error)} (a fault of ingress-guard: please report it)`
  const words = `ingress-guard could not run: ${visible(sentence)}`
  core.setOutput('verdict', 'error')
  core.setFailed(words)
  if (core.isDebug() && error instanceof Error) core.debug(`${error.stack}\n${error.cause ?? ''}`)
  if (process.env.GITHUB_STEP_SUMMARY) await core.summary.addRaw(markdownSentence(words)).write()
})
