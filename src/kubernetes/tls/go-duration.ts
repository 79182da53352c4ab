import { entryOf } from '../../entry'

/** The units of Go's time.ParseDuration. */
const units: Readonly<Record<string, number>> = { h: 3.6e12, m: 6e10, s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1 }

/** The length of a duration of Go, such as `360h0m0s`; undefined for another text. */
export function nanosecondsIn(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (entryOf(units, unit) ?? 0), 0)
}
