/** One document of a stream: its text, and how far into the file it starts. */
export interface DocumentText {
  readonly text: string
  readonly offset: number
}

/**
 * Splits a stream as kubectl does: YAML at lines that start with `---`, so that one broken document leaves the others
 * alone, and a file that starts as a JSON object as a sequence of JSON values.
 * Source: k8s.io/apimachinery/pkg/util/yaml, YAMLReader and YAMLOrJSONDecoder.
 */
export function splitDocuments(text: string): DocumentText[] {
  return /^\s*\{\s*["}]/.test(text) ? splitJson(text) : splitYaml(text)
}

function splitYaml(text: string): DocumentText[] {
  const starts = [0]
  for (const separator of text.matchAll(/^---(?=\s|$)/gm)) if (separator.index > 0) starts.push(separator.index)
  return starts
    .map((offset, index) => ({ text: text.slice(offset, starts[index + 1]), offset }))
    .filter((document) => !isBlank(document.text))
}

/** Nothing but a separator, comments, directives and end marks. */
function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^(?:---)?\s*(?:#.*)?$|^%|^\.\.\.\s*$/.test(line))
}

function splitJson(text: string): DocumentText[] {
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
  if (text.slice(start).trim() !== '') documents.push({ text: text.slice(start), offset: start })
  return documents
}
