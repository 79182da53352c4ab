import { entryOf } from '../../entry'
import { isPlaceholder } from '../ingress/ingress'
import { matchersIn, type PlacedMatcher, type Syntax } from './traefik-match'

/** A part of a match that Traefik does not read as it is meant, in the words of a message. */
export interface SyntaxFault {
  readonly what: string
  readonly why: string
  readonly effect: string
  readonly instead: string
  /** Whether Traefik has the route, which excludes less than it is meant to. */
  readonly isIdle: boolean
  /** The parts that tell the fault from others of the same route. */
  readonly keys: readonly string[]
}

/** The matchers that only one syntax has, and what the other has in their place. */
const counterparts: Readonly<Record<string, string>> = {
  headers: 'Header',
  headersregexp: 'HeaderRegexp',
  hostheader: 'Host',
  header: 'Headers',
  headerregexp: 'HeadersRegexp',
  pathregexp: 'Path with a pattern in braces, such as Path(`/{page:[a-z]+}`)',
  queryregexp: 'Query',
}

/** The matchers that take one value each in the newer syntax. */
const single = ['clientip', 'host', 'hostregexp', 'hostsni', 'hostsniregexp', 'method', 'path', 'pathprefix']

/** The matchers that take patterns in braces in the older syntax, and what takes a pattern in the newer one. */
const patterned: Readonly<Record<string, string>> = {
  hostregexp: 'a regular expression without braces, such as HostRegexp(`^[a-z]+\\.example\\.com$`)',
  hostsniregexp: 'a regular expression without braces, such as HostSNIRegexp(`^[a-z]+\\.example\\.com$`)',
  path: 'a regular expression with PathRegexp',
  pathprefix: 'a regular expression with PathRegexp',
}

const leftOut = 'Traefik leaves the route with this match out'

/** The parts of a matcher that a syntax does not have, or reads in another way. */
export function syntaxFaultsOf(matcher: PlacedMatcher, syntax: Syntax): SyntaxFault[] {
  const { name, values, isNegated } = matcher
  const key = name.toLowerCase()
  if (!matchersIn[syntax].some((one) => one.toLowerCase() === key)) {
    const instead = entryOf(counterparts, key)
    const what = `uses the matcher ${name}`
    return instead
      ? [{ what, why: 'which does not have it', effect: leftOut, instead, isIdle: false, keys: [name] }]
      : []
  }
  if (syntax === 'v2') return []
  if (single.includes(key) && values.length > 1) {
    const instead = values.map((value) => `${name}(\`${value}\`)`).join(' || ')
    const what = `gives ${name} several values`
    return [{ what, why: 'where it takes one', effect: leftOut, instead, isIdle: false, keys: [name, ...values] }]
  }
  const instead = entryOf(patterned, key)
  const patterns = values.filter((value) => !isPlaceholder(value) && /\{[A-Za-z_]\w*(?::[^{}]*)?\}/.test(value))
  if (!instead) return []
  return patterns.map((value) => ({
    what: `has the pattern ${value} for ${name} in the syntax of Traefik 2`,
    why: 'where braces are no pattern',
    effect: effectOfDead(matcher),
    instead,
    isIdle: isNegated,
    keys: [name, value],
  }))
}

/** The effect of a matcher that no request has. */
function effectOfDead({ isNegated, isAlternative }: PlacedMatcher): string {
  if (isNegated) return 'the exclusion with ! excludes no request'
  return isAlternative ? 'no request has this alternative of the match' : 'no request has this match'
}
