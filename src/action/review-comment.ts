import { count } from '../report/words/wording'
import { withCommas } from '../with-commas'
import { mayWrite } from './comment'
import type { ReviewComment, WantedReview } from './github'
import type { LineComment } from './suggestions'

/** The marks of a gate, by which it finds what it wrote. */
export interface Marks {
  /** The first words of a comment; the fingerprints of its findings follow. */
  readonly name: string
  readonly review: string
  readonly solved: string
}

/** @param name distinguishes several gates */
export function marksOf(name: string): Marks {
  const mark = `<!-- ingress-guard: ${encodeURIComponent(name)}`
  return { name: mark, review: `${mark} review -->`, solved: `${mark} solved -->` }
}

/** A comment as a review takes it. */
export function requestFor(comment: LineComment, marks: Marks) {
  const { path, side, startLine, line } = comment
  const range = startLine < line ? { start_line: startLine, start_side: side } : {}
  return { path, side, line, ...range, body: bodyOf(comment, marks) } satisfies NonNullable<
    WantedReview['comments']
  >[number]
}

export function bodyOf({ text, about }: LineComment, { name }: Marks): string {
  return `${name} ${identified(about).join()} -->\n${text}`
}

/**
 * The first words of a review.
 *
 * @param left how many comments are too long, or more than a review takes
 */
export function leadOf(shown: number, left: number): string {
  const more = left > 0 ? ` ${withCommas(left)} more do not fit into a review: run \`ingress-guard check --fix\`.` : ''
  return `ingress-guard has ${count(shown, 'comment')} on this change. Its suggestions are verified: with all of them, their findings are gone and no other one is there.${more}`
}

export function isOurs(comment: ReviewComment, marks: Marks): boolean {
  return comment.body.startsWith(`${marks.name} `) && comment.in_reply_to_id === undefined && mayWrite(comment)
}

/**
 * Whether GitHub shows a comment at the lines of another one, about the same findings: one whose lines changed has
 * none.
 */
export function isAtPlace(comment: ReviewComment, wanted: LineComment, marks: Marks): boolean {
  const { path, side, startLine, line, about } = wanted
  return (
    comment.path === path &&
    comment.side === side &&
    comment.line === line &&
    (comment.start_line ?? comment.line) === startLine &&
    aboutOf(comment, marks).join() === identified(about).join()
  )
}

/** The fingerprints of the findings that a comment is about. */
export function aboutOf({ body }: ReviewComment, { name }: Marks): string[] {
  const [line = ''] = body.split('\n')
  return line.slice(name.length).replace('-->', '').trim().split(',')
}

/** At most this many fingerprints identify a comment. */
function identified(about: readonly string[]): readonly string[] {
  return [...new Set(about)].sort().slice(0, 20)
}
