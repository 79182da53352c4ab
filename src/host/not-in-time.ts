import { GuardError } from '../errors'
import type { Report } from '../finding/report'

/** The error of a run that only lists, and that reached its time limit before it had its list. */
export function notInTime({ unfinished }: Pick<Report, 'unfinished'>, option: '--timeout' | '`timeout`'): GuardError {
  const { minutes, doing } = unfinished ?? { minutes: 0, doing: 'reading the repository' }
  return new GuardError(
    'source',
    `The time limit of the run (${minutes} min) was reached while ${doing}. Raise ${option}.`,
  )
}
