/** One document of a stream: its text, and how far into the file it starts. */
export interface DocumentText {
  readonly text: string
  readonly offset: number
}

/**
 * Splits a stream as kubectl does: YAML at lines that start with `---`, so that one broken document leaves the others
 * alone, and a sequence of JSON values at their ends.
 * Source: k8s.io/apimachinery/pkg/util/yaml, YAMLReader and YAMLOrJSONDecoder.
 */
export function splitDocuments(text: string): DocumentText[] {
  return (/^\s*\{/.test(text) && splitJson(text)) || splitYaml(text)
}

/** A line feed alone ends a line here; what else YAML takes for a line break ends no document. */
function splitYaml(text: string): DocumentText[] {
  const starts = [0]
  for (let at = text.indexOf('\n---'); at !== -1; at = text.indexOf('\n---', at + 1)) {
    if (/^(?:[\s#]|$)/.test(text.slice(at + 4, at + 5))) starts.push(at + 1)
  }
  return starts
    .map((offset, index) => ({ text: text.slice(offset, starts[index + 1]), offset }))
    .filter((document) => !isBlank(document.text))
}

/** Nothing but a separator, comments, directives and end marks. */
function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^(?:---)?\s*(?:#[^\r\u0085\u2028\u2029]*)?\r?$|^%|^\.\.\.\s*$/.test(line))
}

/** The JSON values of a text; none when it is anything else, such as YAML in flow style. */
function splitJson(text: string): DocumentText[] | undefined {
  const documents: DocumentText[] = []
  let start = 0
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (inString) {
      if (char === '\\') index++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) {
      documents.push({ text: text.slice(start, index + 1), offset: start })
      start = index + 1
    }
  }
  const complete = text.slice(start).trim() === '' && documents.every((document) => isJson(document.text))
  return complete ? documents : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
