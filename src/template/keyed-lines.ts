/** A line of YAML, or of a template of it, with the keys that lead to its value. */
export interface KeyedLine {
  /** `spec`, `values`, `ingressShim`, `defaultIssuerName`; items of lists have no key of their own. */
  readonly keys: readonly string[]
  /** Without quotes and comments; empty for a key with a block below it. */
  readonly value: string
  /** From 1. */
  readonly line: number
}

/**
 * Reads the lines of a text by their indentation alone, for texts that no parser of YAML takes, as templates of any tool. Texts
 * of several lines and values in flow style are read as any other line.
 */
export function* keyedLinesOf(text: string): Generator<KeyedLine> {
  let above: { readonly indent: number; readonly key: string }[] = []
  for (const [index, written] of text.split('\n').entries()) {
    const content = written.trimStart()
    if (content.startsWith('---')) above = []
    if (content === '' || content.startsWith('#') || content.startsWith('---') || content.startsWith('{{')) continue
    let indent = written.length - content.length
    let entry = content
    while (entry.startsWith('- ')) {
      const item = entry.slice(2).trimStart()
      indent += entry.length - item.length
      entry = item
    }
    above = above.filter((one) => one.indent < indent)
    const { key, value } = entryOf(entry)
    if (key !== undefined) above.push({ indent, key })
    yield { keys: above.map((one) => one.key), value, line: index + 1 }
  }
}

function entryOf(entry: string): { readonly key?: string; readonly value: string } {
  const [content = ''] = entry.split(' #')
  const colon = content.indexOf(': ')
  if (colon !== -1) return { key: unquoted(content.slice(0, colon)), value: unquoted(content.slice(colon + 2)) }
  const line = content.trimEnd()
  return line.endsWith(':') ? { key: unquoted(line.slice(0, -1)), value: '' } : { value: unquoted(line) }
}

function unquoted(written: string): string {
  const text = written.trim()
  const [first, last] = [text[0], text.at(-1)]
  return text.length > 1 && first === last && (first === '"' || first === "'") ? text.slice(1, -1) : text
}
