import { matchesPattern } from './envsubst-pattern'

/**
 * The value of a variable, changed by an operator as in Flux:
 * https://github.com/fluxcd/pkg/blob/envsubst/v1.7.0/envsubst/funcs.go
 *
 * @returns undefined if Flux itself fails, or if the work would be out of proportion
 */
export function applied(operator: string, value: string, args: readonly string[]): string | undefined {
  const [first = '', second = ''] = args
  switch (operator) {
    case ',':
      return changedFirst(value, (char) => char.toLowerCase())
    case ',,':
      return value.toLowerCase()
    case '^':
      return changedFirst(value, (char) => char.toUpperCase())
    case '^^':
      return value.toUpperCase()
    case ':':
      return partOf(value, args)
    case '/':
      return replacedOnce(value, first, second)
    case '//':
      return value.replaceAll(first, () => second)
    case '/#':
      return args.length === 2 && value.startsWith(first) ? second + value.slice(first.length) : value
    case '/%':
      return args.length === 2 && value.endsWith(first) ? value.slice(0, value.length - first.length) + second : value
    case '#':
      return args.length === 0 ? String(Buffer.byteLength(value)) : withoutStart(value, first, 'shortest')
    case '##':
      return withoutStart(value, first, 'longest')
    case '%':
      return withoutEnd(value, first, 'shortest')
    case '%%':
      return withoutEnd(value, first, 'longest')
    default:
      // `:?` and `:+` are defaults, too.
      return value === '' ? args.join('') : value
  }
}

function changedFirst(value: string, change: (char: string) => string): string {
  const [first = ''] = value
  return change(first) + value.slice(first.length)
}

function replacedOnce(value: string, sought: string, by: string): string {
  return value.replace(sought, () => by)
}

/** Go counts bytes. */
function partOf(value: string, args: readonly string[]): string | undefined {
  const [from, length] = args.map((arg) => (/^[+-]?\d{1,15}$/.test(arg) ? Number(arg) : Number.NaN))
  if (from === undefined || Number.isNaN(from)) return value
  const bytes = Buffer.from(value)
  const start = from < 0 ? Math.max(0, bytes.length + from) : from
  if (length === undefined) return bytes.subarray(start).toString()
  if (Number.isNaN(length)) return value
  return length < 0 && start + length < bytes.length ? undefined : bytes.subarray(start, start + length).toString()
}

/** No name, host or version is as long; to try each start of a long text takes the square of its length. */
const maxTried = 1000

function withoutStart(value: string, pattern: string, which: 'shortest' | 'longest'): string | undefined {
  if (value.length > maxTried || pattern.length > maxTried) return undefined
  const lengths = Array.from({ length: value.length }, (_, index) => index + 1)
  if (which === 'longest') lengths.reverse()
  for (const length of lengths) {
    const matches = matchesPattern(pattern, value.slice(0, length))
    // A pattern that Go refuses removes nothing.
    if (matches === undefined) return value
    if (matches) return value.slice(length)
  }
  return value
}

function withoutEnd(value: string, pattern: string, which: 'shortest' | 'longest'): string | undefined {
  const left = withoutStart(reversed(value), reversed(pattern), which)
  return left === undefined ? undefined : reversed(left)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}
