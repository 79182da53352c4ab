import { createHash } from 'node:crypto'
import type { Report } from '../finding/report'
import { type Annotation, annotationsOf } from '../report/annotations'
import { markdownReport } from '../report/markdown'
import { foundIn } from '../report/words/wording'
import type { CheckRunOutput, CheckRunState, GitHub } from './github'

type GitHubAnnotation = NonNullable<CheckRunOutput['annotations']>[number]

/** The limit of annotations in one request. */
const maxAnnotations = 50
/**
 * GitHub counts characters in one place and bytes in another, so bytes are counted here. Source: its description of
 * checks/create
 */
const longestText = 65_535

const levels = { error: 'failure', warning: 'warning', notice: 'notice' } as const

/**
 * Publishes a report as a check run of a commit, with an annotation for every place of every finding. Writes nothing if
 * it is already there, and continues a check run that was cut short. GitHub only ever adds annotations, so a check run
 * with other ones is superseded by a new one, as when a job runs again.
 */
export async function publishCheckRun(github: GitHub, report: Report, name: string, sha: string): Promise<void> {
  const annotations = annotationsOf(report).map(asGitHubTakesIt)
  const conclusion = report.verdict === 'fail' ? 'failure' : 'success'
  const title = foundIn(report)
  const summary = markdownReport(report, { bytes: longestText, rest: 'the job summary' })
  const annotationsId = `${mark}${digestOf(annotations)}:`
  const external_id = `${annotationsId}${digestOf({ conclusion, title, summary })}`
  const stateFrom = (from: number): CheckRunState => ({
    name,
    external_id,
    conclusion,
    output: { title, summary, annotations: annotations.slice(from, from + maxAnnotations) },
  })

  const ours = (await github.checkRuns(name, sha)).filter((run) => run.external_id?.startsWith(mark))
  const newest = ours.sort((a, b) => b.id - a.id)[0]
  const isUsable = newest?.external_id?.startsWith(annotationsId) || newest?.output.annotations_count === 0
  const run = newest && isUsable ? newest : await github.createCheckRun(sha, stateFrom(0))
  let carried = run === newest ? run.output.annotations_count : Math.min(maxAnnotations, annotations.length)
  let isStated = run.external_id === external_id
  while (carried < annotations.length || !isStated) {
    const then = Math.min(carried + maxAnnotations, annotations.length)
    try {
      await github.updateCheckRun(run.id, stateFrom(carried), then)
    } catch (error) {
      throw carried > 0 ? new CutShort(carried, annotations.length, error) : error
    }
    carried = then
    isStated = true
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}

/** The check run exists, with some of its annotations. */
export class CutShort extends Error {
  constructor(
    readonly carried: number,
    readonly wanted: number,
    override readonly cause: unknown,
  ) {
    super(`only ${carried} of ${wanted} annotations were accepted`)
  }
}

/** The prefix of the external ids of this tool: the job itself is a check run too, and may have the same name. */
const mark = 'ingress-guard:'

/** GitHub requires a line for every annotation; the first line represents the file. */
function asGitHubTakesIt(annotation: Annotation): GitHubAnnotation {
  const { level, title, message, file = '.github', startLine = 1, endLine = startLine } = annotation
  const { startColumn: start_column, endColumn: end_column } = annotation
  return {
    path: file,
    start_line: startLine,
    end_line: endLine,
    ...(start_column && end_column ? { start_column, end_column } : {}),
    annotation_level: levels[level],
    title,
    message,
  }
}
