import { closest } from '../../closest'

/** The syntaxes of rules: Traefik 3 reads both, and Traefik 2 its own. */
export type Syntax = 'v2' | 'v3'

/**
 * The matchers of each syntax, of requests and connections. Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/muxer,
 * http and tcp, matcher.go and matcher_v2.go; v2.11.0 has those of the older one in mux.go
 */
export const matchersIn: Readonly<Record<Syntax, readonly string[]>> = {
  v2: [
    'ALPN',
    'ClientIP',
    'Headers',
    'HeadersRegexp',
    'Host',
    'HostHeader',
    'HostRegexp',
    'HostSNI',
    'HostSNIRegexp',
    'Method',
    'Path',
    'PathPrefix',
    'Query',
  ],
  v3: [
    'ALPN',
    'ClientIP',
    'Header',
    'HeaderRegexp',
    'Host',
    'HostRegexp',
    'HostSNI',
    'HostSNIRegexp',
    'Method',
    'Path',
    'PathPrefix',
    'PathRegexp',
    'Query',
    'QueryRegexp',
  ],
}

const matchers = [...new Set([...matchersIn.v2, ...matchersIn.v3])].sort()

/** A matcher of a rule with its values. */
export interface Matcher {
  readonly name: string
  readonly values: readonly string[]
}

/** A matcher in the expression of a rule. */
export interface PlacedMatcher extends Matcher {
  /** Whether requests that it matches are excluded. */
  readonly isNegated: boolean
  /** Whether a request without it may have the match by another part. */
  readonly isAlternative: boolean
}

/** The matchers of a rule, or why Traefik cannot read it. */
export type ReadMatch = { readonly matchers: readonly PlacedMatcher[] } | { readonly fault: string }

/** A string in backticks or double quotes, a name, an operator, a mark, or any other character. */
const token = /`[^`]*`|"(?:[^"\\\n]|\\.)*"|[\p{L}_][\p{L}\p{N}_]*|&&|\|\||\S/gu

/** A part of a rule in parentheses, or the rule. */
interface Part {
  /** The number of matchers before it. */
  readonly from: number
  readonly isNegated: boolean
  readonly operators: Set<string>
}

/**
 * Reads the rule of a router: matchers in an expression of Go, with `&&`, `||`, `!` and parentheses. `!` turns each
 * matcher in its parentheses, and `&&` and `||` between them, into the opposite. Source:
 * https://github.com/traefik/traefik/blob/v3.7.9/pkg/rules/parser.go, `invert`
 */
export function readMatch(rule: string): ReadMatch {
  const tokens = rule.match(token) ?? []
  const found: PlacedMatcher[] = []
  const whole: Part = { from: 0, isNegated: false, operators: new Set() }
  const parts = [whole]
  let wantsMatcher = true
  let isNegated = false
  for (let at = 0; at < tokens.length; at++) {
    const one = tokens[at] ?? ''
    const part = parts.at(-1) ?? whole
    if (!wantsMatcher) {
      if (one === '&&' || one === '||') {
        part.operators.add(one)
        isNegated = part.isNegated
        wantsMatcher = true
      } else if (one !== ')') return { fault: `${quoted(one)} follows a matcher without && or ||` }
      else if (parts.length === 1) return { fault: 'it has a closing parenthesis too many' }
      else {
        found.push(...placedIn(part, found.splice(part.from)))
        parts.pop()
      }
    } else if (one === '(') {
      parts.push({ from: found.length, isNegated, operators: new Set() })
    } else if (one === '!') {
      isNegated = !isNegated
    } else {
      const matcher = matcherAt(tokens, at)
      if ('fault' in matcher) return matcher
      const { name, values, end } = matcher
      found.push({ name, values, isNegated, isAlternative: false })
      at = end
      wantsMatcher = false
    }
  }
  if (wantsMatcher) return { fault: tokens.length === 0 ? 'it is empty' : `no matcher follows ${tokens.at(-1)}` }
  return parts.length > 1 ? { fault: 'a closing parenthesis is missing' } : { matchers: placedIn(whole, found) }
}

/** The matchers of a part, each an alternative where the part is one of alternatives. */
function placedIn({ isNegated, operators }: Part, matchers: readonly PlacedMatcher[]): PlacedMatcher[] {
  const isOfAlternatives = operators.has(isNegated ? '&&' : '||')
  return matchers.map((one) => ({ ...one, isAlternative: one.isAlternative || isOfAlternatives }))
}

function matcherAt(tokens: readonly string[], at: number): (Matcher & { end: number }) | { fault: string } {
  const name = tokens[at] ?? ''
  if (!/^[\p{L}_]/u.test(name))
    return { fault: `${quoted(name)} is where a matcher belongs, such as Host(\`example.com\`)` }
  if (!matchers.some((one) => one.toLowerCase() === name.toLowerCase())) {
    const near = closest(name, matchers)
    return { fault: `${name} is no matcher${near ? `, and ${near} is one` : ''}` }
  }
  if (tokens[at + 1] !== '(') return { fault: `no values in parentheses follow ${name}` }
  const values: string[] = []
  for (let next = at + 2; ; next += 2) {
    const value = tokens[next] ?? ''
    if ((value === ')' && values.length === 0) || /^(?:``|"")$/.test(value)) return { fault: `${name} has no value` }
    if (!/^[`"]./s.test(value))
      return { fault: value === '' ? 'a closing parenthesis is missing' : `the value of ${name} is not in backticks` }
    values.push(value.slice(1, -1))
    const end = tokens[next + 1]
    if (end === ')') return { name, values, end: next + 1 }
    if (end !== ',') return { fault: `a closing parenthesis is missing after the value of ${name}` }
  }
}

function quoted(text: string): string {
  return text === ')' ? 'a closing parenthesis' : text.slice(0, 40)
}
