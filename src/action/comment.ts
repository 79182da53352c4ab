import type { Report } from '../finding/report'
import { markdownReport } from '../report/markdown'
import { foundIn } from '../report/words/wording'
import type { Comment, GitHub } from './github'

/** When a pull request gets a comment: `on-failure` also updates a comment whose findings are gone. */
export const commentModes = ['never', 'on-failure', 'always'] as const
/** When the action writes a comment on the pull request. */
export type CommentMode = (typeof commentModes)[number]

/** GitHub's limit, without the text around the report. */
const longestReport = 65_000

/**
 * Keeps one comment of a pull request up to date.
 *
 * @param name distinguishes the comments of several gates
 */
export async function publishComment(
  github: GitHub,
  report: Report,
  { mode, name, pullRequest }: { mode: CommentMode; name: string; pullRequest: number },
): Promise<void> {
  const mark = `<!-- ingress-guard: ${encodeURIComponent(name)} -->`
  const isOurs = (comment: Comment) => (comment.body ?? '').startsWith(mark) && mayWrite(comment)
  const body = `${mark}\n${bodyOf(report)}`
  const comment = await github.findComment(pullRequest, isOurs)
  if (!comment) {
    if (mode === 'always' || report.verdict === 'fail') await github.createComment(pullRequest, body, isOurs)
  } else if (normal(comment.body ?? '') !== normal(body)) await github.updateComment(comment.id, body)
}

/**
 * Anyone can write a comment that starts with the mark, and change it later: only comments of authors with write access
 * and of GitHub's apps count.
 */
export function mayWrite({
  user,
  author_association: association,
}: Pick<Comment, 'user' | 'author_association'>): boolean {
  return user?.type === 'Bot' || ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? '')
}

function bodyOf(report: Report): string {
  const sign = report.verdict === 'fail' ? '❌' : '✅'
  const details = markdownReport(report, { bytes: longestReport, rest: 'the job summary' })
  return `${sign} **${foundIn(report)}**\n\n<details><summary>The report</summary>\n\n${details.trimEnd()}\n\n</details>\n`
}

/** GitHub keeps the text, but not every line end of it. */
export function normal(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd()
}
