/**
 * The number of groups of a regular expression whose texts a target may take: `(`, unless it is escaped, in a set of
 * characters, or followed by a `?` that does not name the group. Source:
 * https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#rewrite
 */
export function groupsIn(pattern: string): number {
  let groups = 0
  let isInSet = false
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern.charAt(at)
    if (letter === '\\') at++
    else if (isInSet) isInSet = letter !== ']'
    else if (letter === '[') isInSet = true
    else if (letter === '(' && (pattern.charAt(at + 1) !== '?' || opensName(pattern, at + 2))) groups++
  }
  return groups
}

/** Whether a name begins here: `<name>` or `P<name>`, and not a look behind, `<=` or `<!`. */
function opensName(pattern: string, at: number): boolean {
  if (pattern.startsWith('P<', at)) return true
  return pattern.charAt(at) === '<' && !['=', '!'].includes(pattern.charAt(at + 1))
}

/** The number of the last group in a target: 2 for `/$2`, 0 for a target without groups. */
export function lastGroupIn(target: string): number {
  const [, ...after] = target.split('$')
  return after.reduce((last, text) => Math.max(last, Number.parseInt(text.charAt(0), 10) || 0), 0)
}
