/**
 * The value of an expression of a Go template with the functions that ApplicationSets use most: those from texts to a
 * text. https://masterminds.github.io/sprig/strings.html
 *
 * @param fieldAt the value of a field, by its path; undefined for one that is not set
 * @returns undefined for an expression that is not one of these
 */
export function evaluateTemplate(
  expression: string,
  fieldAt: (path: string) => string | undefined,
): string | undefined {
  let piped: string | undefined
  for (const [index, stage] of stagesOf(expression).entries()) {
    const [name, ...args] = wordsOf(stage)
    if (name === undefined) return undefined
    const values = args.map((word) => argumentOf(word, fieldAt))
    if (index > 0) values.push({ text: piped })
    if (args.length === 0 && index === 0) {
      const first = argumentOf(name, fieldAt)
      if (!first) return undefined
      piped = first.text
      continue
    }
    const made = values.some((value) => value === undefined)
      ? undefined
      : call(
          name,
          values.map((value) => value?.text),
        )
    if (made === undefined) return undefined
    piped = made
  }
  return piped
}

/** An expression is no longer than this. */
const longest = 1000

/** The parts between the bars that are in no quotes. */
function stagesOf(expression: string): string[] {
  if (expression.length > longest) return []
  const stages = ['']
  let quote = ''
  for (const letter of expression) {
    if (quote === '' && letter === '|') stages.push('')
    else {
      if (quote === letter) quote = ''
      else if (quote === '' && (letter === '"' || letter === '`')) quote = letter
      stages[stages.length - 1] += letter
    }
  }
  return stages
}

function wordsOf(stage: string): string[] {
  return stage.trim().match(/"[^"\\]*"|`[^`]*`|[^\s"`]+/g) ?? []
}

/** A field, a text in quotes, or a number; undefined for anything else. */
function argumentOf(
  word: string,
  fieldAt: (path: string) => string | undefined,
): { readonly text: string | undefined } | undefined {
  if (/^["`]/.test(word)) return { text: word.slice(1, -1) }
  if (/^\d+$/.test(word)) return { text: word }
  return /^\.[\w.-]+$/.test(word) ? { text: fieldAt(word.slice(1)) } : undefined
}

function call(name: string, args: readonly (string | undefined)[]): string | undefined {
  const last = args.at(-1)
  if (name === 'default') return args.length === 2 ? (last ? last : args[0]) : undefined
  if (args.some((one) => one === undefined) || last === undefined) return undefined
  const [first = '', second = ''] = args as readonly string[]
  switch (`${name} ${args.length}`) {
    case 'lower 1':
      return last.toLowerCase()
    case 'upper 1':
      return last.toUpperCase()
    case 'trim 1':
      return last.trim()
    case 'toString 1':
      return last
    case 'quote 1':
      return JSON.stringify(last)
    case 'squote 1':
      return `'${last}'`
    case 'normalize 1':
      return normalized(last)
    case 'trimPrefix 2':
      return first !== '' && last.startsWith(first) ? last.slice(first.length) : last
    case 'trimSuffix 2':
      return first !== '' && last.endsWith(first) ? last.slice(0, -first.length) : last
    case 'trunc 2':
      return last.slice(0, Number(first))
    case 'replace 3':
      return first === '' ? undefined : last.replaceAll(first, second)
    default:
      return name === 'printf' ? printed(first, args.slice(1) as readonly string[]) : undefined
  }
}

/** Turns a text into a Kubernetes name as ApplicationSets do. */
export function normalized(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
}

/** Texts in the places of `%s`; any other place is not read. */
function printed(format: string, args: readonly string[]): string | undefined {
  const parts = format.split('%s')
  if (parts.length !== args.length + 1 || parts.some((part) => part.includes('%'))) return undefined
  return parts.map((part, index) => part + (args[index] ?? '')).join('')
}
