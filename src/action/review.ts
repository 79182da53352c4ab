import type { Report } from '../finding/report'
import { countedFindings } from '../report/words/wording'
import { mayWrite, normal } from './comment'
import { diffLines } from './diff-lines'
import type { GitHub, ReviewComment } from './github'
import { aboutOf, bodyOf, isAtPlace, isOurs, leadOf, type Marks, marksOf, requestFor } from './review-comment'
import { fingerprintsOf, type LineComment, suggestionsIn } from './suggestions'

/** GitHub refuses reviews that are far larger. */
const mostComments = 50
const longestComment = 60_000

/**
 * Suggests the fixes of a report in one review of a pull request. A comment whose findings are gone, or whose lines
 * changed, is minimised, and so is a review that has no other. Writes nothing if all is there already.
 *
 * @param name distinguishes the reviews of several gates
 */
export async function publishReview(
  github: GitHub,
  report: Report,
  { name, pullRequest, sha }: { name: string; pullRequest: number; sha: string },
): Promise<void> {
  const marks = marksOf(name)
  const there = (await github.reviewComments(pullRequest)).filter((comment) => isOurs(comment, marks))
  const counted = countedFindings(report)
  const mayHaveComments = (report.patches ?? []).length > 0 || counted.some(({ location }) => location.side === 'base')
  if (there.length === 0 && !mayHaveComments) return
  const files = mayHaveComments ? await github.changedFiles(pullRequest) : []
  const diff = new Map(files.map(({ filename, patch = '' }) => [filename, diffLines(patch)]))
  const all = suggestionsIn(report, diff)
  const wanted = all.filter(({ text }) => text.length <= longestComment).slice(0, mostComments)

  const open = there.filter(({ body }) => !body.startsWith(marks.solved))
  const kept = new Set<ReviewComment>()
  const missing: LineComment[] = []
  for (const comment of wanted) {
    const same = open.find((one) => !kept.has(one) && isAtPlace(one, comment, marks))
    if (!same) missing.push(comment)
    else {
      kept.add(same)
      const body = bodyOf(comment, marks)
      if (normal(same.body) !== normal(body)) await github.updateReviewComment(same.id, body)
    }
  }
  const still = new Set(counted.flatMap(fingerprintsOf))
  const replaced = new Set(missing.flatMap(({ about }) => about))
  const retired = new Set<ReviewComment>()
  for (const comment of open) {
    const about = aboutOf(comment, marks)
    // A fix that can no longer be placed does not show that its finding is gone.
    if (kept.has(comment) || (about.some((one) => still.has(one)) && !about.some((one) => replaced.has(one)))) continue
    await github.minimize(comment.node_id)
    const why = about.some((one) => still.has(one)) ? 'Another comment replaces this one.' : 'Solved.'
    await github.updateReviewComment(comment.id, `${marks.solved}\n${why}\n`)
    retired.add(comment)
  }
  if (missing.length > 0) {
    const comments = missing.map((comment) => requestFor(comment, marks))
    const lead = `${marks.review}\n${leadOf(comments.length, all.length - wanted.length)}\n`
    await github.createReview(pullRequest, { commit_id: sha, body: lead, comments }, (found) => {
      return comments.every((comment) => found.some((one) => normal(one.body) === normal(comment.body)))
    })
  }
  if (there.length > 0) {
    const isSolved = (comment: ReviewComment) => retired.has(comment) || comment.body.startsWith(marks.solved)
    await retireReviews(github, pullRequest, there, isSolved, marks)
  }
}

/** Minimises the reviews whose comments are all solved. */
async function retireReviews(
  github: GitHub,
  pullRequest: number,
  comments: readonly ReviewComment[],
  isSolved: (comment: ReviewComment) => boolean,
  marks: Marks,
): Promise<void> {
  const ids = new Set(comments.map((comment) => comment.pull_request_review_id))
  const solved = [...ids].filter((id) =>
    comments.every((comment) => comment.pull_request_review_id !== id || isSolved(comment)),
  )
  if (solved.length === 0) return
  const reviews = await github.reviews(pullRequest)
  for (const review of reviews) {
    if (!solved.includes(review.id) || !mayWrite(review) || !review.body.startsWith(marks.review)) continue
    await github.minimize(review.node_id)
    await github.updateReview(pullRequest, review.id, `${marks.solved}\nAll of it is solved.\n`)
  }
}
