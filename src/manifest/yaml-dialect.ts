import {
  type Document,
  type DocumentOptions,
  type ParseOptions,
  parseAllDocuments,
  type ScalarTag,
  type SchemaOptions,
} from 'yaml'

function scalar(name: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve }
}

/** The plain scalars that go-yaml 2 reads as something other than a string; base 60 and timestamps stay strings. */
const scalars: ScalarTag[] = [
  scalar('null', /^(?:~|null|Null|NULL|)$/, () => null),
  scalar('bool', /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  scalar('bool', /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  scalar('int', /^[-+]?(?:0[bB][01_]+|0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+|[0-9][0-9_]*)$/, (text) => {
    const digits = text.replaceAll('_', '').toLowerCase()
    const [, sign, body = ''] = digits.match(/^([-+]?)(.*)$/) ?? []
    const number = Number(/^0[0-7]+$/.test(body) ? `0o${body.slice(1)}` : body)
    return sign === '-' ? -number : number
  }),
  scalar('float', /^[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/, (text) =>
    Number(text.replaceAll('_', '')),
  ),
  scalar('float', /^[-+]?\.(?:inf|Inf|INF)$/, (text) => (text.startsWith('-') ? -Infinity : Infinity)),
  scalar('float', /^\.(?:nan|NaN|NAN)$/, () => Number.NaN),
  { tag: 'tag:yaml.org,2002:binary', resolve: (text) => Buffer.from(text, 'base64').toString('utf8') },
]

/** Merge keys stay plain keys here; cursors follow them. */
const options: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'failsafe',
  customTags: (tags) => [...tags, ...scalars],
  resolveKnownTags: false,
  merge: false,
  uniqueKeys: false,
  logLevel: 'silent',
  prettyErrors: false,
}

/** A document as kubectl would see it, and the text that its offsets count in. */
export interface ParsedDocument {
  readonly document: Document.Parsed
  readonly text: string
}

/**
 * Parses one document of a stream as kubectl does: of several in one chunk the first counts. Lines of the answer's text are
 * those of the original; columns may differ where the original was indented less than the npm parser takes.
 *
 * @throws RangeError where nesting ends the parser's stack
 */
export function parseAsKubectl(text: string): ParsedDocument | undefined {
  const plain = text
    .replace(/^(---[^\n]*\n)?\ufeff/, '$1')
    // The npm parser wants a blank between a separator and a comment.
    .replace(/^---(?=[ \t]*(?:#|\r?\n|$))/, '   ')
    // YAML 1.1 has more line breaks than JavaScript's YAML parser; each is one character, so offsets stay.
    .replace(/\r(?!\n)|[\u0085\u2028\u2029]/g, '\n')
  const document = firstOf(plain)
  if (!document || document.errors.length === 0) return document && { document, text: plain }
  const deeper = indentContinuations(plain)
  const mended = deeper === plain ? undefined : firstOf(deeper)
  return mended?.errors.length === 0 ? { document: mended, text: deeper } : { document, text: plain }
}

function firstOf(text: string): Document.Parsed | undefined {
  const documents = parseAllDocuments(text, options)
  const document = Array.isArray(documents) ? (documents[0] as Document.Parsed | undefined) : undefined
  // libyaml takes a comment that is glued to the value before it.
  if (document)
    document.errors = document.errors.filter(({ message }) => !message.startsWith('Comments must be separated'))
  return document
}

const deep = ' '.repeat(100)

/**
 * libyaml lets a quoted scalar, or a list or map in brackets, go on at any indent; the npm parser wants it deeper than its
 * parent. This indents the lines on which one goes on, and nothing else.
 */
function indentContinuations(text: string): string {
  let quote = ''
  let depth = 0
  let blockParent = -1
  return text
    .split('\n')
    .map((line) => {
      const indent = line.search(/\S|$/)
      if (blockParent >= 0 && (line.trim() === '' || indent > blockParent)) return line
      blockParent = -1
      const continues = quote !== '' || depth > 0
      for (let index = 0; index < line.length; index++) {
        const char = line[index] ?? ''
        if (quote === '"' && char === '\\') index++
        else if (quote !== '') {
          if (char === quote && quote === "'" && line[index + 1] === "'") index++
          else if (char === quote) quote = ''
        } else if (char === '#' && (index === 0 || /\s/.test(line[index - 1] ?? ''))) break
        else if ((char === '"' || char === "'") && startsNode(line.slice(0, index), depth)) quote = char
        else if ((char === '[' || char === '{') && (depth > 0 || startsNode(line.slice(0, index), depth))) depth++
        else if ((char === ']' || char === '}') && depth > 0) depth--
      }
      if (quote === '' && depth === 0 && /(?:^|[\s:-])[|>][-+0-9]*\s*(?:\s#.*)?$/.test(line)) {
        const dashes = line.match(/^\s*(?:-\s+)*/)?.[0] ?? ''
        const alone = /^\s*(?:-\s+)*[|>]/.test(line)
        blockParent = alone ? dashes.trimEnd().length - 1 : dashes.length
      }
      return continues ? deep + line.trimStart() : line
    })
    .join('\n')
}

/** Whether a node may start after this much of a line, so that a quote or bracket is no part of a plain scalar. */
function startsNode(before: string, depth: number): boolean {
  return depth > 0
    ? /(?:^\s*|[:,[{]\s*)(?:[!&]\S*\s+)*$/.test(before)
    : /(?:^(?:---)?\s*|[:?-]\s+)(?:[!&]\S*\s+)*$/.test(before)
}
