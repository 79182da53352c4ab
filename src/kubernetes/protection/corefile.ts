/** A word of a Corefile, and whether it is the first of its line. */
interface CorefileWord {
  readonly text: string
  readonly isFirst: boolean
}

/** A block of servers: its addresses, and the plugins of their chain. */
export interface ServerBlock {
  readonly addresses: readonly string[]
  readonly plugins: readonly string[]
}

/** A Corefile as CoreDNS reads it. */
export type Corefile =
  | { readonly fault: string }
  | { readonly blocks: readonly ServerBlock[]; readonly imports: readonly string[] }

/**
 * Reads a Corefile: server blocks, snippets in parentheses, and imports of files and snippets.
 * Source: https://github.com/coredns/caddy/blob/v1.1.1/caddyfile/parse.go and lexer.go
 */
export function readCorefile(text: string): Corefile {
  const tokens = tokensOf(text)
  const snippets = new Map<string, ServerBlock>()
  const blocks: ServerBlock[] = []
  const imports: string[] = []
  let at = 0
  while (at < tokens.length) {
    if (tokens[at]?.text === 'import') {
      const { line, next } = restOfLine(tokens, at)
      imports.push(...line.slice(0, 1))
      at = next
      continue
    }
    const { addresses, next, opens } = addressesAt(tokens, at)
    const odd = addresses.find((address) => /[{}]/.test(address.replace(/\{[$%][^{}]*\}/g, '')))
    if (odd !== undefined)
      return {
        fault: `${odd} is where a server's address belongs; write a brace with spaces around it, and { as the last word of its line`,
      }
    const body = pluginsFrom(tokens, next, opens)
    if ('fault' in body) return body
    const [name = ''] = addresses
    if (/^\(.+\)$/.test(name) && addresses.length === 1) snippets.set(name.slice(1, -1), { addresses, ...body })
    else blocks.push({ addresses, plugins: body.plugins.flatMap((one) => expanded(one, body, snippets)) })
    imports.push(...body.imports.filter((one) => !snippets.has(one)))
    at = body.next
  }
  return { blocks, imports }
}

interface Body {
  readonly plugins: readonly string[]
  readonly imports: readonly string[]
  readonly next: number
}

/** An import of a snippet brings the plugins of that snippet. */
function expanded(plugin: string, { imports }: Body, snippets: ReadonlyMap<string, ServerBlock>): readonly string[] {
  if (plugin !== 'import') return [plugin]
  return imports.flatMap((name) => snippets.get(name)?.plugins ?? ['import'])
}

/** The addresses of a block: the words of a line, and of further lines after a comma. */
function addressesAt(tokens: readonly CorefileWord[], from: number) {
  const addresses: string[] = []
  let at = from
  for (; at < tokens.length; at++) {
    const { text, isFirst } = tokens[at] ?? { text: '', isFirst: true }
    const goesOn = addresses.length === 0 || addresses.at(-1)?.endsWith(',')
    if (text === '{' && addresses.length > 0) return { addresses, next: at + 1, opens: true }
    if (isFirst && !goesOn) break
    addresses.push(text)
  }
  return { addresses, next: at, opens: false }
}

/** The plugins of a block, until its brace is closed; without braces, the rest of the file is one block. */
function pluginsFrom(tokens: readonly CorefileWord[], from: number, opens: boolean): Body | { readonly fault: string } {
  const plugins: string[] = []
  const imports: string[] = []
  let at = from
  while (at < tokens.length) {
    const name = tokens[at]?.text ?? ''
    if (name === '}') {
      if (!opens) return { fault: 'a } closes no block' }
      return { plugins, imports, next: at + 1 }
    }
    plugins.push(name)
    const { line, next, depth } = restOfLine(tokens, at)
    if (name === 'import') imports.push(...line.slice(0, 1))
    if (depth < 0) return { fault: `the } after ${name} is on the line of a plugin; it needs a line of its own` }
    if (depth > 0) return { fault: `the { of ${name} is never closed` }
    at = next
  }
  return opens ? { fault: 'the { of a server block is never closed' } : { plugins, imports, next: at }
}

/** The words after a plugin's name, with the block that it opens. */
function restOfLine(tokens: readonly CorefileWord[], from: number) {
  const line: string[] = []
  let depth = 0
  let at = from + 1
  for (; at < tokens.length; at++) {
    const { text, isFirst } = tokens[at] ?? { text: '', isFirst: true }
    if (isFirst && depth === 0) break
    if (text === '{') depth++
    else if (text === '}') depth--
    if (depth < 0) break
    line.push(text)
  }
  return { line, next: at, depth }
}

/** Words between blanks, or in double quotes; a # at the start of a word begins a comment. */
function tokensOf(text: string): CorefileWord[] {
  const tokens: CorefileWord[] = []
  let line = 0
  let last = -1
  for (const [found] of text.matchAll(/\n|#[^\n]*|"(?:[^"\\]|\\[\s\S])*"?|[^\s"#][^\s]*/g)) {
    if (found === '\n') line++
    else if (!found.startsWith('#')) {
      tokens.push({
        text: found.startsWith('"') ? found.slice(1, found.endsWith('"') ? -1 : undefined) : found,
        isFirst: line !== last,
      })
      last = line
    }
    if (found.startsWith('"')) line += found.split('\n').length - 1
  }
  return tokens
}
