import { actionsOf } from './template-actions'
import { ofRelease, type Questions, UncertainActions, unquoted } from './uncertain-actions'

/** What a cluster may answer to the questions of a chart, besides what `helm template` assumes. */
export interface Answers {
  /** In a few words, for a reader; the same for both sides of a change. */
  readonly name: string
  /** The value of conditions that are not known. */
  readonly conditions?: boolean
  /** Whether `lookup` finds an object. */
  readonly finds?: true
  readonly revision?: number
  readonly kubeVersion?: string
  /** APIs that are served, and others that are not. */
  readonly served?: readonly string[]
  readonly notServed?: readonly string[]
}

/** Odd and even, and larger than any that a template counts to. */
const revisions = { late: 1_000_003, second: 2 }

/** The answers with which a chart is rendered besides: none for a chart that asks nothing. */
export function answersTo({ functions, kubeVersion, apis }: Questions, versions: readonly string[]): Answers[] {
  const answers: Answers[] = []
  if (functions.size > 0) {
    const revision = functions.has(ofRelease)
    const isOther = [...functions].some((name) => name !== ofRelease)
    const finds = functions.has('lookup') ? { finds: true as const } : {}
    const [late, second] = revision ? [{ revision: revisions.late }, { revision: revisions.second }] : [{}, {}]
    const what = functions.has('lookup') ? 'lookup finds objects' : 'what a condition asks is so'
    answers.push({ name: isOther ? what : 'the release is old', conditions: true, ...finds, ...late })
    answers.push({
      name: isOther ? 'what a condition asks is not so' : 'the release is new',
      conditions: false,
      ...second,
    })
  }
  const [served, notServed] = [[...apis].filter(isOfExtension), [...apis].filter(isOutdated)]
  const [oldest, newest] = kubeVersion ? [versions[0], versions.at(-1)] : []
  if (served.length > 0 || notServed.length > 0 || newest !== undefined)
    answers.push({
      name: 'the cluster is new and has all extensions',
      served,
      notServed,
      ...(newest === undefined ? {} : { kubeVersion: newest }),
    })
  if (oldest !== undefined && oldest !== newest) answers.push({ name: 'the cluster is old', kubeVersion: oldest })
  return answers
}

/** Whether an API comes with a CRD. */
function isOfExtension(api: string): boolean {
  const [group = ''] = api.split('/')
  return group.includes('.') && !group.endsWith('.k8s.io')
}

/** Whether an API of Kubernetes is one that a later version served no more. */
function isOutdated(api: string): boolean {
  return !isOfExtension(api) && /^(?:[\w.-]+\/)?v\d+(?:alpha|beta)\d+(?:\/|$)/.test(api)
}

/** An API that no cluster serves. */
const nowhere = 'nowhere.ingress-guard.invalid/v1'

/** One question of a chart with another answer in its place. */
export type Part = { readonly question: string } & (
  | (Edit & { readonly file: string })
  | { readonly api: string }
  | { readonly revision: number }
)

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** What an answer changes, question by question: a chart may refuse one of them. */
export function partsOf(
  texts: ReadonlyMap<string, string>,
  { conditions, finds, revision, served = [], notServed = [] }: Answers,
  functions: ReadonlySet<string>,
  isInValues: boolean,
): Part[] {
  const uncertain = new UncertainActions(texts, functions, isInValues)
  const parts: Part[] = served.map((api) => ({ api, question: api }))
  if (revision !== undefined) parts.push({ revision, question: 'the revision' })
  for (const [file, text] of texts) {
    const edits: Edit[] = []
    if (conditions !== undefined)
      for (const { from, to, isNamed } of uncertain.conditionsOf(file))
        if (!(isNamed && conditions)) edits.push({ from, to, text: String(conditions) })
    if (finds) edits.push(...lookupsIn(text, found))
    if (notServed.length > 0) edits.push(...apisIn(text, new Set(notServed)))
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
    if (!('file' in part)) continue
    const known = edits.get(part.file)
    if (known) known.push(part)
    else edits.set(part.file, [part])
  }
  return new Map([...edits].map(([file, its]) => [file, withEdits(texts.get(file) ?? '', its)]))
}

/** In the order of the text; of edits within each other the outer one counts. */
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
  const edits: Edit[] = []
  for (const { words } of actionsOf(text)) {
    for (const [index, word] of words.entries()) {
      if (word.text !== 'lookup' || words[index - 1]?.text === '|') continue
      let [depth, last] = [0, word]
      for (const next of words.slice(index + 1)) {
        if (next.text === '(') depth++
        if (next.text === ')' && depth-- === 0) break
        if (next.text === '|' && depth === 0) break
        last = next
      }
      edits.push({ from: word.from, to: last.to, text: object })
    }
  }
  return edits
}

function apisIn(text: string, apis: ReadonlySet<string>): Edit[] {
  return actionsOf(text).flatMap(({ words }) => {
    if (!words.some((word) => word.text.includes('APIVersions') || word.text.includes('Capabilities'))) return []
    return words.flatMap(({ text: word, from, to }) =>
      /^["`]/.test(word) && apis.has(unquoted(word)) ? [{ from, to, text: `\`${nowhere}\`` }] : [],
    )
  })
}

/** What takes the place of `lookup`, free of quotes that would end a string of YAML. */
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
