/** The variables in a word as they are written: `$STAGE`, `${STAGE}`, `$(STAGE)`, `{{stage}}` and `${{inputs.stage}}`. */
export function variablesIn(word: string): string[] {
  return partsOf(word).flatMap(({ variable, text }) => (variable ? [text] : []))
}

/** A word with texts in place of its variables, as far as they are known. */
export function filledWith(word: string, texts: ReadonlyMap<string, string>): string {
  return partsOf(word)
    .map(({ variable, text }) => (variable ? (texts.get(text) ?? text) : text))
    .join('')
}

/** A word without variables; undefined for an empty one, and for one with any. */
export function knownText(word: string): string | undefined {
  return word === '' || variablesIn(word).length > 0 ? undefined : word
}

/** A path without a variable in front that is for the root of the repository, or a folder: `$ROOT_DIR/charts/web`. */
export function withoutRoot(word: string): string {
  const [first, next] = partsOf(word)
  if (!first?.variable || !next?.text.startsWith('/')) return word
  const name = first.text.toLowerCase()
  return roots.some((root) => name.includes(root)) ? word.slice(first.text.length + 1) : word
}

/** Words in the names of variables for folders. */
const roots = ['root', 'dir', 'path', 'pwd', 'workspace', 'base', 'home']

/** No path has more: such a word is taken as it is. */
const longestWord = 1024

/** The parts of a word: texts, and variables between them. */
function partsOf(word: string): { readonly variable: boolean; readonly text: string }[] {
  if (word.length > longestWord) return [{ variable: false, text: word }]
  const found: { readonly variable: boolean; readonly text: string }[] = []
  for (let rest = word; rest !== ''; ) {
    const start = [rest.indexOf('$'), rest.indexOf('{{')].filter((at) => at !== -1)
    const from = start.length === 0 ? rest.length : Math.min(...start)
    if (from > 0) found.push({ variable: false, text: rest.slice(0, from) })
    const variable = leadingVariable(rest.slice(from))
    if (variable !== '') found.push({ variable: true, text: variable })
    rest = rest.slice(from + variable.length)
  }
  return found
}

function leadingVariable(text: string): string {
  const close = closing.find(([open]) => text.startsWith(open))
  if (!close) {
    const end = [...text.slice(1)].findIndex((mark) => !isOfName(mark))
    return end === -1 ? text : text.slice(0, end + 1)
  }
  const end = text.indexOf(close[1])
  return end === -1 ? text : text.slice(0, end + close[1].length)
}

const closing = [
  ['${{', '}}'],
  ['{{', '}}'],
  ['${', '}'],
  ['$(', ')'],
] as const

function isOfName(mark: string): boolean {
  return mark === '_' || (mark >= '0' && mark <= '9') || mark.toLowerCase() !== mark.toUpperCase()
}
