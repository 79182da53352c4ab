import { parse, type SemVer } from 'semver'

/**
 * A range of versions as Helm, Flux and Argo CD read it: by the rules of github.com/Masterminds/semver 3.5.0. Ranges of
 * the npm package are others: there `>=1.0.0-0` takes prereleases of 1.0.0 alone, and commas, `!=`, `=>` and `=<` are
 * unknown.
 */
export interface Constraint {
  readonly groups: readonly ComparatorSet[]
}

/** All of a group have to hold. Prereleases count if any part of it names one. */
interface ComparatorSet {
  readonly parts: readonly Comparator[]
  readonly prereleases: boolean
}

interface Comparator {
  readonly operator: string
  readonly version: SemVer
  /** The count of the numbers that are written; the rest is any. */
  readonly numbers: 0 | 1 | 2 | 3
}

const longest = 512
const mostGroups = 32

const number =
  /^v?([0-9xX*]+)(?:\.([0-9xX*]+))?(?:\.([0-9xX*]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/
const operators = ['!=', '>=', '=>', '<=', '=<', '~>', '=', '>', '<', '~', '^']

/** @returns undefined for a text that is no range */
export function constraintOf(text: string): Constraint | undefined {
  if (text.length > longest) return undefined
  const written = text.split('||')
  if (written.length > mostGroups) return undefined
  const groups = written.map(groupOf)
  const valid = groups.filter((group) => group !== undefined)
  return valid.length === groups.length ? { groups: valid } : undefined
}

export function satisfies(version: SemVer, { groups }: Constraint): boolean {
  return groups.some(
    ({ parts, prereleases }) =>
      (prereleases || version.prerelease.length === 0) && parts.every((part) => holds(part, version)),
  )
}

/** A version with all three numbers; Flux and Helm count no others as versions of a chart. */
export function versionOf(text: string): SemVer | undefined {
  const version = parse(text.replace(/^v/, ''))
  return /^v?\d/.test(text) && version ? version : undefined
}

/** Whether a text is one whole version, which a place does not publish twice: the other text, if there is one. */
export function isOneVersion(text: string, other = text): boolean {
  const version = versionOf(text)?.raw
  return version !== undefined && version === versionOf(other)?.raw
}

function groupOf(text: string): ComparatorSet | undefined {
  let rest = hyphens(text).trim()
  const parts: Comparator[] = []
  while (rest !== '') {
    const operator = operators.find((one) => rest.startsWith(one)) ?? ''
    const named = rest.slice(operator.length).trimStart()
    const [match] = number.exec(named) ?? []
    const part = match === undefined ? undefined : partOf(operator, match)
    if (!part || match === undefined) return undefined
    parts.push(part)
    const after = named.slice(match.length)
    rest = after.trimStart()
    const isSeparate = rest === '' || rest.length < after.length || rest.startsWith(',')
    if (!isSeparate) return undefined
    if (rest.startsWith(',')) {
      rest = rest.slice(1).trimStart()
      if (rest === '') return undefined
    }
  }
  return parts.length === 0
    ? undefined
    : { parts, prereleases: parts.some(({ version }) => version.prerelease.length > 0) }
}

/** `1.2 - 3.4` is `>=1.2 <=3.4`. */
function hyphens(text: string): string {
  const words = text.split(/\s-\s/)
  if (words.length === 1) return text
  return words.length === 2 ? `>= ${words[0]?.trim()}, <= ${words[1]?.trim()}` : '-'
}

function isAny(number: string | undefined): boolean {
  return number === undefined || number === 'x' || number === 'X' || number === '*'
}

function partOf(operator: string, text: string): Comparator | undefined {
  const [, major = '', minor, patch, prerelease] = number.exec(text) ?? []
  const numbers = isAny(major) ? 0 : isAny(minor) ? 1 : isAny(patch) ? 2 : 3
  const written = [major, minor, patch].map((one, index) => (index < numbers ? Number(one) : 0))
  const version = parse(`${written.join('.')}${prerelease ? `-${prerelease}` : ''}`)
  return version ? { operator, version, numbers } : undefined
}

function holds({ operator, version: wanted, numbers }: Comparator, version: SemVer): boolean {
  const order = version.compare(wanted)
  const sameMajor = version.major === wanted.major
  switch (operator) {
    case '!=':
      return !isAmong(version, wanted, numbers)
    case '>':
      if (numbers === 1) return version.major > wanted.major
      if (numbers === 2) return sameMajor ? version.minor > wanted.minor : version.major > wanted.major
      return order > 0
    case '<':
      return order < 0
    case '>=':
    case '=>':
      return order >= 0
    case '<=':
    case '=<':
      if (numbers === 3) return order <= 0
      if (!sameMajor) return version.major < wanted.major
      return numbers === 1 || version.minor <= wanted.minor
    case '^':
      return order >= 0 && isCompatible(version, wanted, numbers)
    case '~':
    case '~>':
      return isNear(version, wanted, numbers)
    default:
      return numbers === 3 ? order === 0 : isNear(version, wanted, numbers)
  }
}

function isNear(version: SemVer, wanted: SemVer, numbers: number): boolean {
  if (version.compare(wanted) < 0) return false
  const isZero = wanted.major === 0 && wanted.minor === 0 && wanted.patch === 0
  if (isZero && numbers !== 1 && numbers !== 2) return true
  return version.major === wanted.major && (numbers === 1 || version.minor === wanted.minor)
}

function isAmong(version: SemVer, wanted: SemVer, numbers: number): boolean {
  if (numbers === 1) return version.major === wanted.major
  if (numbers !== 2) return version.compare(wanted) === 0
  return version.major === wanted.major && version.minor === wanted.minor && version.comparePre(wanted) === 0
}

function isCompatible(version: SemVer, wanted: SemVer, numbers: number): boolean {
  if (version.major !== wanted.major) return false
  if (wanted.major > 0 || numbers === 1) return true
  if (version.minor !== wanted.minor) return false
  return wanted.minor > 0 || numbers === 2 || version.patch === wanted.patch
}
