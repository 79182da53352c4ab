import type { Action } from '../../template/template-actions'

/** A use of a value of a chart in a template. */
export interface Use {
  /** Its path, with `[]` for any item of a list: `ingress.tls.[].secretName`. */
  readonly path: readonly string[]
  /**
   * - `text`: it is printed; `optional`: printed, and another value is for one that is missing
   * - `yaml`: it is printed as YAML
   * - `items`: its items are gone through
   * - `compared`: a condition compares it with a text
   * - `other`: a function gets it
   */
  readonly how: 'text' | 'optional' | 'yaml' | 'items' | 'compared' | 'other'
  /** The text that it is compared with. */
  readonly with?: string
}

export const itemKey = '[]'

/** A block that an `end` closes: the value that its dot is, and that of the block around it. */
interface Block {
  dot: readonly string[] | undefined
  readonly outer: readonly string[] | undefined
}

/** Functions that get a text and print one. */
const ofText = new Set(
  'quote squote default tpl trunc trim trimSuffix trimPrefix printf lower upper required replace toString nindent indent coalesce'.split(
    ' ',
  ),
)
const ofYaml = new Set(['toYaml', 'toJson', 'toPrettyJson', 'toRawJson'])

/** The uses of values in a template, also in `with` and `range`, and by variables. */
export function usesIn(actions: readonly Action[]): Use[] {
  const uses: Use[] = []
  const variables = new Map<string, readonly string[] | undefined>()
  const open: Block[] = []
  const add = (path: readonly string[], how: Use['how']) => uses.push({ path, how })
  for (const { words } of actions) {
    const texts = words.map(({ text }) => text)
    const dot = open.at(-1)?.dot
    const pathOf = (word: string) => pathIn(word, dot, variables)
    const first = texts[0] ?? ''
    const declared = texts.indexOf(':=')
    // The only operand of a block or of a variable.
    const operand = texts.slice(declared === -1 ? 1 : declared + 1)
    const path = operand.length === 1 && operand[0] !== undefined ? pathOf(operand[0]) : undefined
    const names = declared === -1 ? [] : texts.slice(0, declared).filter((text) => text.startsWith('$'))
    if (first === 'end') open.pop()
    else if (first === 'else') {
      uses.push(...compared(texts, pathOf))
      const block = open.at(-1)
      const inner =
        texts[1] === 'with' && texts.length === 3 ? pathIn(texts[2] ?? '', block?.outer, variables) : undefined
      if (block) block.dot = inner ?? block.outer
    } else if (first === 'if') {
      uses.push(...compared(texts, pathOf))
      open.push({ dot, outer: dot })
    } else if (first === 'with') {
      for (const name of names) variables.set(name, path)
      open.push({ dot: path, outer: dot })
    } else if (first === 'range') {
      const item = path && [...path, itemKey]
      if (path) add(path, 'items')
      const last = names.at(-1)
      if (last) variables.set(last, item)
      open.push({ dot: item, outer: dot })
    } else if (first === 'define' || first === 'block') open.push({ dot: undefined, outer: dot })
    else if (declared === 1) variables.set(first, path)
    else for (const use of printed(texts, pathOf)) add(use.path, use.how)
  }
  return uses
}

function printed(texts: readonly string[], pathOf: (word: string) => readonly string[] | undefined): Use[] {
  const paths = texts.flatMap((text) => {
    const path = pathOf(text)
    return path ? [{ path, isDot: text === '.' }] : []
  })
  // A dot beside another value is what a named template or a text with actions gets.
  const own = paths.length > 1 ? paths.filter(({ isDot }) => !isDot) : paths
  const how = wayOf(texts)
  return own.flatMap(({ path }): Use[] => {
    const isOptional = how === 'text' && texts.includes('default')
    return [{ path, how }, ...(isOptional ? [{ path, how: 'optional' } as const] : [])]
  })
}

/** `eq .Values.a "b"`, in either order. */
function compared(texts: readonly string[], pathOf: (word: string) => readonly string[] | undefined): Use[] {
  return texts.flatMap((text, at): Use[] => {
    const operands = texts.slice(at + 1, at + 3)
    const literal = operands.find((one) => /^"[\w-]+"$/.test(one))
    const path = operands.map(pathOf).find((one) => one !== undefined)
    if (text !== 'eq' || literal === undefined || path === undefined) return []
    return [{ path, how: 'compared', with: literal.slice(1, -1) }]
  })
}

function wayOf(texts: readonly string[]): Use['how'] {
  if (texts.some((text) => ofYaml.has(text) || /tplvalues/.test(text))) return 'yaml'
  const functions = texts.filter((text) => /^[a-z]\w*$/i.test(text))
  return functions.every((name) => ofText.has(name)) ? 'text' : 'other'
}

/** The path that a word names: `.Values.a.b`, `.b` where the dot is known, `$variable.b`. */
export function pathIn(
  word: string,
  dot: readonly string[] | undefined,
  variables: ReadonlyMap<string, readonly string[] | undefined>,
): readonly string[] | undefined {
  const [, ofRoot] = /^(?:\$\w*)?\.Values\.(.+)$/.exec(word) ?? []
  if (ofRoot !== undefined) return ofRoot.split('.')
  if (word === '.') return dot
  if (word.startsWith('.')) return dot && [...dot, ...word.slice(1).split('.')]
  if (!word.startsWith('$')) return undefined
  const [name = '', ...rest] = word.split('.')
  const known = variables.get(name)
  return known && [...known, ...rest]
}
