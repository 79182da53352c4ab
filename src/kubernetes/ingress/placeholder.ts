/** A part of a name that some tool fills in before it reaches the cluster. */
const placeholder = /\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([^()]*\)|<[^<>/]+>|__\w+__|%\w+%/g

/**
 * Whether the texts of two names show whether they are equal: two texts with the same placeholders are filled in alike.
 */
export function areComparable(one: string, other: string): boolean {
  if ([one, other].some(isNested)) return one.toLowerCase() === other.toLowerCase()
  return placeholdersIn(one) === placeholdersIn(other)
}

/** Whether a placeholder contains another one (`${A:=${B}}`), so that its end is not found. */
function isNested(name: string): boolean {
  return /\$\{|\{\{|\$\(/.test(name.replace(placeholder, ''))
}

function placeholdersIn(name: string): string {
  return JSON.stringify([...name.toLowerCase().matchAll(placeholder)].map(([text]) => text).sort())
}

/** The text around the placeholders of a name; undefined if the end of one is not found. */
export function textAround(name: string): readonly string[] | undefined {
  return isNested(name) ? undefined : name.split(placeholder)
}

/** Whether a name that a tool completes begins with a part that is written out, by which it is one name of its domain. */
export function startsWritten(name: string): boolean {
  const parts = textAround(name)
  return parts !== undefined && parts.length > 1 && parts[0] !== ''
}

/** A name as it is compared with others: in lower case, but for one with the names of variables. */
export function comparableName(name: string): string {
  return isNested(name) || name.split(placeholder).length > 1 ? name : name.toLowerCase()
}

/** Whether two names may be equal once both are filled in, as far as the text around their placeholders shows. */
export function mayBecome(one: string, other: string): boolean {
  const [name, text] = [one.toLowerCase(), other.toLowerCase()]
  if (areComparable(name, text)) return name === text
  if ([name, text].some(isNested)) return true
  const [own, its] = [name.split(placeholder), text.split(placeholder)]
  if (own.length > 1 && its.length > 1) return true
  return own.length > 1 ? fits(own, text) : fits(its, name)
}

/** Whether a text contains the parts in their order, from its start to its end. */
function fits(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || !text.slice(first.length).endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}
