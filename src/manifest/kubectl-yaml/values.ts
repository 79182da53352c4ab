import type { ScannedScalar } from './scalars'

const tagPrefix = 'tag:yaml.org,2002:'

const words = new Map<string, null | boolean | number>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
])

/** The meaning of a scalar: its value, or why kubectl's parser refuses it. */
export type Meaning = { readonly value: unknown } | { readonly reason: string }

/**
 * The value of a scalar in go-yaml 2. Plain text that looks like a time or a base 60 number stays text.
 * Source: go.yaml.in/yaml/v2, resolve.go, resolve; decode.go, scalar.
 *
 * @param tag the full tag, if it has one
 */
export function meaningOf({ text, style }: Pick<ScannedScalar, 'text' | 'style'>, tag: string | undefined): Meaning {
  if (tag === undefined) return { value: style === 'PLAIN' ? plainValue(text) : text }
  if (tag === `${tagPrefix}binary`) return binary(text)
  const wanted = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : ''
  if (!['null', 'bool', 'int', 'float'].includes(wanted)) return { value: text }
  const value = plainValue(text)
  const isRight =
    (wanted === 'null' && value === null) ||
    (wanted === 'bool' && typeof value === 'boolean') ||
    (wanted === 'float' && typeof value === 'number') ||
    (wanted === 'int' && typeof value === 'number' && !isFloat(text))
  return isRight ? { value } : { reason: `this text is not a valid !!${wanted}` }
}

/** JSON has no such numbers, and everything is JSON before the cluster reads it. */
export function isNumberOfNoJson(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

function binary(text: string): Meaning {
  const bare = text.replace(/[\r\n]/g, '')
  const isBase64 = bare.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(bare.replace(/={1,2}$/, ''))
  if (!isBase64) return { reason: 'this text is not valid base64' }
  return { value: Buffer.from(bare, 'base64').toString('utf8') }
}

/** The value of a plain text. */
export function plainValue(text: string): unknown {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text[0] ?? ''
  if (first === '.') return fraction(text) ?? text
  if (!/[-+0-9]/.test(first)) return text
  const bare = text.replaceAll('_', '')
  return wholeNumber(bare) ?? decimal(bare) ?? text
}

/** No meaningful number is longer. */
const longestNumber = 400

function wholeNumber(text: string): number | undefined {
  if (text.length > longestNumber) return undefined
  const sign = /^[-+]/.test(text) ? text.slice(0, 1) : ''
  const digits = text.slice(sign.length)
  const isWhole = /^(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)$/.test(digits)
  if (!isWhole) return undefined
  const octal = /^0[0-7]+$/.test(digits)
  const size = BigInt(octal ? `0o${digits.slice(1)}` : digits)
  const largest = sign === '-' ? 1n << 63n : sign === '+' ? (1n << 63n) - 1n : (1n << 64n) - 1n
  if (size > largest) return undefined
  return sign === '-' ? -Number(size) : Number(size)
}

function decimal(text: string): number | undefined {
  if (text.length > longestNumber) return undefined
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Only here go-yaml 2 passes `_` to Go's own parser of numbers, which accepts it between digits. */
function fraction(text: string): number | undefined {
  return text.includes('__') || /_(?![0-9])|(?<![0-9])_/.test(text) ? undefined : decimal(text.replaceAll('_', ''))
}

function isFloat(text: string): boolean {
  return wholeNumber(text.replaceAll('_', '')) === undefined
}
