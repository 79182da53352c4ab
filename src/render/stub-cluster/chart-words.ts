import { gunzipSync } from 'node:zlib'
import type { Checkout } from '../../revision/checkout'
import type { HelmSource } from '../../sources/source'
import { helmFiles } from '../tools/helm'
import { mayHoldRoot, withNamedValues } from './dot-scopes'

/** Helm unpacks no more either. */
const maxBytes = 100 * 1024 * 1024

/** The number of words of each kind that are tried. */
const most = { apis: 6, groups: 20, keys: 2000, names: 40, kinds: 300, numbers: 4, minors: 6 }

/** The words in the texts of a chart: not all possible questions, as texts can be put together, but most of them. */
export interface ChartWords {
  /** Whether a template may ask anything at all. */
  readonly mayAsk: boolean
  readonly revision: boolean
  readonly apiVersions: boolean
  readonly kubeVersion: boolean
  /** APIs by name, with or without a kind. */
  readonly apis: readonly string[]
  readonly groups: readonly string[]
  /** Possible keys of data, and names of objects. */
  readonly keys: readonly string[]
  readonly names: readonly string[]
  readonly kinds: readonly string[]
  readonly minors: readonly number[]
  readonly numbers: readonly number[]
}

/**
 * Ways to read something of the cluster: a function or field by its name; `tpl` with any text; and functions that get
 * all data of a template, or the release.
 */
const asking = [
  /\b(?:lookup|tpl|Capabilities|Revision)\b/,
  /[.$]Release\b(?!\.(?:Name|Namespace|Service|IsInstall|IsUpgrade)\b)|["`]Release["`]/,
  /\b(?:to[A-Z]\w{0,20}|print\w{0,2}|index|get|dig|pluck|values|quote|squote|range|with|cat|join|merge\w{0,20}|deepCopy)\s(?:\$\.?|\.)(?=[\s)|}-])/,
  /[({]-?\s?(?:\$\.?|\.)\s?\|/,
  /\bdict\b[^}]{0,500}\s\$(?=[\s)|}])/,
]

/** The words of a release's files, those of packed charts and of values included. */
export async function wordsOf(source: HelmSource, checkout: Checkout): Promise<ChartWords> {
  const texts: string[] = []
  let isPacked = false
  for (const [file, content] of await checkout.read(await helmFiles(source, checkout))) {
    if ('missing' in content) continue
    const bytes = Buffer.from(content)
    const isArchive = bytes[0] === 0x1f && bytes[1] === 0x8b
    if (isArchive || file.endsWith('.tgz')) isPacked = true
    texts.push((isArchive ? unpacked(bytes) : bytes).toString('latin1'))
  }
  for (const one of source.values) if ('text' in one) texts.push(one.text)
  return wordsIn(texts, isPacked)
}

function unpacked(archive: Buffer): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: maxBytes })
  } catch {
    return archive
  }
}

export function wordsIn(texts: readonly string[], isPacked: boolean): ChartWords {
  const templates = texts.filter((text) => text.includes('{{'))
  const found = (pattern: RegExp, limit: number, of = texts) => {
    const words = new Set<string>()
    for (const text of of) {
      for (const [, word = ''] of text.matchAll(pattern)) {
        words.add(word)
        if (words.size >= limit) return [...words]
      }
    }
    return [...words]
  }
  const read = mayHoldRoot(templates) ? templates : templates.map(withNamedValues)
  const has = (word: string) => templates.some((text) => text.includes(word))
  const ofRevision = templates.filter((text) => text.includes('Revision'))
  const ofVersion = templates.filter((text) => /KubeVersion|Capabilities/.test(text))
  return {
    mayAsk: isPacked || read.some((text) => asking.some((pattern) => pattern.test(text))),
    revision: has('Revision'),
    apiVersions: has('APIVersions'),
    kubeVersion: has('KubeVersion'),
    apis: found(
      /["'`]((?:[a-z0-9-]{1,40}\.){0,6}[a-z0-9-]{1,40}\/v\d\w{0,20}(?:\/[A-Z]\w{0,60})?|v1\/[A-Z]\w{0,60})["'`]/g,
      most.apis,
      templates,
    ),
    groups: found(/["'`]((?:[a-z0-9-]{1,40}\.){1,6}[a-z]{2,20})["'`/]/g, most.groups, templates),
    keys: found(/([\w-][\w.-]{0,59})/g, most.keys, templates.map(actionsIn)),
    names: found(
      /["'`]([a-z][a-z0-9-]{2,60})["'`]/g,
      most.names,
      templates.filter((text) => text.includes('lookup')),
    ),
    kinds: found(/(?<![\w-])([A-Z][a-z]\w{2,60})(?![\w-])/g, most.kinds, templates.map(actionsIn)),
    minors: found(/\b1\.([2-4]\d)\b/g, most.minors, ofVersion).map(Number),
    numbers: found(/(?<![\w.])([1-9]\d{0,5})(?![\w.])/g, most.numbers, ofRevision.map(actionsIn)).map(Number),
  }
}

/** The content of actions, and texts in it. */
function actionsIn(template: string): string {
  return template
    .split('{{')
    .slice(1)
    .map((part) => part.split('}}', 1)[0] ?? '')
    .join('\n')
}

/** The words of two charts. */
export function bothWords(one: ChartWords, other: ChartWords): ChartWords {
  const all = <T>(own: readonly T[], its: readonly T[]) => [...new Set([...own, ...its])]
  return {
    mayAsk: one.mayAsk || other.mayAsk,
    revision: one.revision || other.revision,
    apiVersions: one.apiVersions || other.apiVersions,
    kubeVersion: one.kubeVersion || other.kubeVersion,
    apis: all(one.apis, other.apis),
    groups: all(one.groups, other.groups),
    keys: all(one.keys, other.keys),
    names: all(one.names, other.names),
    kinds: all(one.kinds, other.kinds),
    minors: all(one.minors, other.minors),
    numbers: all(one.numbers, other.numbers),
  }
}
