import type { TimedStep } from '../budget'

/** How long each part of a run took, in milliseconds. */
export interface Timings {
  /** Listing, reading and comparing both sides, with what is rendered for that. */
  readonly read: number
  /** All renderings together; they run beside each other, within the other parts. */
  readonly render: number
  readonly judge: number
  /** The search for the lines of findings. */
  readonly locate: number
  /** The renderings that took longest. */
  readonly slowest: readonly { readonly path: string; readonly what: string; readonly milliseconds: number }[]
}

/** How many renderings are listed. */
const most = 10

/**
 * The timings of a run.
 *
 * @param at when the run began, and when it had read, judged and located
 */
export function timingsOf(
  rendered: readonly TimedStep[],
  at: { readonly start: number; readonly read: number; readonly judged: number; readonly located: number },
): Timings {
  const bySource = new Map<string, { path: string; what: string; milliseconds: number }>()
  for (const { doing, path = '', milliseconds } of rendered) {
    const known = bySource.get(doing) ?? { path, what: doing, milliseconds: 0 }
    bySource.set(doing, { ...known, milliseconds: known.milliseconds + milliseconds })
  }
  const sources = [...bySource.values()].sort((a, b) => b.milliseconds - a.milliseconds)
  return {
    read: Math.round(at.read - at.start),
    render: Math.round(sources.reduce((sum, { milliseconds }) => sum + milliseconds, 0)),
    judge: Math.round(at.judged - at.read),
    locate: Math.round(at.located - at.judged),
    slowest: sources.slice(0, most).map((one) => ({ ...one, milliseconds: Math.round(one.milliseconds) })),
  }
}
