import type { Report } from '../finding/report'
import { annotationsOf } from '../report/annotations'
import { visible } from '../report/words/visible'
import { CutShort, publishCheckRun } from './check-run'
import { type CommentMode, publishComment } from './comment'
import type { Audience } from './event'
import type { GitHub } from './github'
import { isForbidden, reasonOf } from './request-failure'

/** Channels for annotations: `auto` is the check run if the token may write one, else workflow commands. */
export const annotationModes = ['auto', 'commands', 'check-run', 'none'] as const

/** The ways to deliver a report on GitHub. */
export interface Delivery {
  readonly annotations: (typeof annotationModes)[number]
  readonly comment: CommentMode
  /** Whether fixes are suggested in a review. */
  readonly suggestions: boolean
  /** The name of the check run; it also distinguishes the comments of several gates. */
  readonly checkName: string
  readonly token: string | undefined
}

/** The remark about a channel that failed. */
export interface Remark {
  readonly level: 'notice' | 'warning'
  readonly text: string
}

/** A way to deliver a report through GitHub's API. */
interface Channel {
  readonly name: string
  readonly permission: string
  /** The channel that still shows the report if this one fails. */
  readonly instead: string
  /** Not requested explicitly, so a token without this permission is no error. */
  readonly isOptional: boolean
  carry(github: GitHub): Promise<void>
}

/**
 * Delivers a report as a check run and a comment, if they are wanted. A failure becomes a remark: the verdict never
 * depends on a channel.
 *
 * @returns the remarks, and whether the annotations are left to workflow commands
 */
export async function deliver(
  report: Report,
  delivery: Delivery,
  audience: Audience | undefined,
): Promise<{ readonly remarks: readonly Remark[]; readonly byCommands: boolean }> {
  const failures: { carrier: Channel; error: unknown }[] = []
  const carriers = carriersOf(report, delivery, audience)
  let github: GitHub | undefined
  for (const carrier of carriers) {
    try {
      github ??= await connect(delivery.token, audience)
      await carrier.carry(github)
    } catch (error) {
      failures.push({ carrier, error })
    }
  }
  const { annotations } = delivery
  const isCarried =
    carriers.some(({ isOptional }) => isOptional) &&
    !failures.some(({ carrier, error }) => carrier.isOptional && !(error instanceof CutShort))
  const expected = failures.filter(
    ({ carrier, error }) => isForbidden(error) && (carrier.isOptional || audience?.readOnly),
  )
  const unexpected = failures.filter((failure) => !expected.includes(failure))
  return {
    remarks: [
      ...noticeOf(
        expected.map(({ carrier }) => carrier),
        report,
        audience?.readOnly,
      ),
      ...unexpected.map(({ carrier, error }) => warningOf(carrier, error)),
    ],
    byCommands: annotations === 'commands' || (annotations === 'auto' && !isCarried),
  }
}

function carriersOf(
  report: Report,
  { annotations, comment: mode, suggestions, checkName: name, token }: Delivery,
  audience: Audience | undefined,
): Channel[] {
  const carriers: Channel[] = []
  if (annotations === 'check-run' || (annotations === 'auto' && token && audience)) {
    carriers.push({
      name: 'check run',
      permission: 'checks: write',
      instead: annotations === 'auto' ? 'at most ten findings of each level are annotated' : 'no finding is annotated',
      isOptional: annotations === 'auto',
      carry: (github) => publishCheckRun(github, report, name, audience?.sha ?? ''),
    })
  }
  const pullRequest = audience?.pullRequest
  if (mode !== 'never' && pullRequest !== undefined) {
    carriers.push({
      name: 'comment',
      permission: 'pull-requests: write',
      instead: 'the pull request has no up-to-date comment',
      isOptional: false,
      carry: (github) => publishComment(github, report, { mode, name, pullRequest }),
    })
  }
  // Findings that were not judged in time are not solved.
  if (suggestions && pullRequest !== undefined && !report.unfinished) {
    carriers.push({
      name: 'review',
      permission: 'pull-requests: write',
      instead: 'the pull request has no up-to-date suggestions',
      isOptional: false,
      async carry(github) {
        const { publishReview } = await import('./review')
        await publishReview(github, report, { name, pullRequest, sha: audience?.sha ?? '' })
      },
    })
  }
  return carriers
}

/** The code that talks to GitHub is loaded here: a run that needs none of it does not wait for it. */
async function connect(token: string | undefined, audience: Audience | undefined): Promise<GitHub> {
  if (!token) throw new Error('the input token is empty')
  if (!audience) throw new Error('the event names no commit to report on')
  const { GitHub } = await import('./github')
  return new GitHub(token, audience)
}

/** One notice for all permissions that the token lacks, unless nothing is lost by it. */
function noticeOf(carriers: readonly Channel[], report: Report, readOnly = false): Remark[] {
  const isMissed = carriers.some(({ isOptional }) => !isOptional || annotationsOf(report).length > 0)
  if (!isMissed) return []
  const names = carriers.map(({ name }) => `a ${name}`).join(' or ')
  const additions = carriers.map(({ name, permission }) => `\`${permission}\` adds the ${name}`).join(' and ')
  const never = readOnly ? ', except for pull requests from forks or Dependabot, which never get it' : ''
  const text = `The token of this run may not write ${names}; the job summary has every finding. In the permissions of the job ${additions}${never}.`
  return [{ level: 'notice', text }]
}

function warningOf({ name, permission, instead }: Channel, error: unknown): Remark {
  const cut = error instanceof CutShort ? error : undefined
  const reason = visible(reasonOf(cut?.cause ?? error))
  const what = cut
    ? `The ${name} has only ${cut.carried} of ${cut.wanted} annotations (${reason}).`
    : `The ${name} could not be written (${reason}), so ${instead}.`
  const advice = isForbidden(error) ? ` Give the job the permission \`${permission}\`.` : ''
  return {
    level: 'warning',
    text: `${what}${advice} The job summary has every finding, and the verdict is unchanged.`,
  }
}
