import type { Timings } from '../finding/timings'
import { visible } from './words/visible'

/** The time of a run as one sentence. */
export function timingSentence({ read, judge, locate }: Timings): string {
  return `The run took ${seconds(read + judge + locate)}.`
}

/** What the time of a run was spent on, as lines for people. */
export function timingLines({ read, render, judge, locate, slowest }: Timings): string[] {
  return [
    `reading ${seconds(read)}, rendering ${seconds(render)} in all, judging ${seconds(judge)}, locating ${seconds(locate)}`,
    ...slowest.map(({ what, milliseconds }) => `${visible(what)}: ${seconds(milliseconds)}`),
  ]
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
