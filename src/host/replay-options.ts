import { GuardError } from '../errors'
import { isDate } from '../policy/document'
import type { Range } from '../revision/history'

/** The number of commits that are judged if neither option is given. */
export const defaultLast = 200

const unit = { d: 'day', w: 'week', m: 'month', y: 'year' } as const

/**
 * The commits that the options ask for.
 *
 * @param today YYYY-MM-DD
 * @throws GuardError `usage`
 */
export function rangeIn({ since, last }: { since?: string; last?: string }, today: string): Range {
  if (since !== undefined && last !== undefined)
    throw new GuardError('usage', '--since and --last exclude each other. Leave out one of them.')
  if (since === undefined) return { last: last === undefined ? defaultLast : wholeNumber(last, '--last', 'commits') }
  const day = isDate(since) ? since : dayBefore(today, since)
  if (day === undefined) {
    throw new GuardError(
      'usage',
      `--since must be a day (2026-01-31) or a number of days, weeks, months or years (30d, 6w, 3m, 1y), not ${JSON.stringify(since)}.`,
    )
  }
  if (day > today) throw new GuardError('usage', `--since ${since} is after today, ${today}. Name an earlier day.`)
  return { since: day }
}

/**
 * Reads a whole number above 0.
 *
 * @throws GuardError `usage`
 */
export function wholeNumber(text: string, name: string, what: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (number > 0) return number
  throw new GuardError('usage', `${name} must be a whole number of ${what} above 0, not ${JSON.stringify(text)}.`)
}

/** The day that is so many days, weeks, months or years before another. */
function dayBefore(today: string, span: string): string | undefined {
  const [, digits = '', letter = ''] = span.match(/^(\d{1,4})([dwmy])$/) ?? []
  const number = Number(digits)
  if (number === 0) return undefined
  const day = new Date(`${today}T00:00:00Z`)
  switch (unit[letter as keyof typeof unit]) {
    case 'day':
      day.setUTCDate(day.getUTCDate() - number)
      break
    case 'week':
      day.setUTCDate(day.getUTCDate() - 7 * number)
      break
    case 'month':
      day.setUTCMonth(day.getUTCMonth() - number)
      break
    case 'year':
      day.setUTCFullYear(day.getUTCFullYear() - number)
      break
  }
  const [before = ''] = day.toISOString().split('T')
  return isDate(before) ? before : undefined
}
