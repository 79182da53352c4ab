import { endOfBlanks, endOfJson, isJson } from './json'

/** One document of a stream: its text, and how far into the file it starts. */
export interface DocumentText {
  readonly text: string
  readonly offset: number
}

/**
 * Splits a stream as kubectl does: a sequence of JSON values at their ends, and everything else at lines that start
 * with `---`, so that a broken document leaves the others intact. Text after JSON is read as YAML.
 * Source: k8s.io/apimachinery/pkg/util/yaml, YAMLReader and YAMLOrJSONDecoder.
 */
export function splitDocuments(text: string): DocumentText[] {
  const values = mayBeJson.test(text) ? splitJson(text) : undefined
  if (!values) return splitYaml(text, 0)
  const last = values.at(-1)
  return [...values, ...splitYaml(text, endOfSpace(text, last ? last.offset + last.text.length : 0))]
}

/** White space as Go defines it, and a brace. */
const mayBeJson = /^(?:(?!\ufeff)[\s\u0085])*\{/

/** The end of the white space that kubectl skips before it reads YAML after JSON: at a line feed at the latest. */
function endOfSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /(?!\ufeff)[\s\u0085]/.test(text[at] ?? '')) {
    if (text[at] === '\n') return at + 1
    at++
  }
  return at
}

/**
 * Only a line feed ends a line here; YAML's other line breaks end no document. Text after `---` on its line is refused
 * when the document is read.
 */
function splitYaml(text: string, from: number): DocumentText[] {
  const starts = [from]
  for (let at = text.indexOf('\n---', from); at !== -1; at = text.indexOf('\n---', at + 1)) starts.push(at + 1)
  return starts
    .map((offset, index) => ({ text: text.slice(offset, starts[index + 1]), offset }))
    .filter((document) => !isBlank(document.text))
}

const blankLine =
  /^(?:(?:---)?[ \t\r\u0085\u2028\u2029]*|(?:---)?[ \t]*#[^\r\u0085\u2028\u2029]*\r?|%[^\r\u0085\u2028\u2029]*\r?|\.\.\.[ \t\r]*)$/

/** Whether a text has only a separator, comments, directives and end marks. */
function isBlank(text: string): boolean {
  for (let start = 0; start <= text.length; ) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed
    if (!blankLine.test(text.slice(start, end))) return false
    start = end + 1
  }
  return true
}

/** The JSON values that a text begins with. */
function splitJson(text: string): DocumentText[] {
  const documents: DocumentText[] = []
  let end = 0
  for (;;) {
    const start = endOfBlanks(text, end)
    end = endOfJson(text, start)
    if (end === start || !isJson(text.slice(start, end))) return documents
    documents.push({ text: text.slice(start, end), offset: start })
  }
}
