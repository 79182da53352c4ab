import { actionsOf } from '../../template/template-actions'
import { conditionsAmong, ofOrder, ofVersion, type Questions, UncertainActions, unquoted } from './uncertain-actions'

/** An assumption about the conditions of a chart on something that is unknown even with a cluster. */
export interface Answers {
  /** A few words for a reader; the same for both sides of a change. */
  readonly name: string
  readonly conditions?: boolean
  /** Whether `lookup` finds an object. */
  readonly finds?: true
  /** Keys of maps, which have no order: by their names, or the other way round. */
  readonly keys?: 'up' | 'down'
  /** The text that Flux appends to the version of the chart. */
  readonly ending?: string
}

/** As long as what Flux appends, and in no other text. */
const ending = 'f0e1d2c3b4a5'

/** The answers with which a chart is rendered besides: none for a chart that asks nothing. */
export function answersTo({ functions }: Questions): Answers[] {
  const ways: Answers[] = []
  if (functions.has(ofOrder)) {
    ways.push({ name: 'keys of maps come in the order of their names', keys: 'up' })
    ways.push({ name: 'keys of maps come in the reverse order of their names', keys: 'down' })
  }
  if (functions.has(ofVersion)) ways.push({ name: "the chart's version has the revision in it", ending })
  if (conditionsAmong(functions).size === 0) return ways
  const finds = functions.has('lookup') ? { finds: true as const } : {}
  const what = functions.has('lookup') ? 'lookup finds objects' : 'what a condition asks is so'
  return [
    ...ways,
    { name: what, conditions: true, ...finds },
    { name: 'what a condition asks is not so', conditions: false },
  ]
}

/** One question of a chart with another answer in its place. */
export interface Part extends Edit {
  readonly question: string
  readonly file: string
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The changes by an answer, question by question: a chart may refuse one of them. */
export function partsOf(
  texts: ReadonlyMap<string, string>,
  { conditions, finds, keys }: Answers,
  functions: ReadonlySet<string>,
  isInValues: boolean,
): Part[] {
  const uncertain = new UncertainActions(texts, conditionsAmong(functions), isInValues)
  const parts: Part[] = []
  for (const [file, text] of texts) {
    const edits: Edit[] = []
    for (const { from, to, isNamed } of conditions === undefined ? [] : uncertain.conditionsOf(file))
      if (!(isNamed && conditions)) edits.push({ from, to, text: String(conditions) })
    if (keys) edits.push(...keysIn(text, keys))
    if (finds) edits.push(...lookupsIn(text, found))
    const times = new Map<string, number>()
    for (const edit of outermost(edits)) {
      const asked = `${file}: ${text.slice(edit.from, edit.to)}`
      const time = times.get(asked) ?? 0
      times.set(asked, time + 1)
      parts.push({ ...edit, file, question: `${asked} ${time}` })
    }
  }
  return parts
}

/** The texts that parts of an answer change. */
export function edited(texts: ReadonlyMap<string, string>, parts: readonly Part[]): Map<string, string> {
  const edits = new Map<string, Edit[]>()
  for (const part of parts) {
    const known = edits.get(part.file)
    if (known) known.push(part)
    else edits.set(part.file, [part])
  }
  return new Map([...edits].map(([file, its]) => [file, withEdits(texts.get(file) ?? '', its)]))
}

/** In the order of the text; the outer one of nested edits counts. */
function outermost(edits: readonly Edit[]): Edit[] {
  const kept: Edit[] = []
  for (const edit of [...edits].sort((a, b) => a.from - b.from || b.to - a.to))
    if (edit.from >= (kept.at(-1)?.to ?? 0)) kept.push(edit)
  return kept
}

function withEdits(text: string, edits: readonly Edit[]): string {
  let [result, at] = ['', 0]
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    result += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return result + text.slice(at)
}

/** Each call of `lookup` with its arguments, unless one of them is piped into it. */
function lookupsIn(text: string, object: string): Edit[] {
  return callsIn(text, 'lookup').flatMap(({ from, to, isPiped }) => (isPiped ? [] : [{ from, to, text: object }]))
}

/** Each call of `keys`, with an order. */
function keysIn(text: string, order: 'up' | 'down'): Edit[] {
  const sorted = order === 'up' ? ' | sortAlpha' : ' | sortAlpha | reverse'
  return callsIn(text, 'keys').map(({ from, to, isPiped }) => {
    const call = text.slice(from, to) + sorted
    return { from, to, text: isPiped ? call : `(${call})` }
  })
}

interface Call {
  readonly from: number
  readonly to: number
  /** Whether an argument is piped into it. */
  readonly isPiped: boolean
}

function callsIn(text: string, name: string): Call[] {
  const calls: Call[] = []
  for (const { words } of actionsOf(text)) {
    for (const [index, word] of words.entries()) {
      if (word.text !== name) continue
      let [depth, last] = [0, word]
      for (const next of words.slice(index + 1)) {
        if (next.text === '(') depth++
        if (next.text === ')' && depth-- === 0) break
        if (next.text === '|' && depth === 0) break
        last = next
      }
      calls.push({ from: word.from, to: last.to, isPiped: words[index - 1]?.text === '|' })
    }
  }
  return calls
}

/** Replaces `lookup`, without quotes that would end a string of YAML. */
const found = '(fromJson (include `ingress-guard.found` .))'

/** The named template of an object of any kind, with data under every key that the templates may read. */
export function foundObject(texts: Iterable<string>): string {
  const keys = new Set<string>()
  for (const text of texts) {
    for (const { words } of actionsOf(text)) {
      for (const { text: word } of words) {
        const names = /^["`]/.test(word)
          ? [unquoted(word)]
          : word.startsWith('.') || word.startsWith('$')
            ? word.split('.')
            : []
        for (const name of names) if (/^[\w.-]{1,60}$/.test(name) && keys.size < 2000) keys.add(name)
      }
    }
  }
  const data = Object.fromEntries([...keys].map((key) => [key, 'Zm91bmQ=']))
  const metadata = {
    name: 'found',
    namespace: 'found',
    uid: 'found',
    resourceVersion: '1',
    labels: {},
    annotations: {},
  }
  const own = { apiVersion: 'v1', kind: 'Found', metadata, type: 'Opaque', data, spec: {}, status: {} }
  return `{{- define "ingress-guard.found" -}}${JSON.stringify({ ...own, items: [own] })}{{- end -}}\n`
}
