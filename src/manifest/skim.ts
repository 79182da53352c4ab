import { DocumentReader } from './document-reader'
import { splitDocuments } from './documents'
import { identify } from './identity'
import type { ObjectRef } from './manifest'
import { mentions } from './mentions'

/** A value as nearly all manifests write names: quoted, or plain and beginning with a letter. */
const scalar = /^(?:(["'])([\w.:/@-]+)\1|([A-Za-z](?:[\w.:/@-]*[\w./@-])?))(?:[ \t]+#.*|[ \t]*)$/
const entry = /^([A-Za-z][\w./-]*):(?:[ \t]+([^ \t].*)?)?$/
/** Plain words that YAML does not read as text. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i
/** Line breaks and marks that lines of `key: value` do not show. */
const odd = /\r(?!\n)|[\u0085\u2028\u2029]|\{[{%]/

/** How nearly all documents begin: apiVersion, kind, name, namespace, labels, annotations. */
const usualStart =
  /^(?:---\n)?apiVersion: ((?:[a-z][\w.-]*\/)?v\d\w*)\nkind: ([A-Z]\w+)\nmetadata:\n {2}name: ([A-Za-z][\w.-]*)\n(?: {2}namespace: ([A-Za-z][\w.-]*)\n)?(?: {2}labels:\n(?: {4}.*\n)+)?(?: {2}annotations:\n(?: {4}.*\n)+)?/
/** How they go on: at most three keys, each with a word or with indented lines. */
const usualEnd =
  /^(?:([a-z]\w*):(?: [A-Za-z][\w./-]*)?\n(?:(?: |- ).*\n)*)?(?:([a-z]\w*):(?: [A-Za-z][\w./-]*)?\n(?:(?: |- ).*\n)*)?(?:([a-z]\w*):(?: [A-Za-z][\w./-]*)?\n(?:(?: |- ).*\n)*)?$/

/**
 * The identities of the objects in a file, read without parsing where possible. Finding folders that repeat each other
 * needs the identity of every object of a repository, and little else.
 */
export function skimIdentities(text: string): ObjectRef[] {
  let reader: DocumentReader | undefined
  return splitDocuments(text).flatMap((document) => {
    const skimmed = skimDocument(document.text)
    if (skimmed === 'none') return []
    if (skimmed) return [skimmed]
    reader ??= new DocumentReader()
    const reading = reader.read(document.text)
    return 'objects' in reading ? reading.objects.map(({ ref }) => ref) : []
  })
}

/** Whether an object of a kind may be made of others: a list, or a set of resources. */
function mayHoldOthers(kind: string): boolean {
  return kind.endsWith('List') || kind === 'ResourceSet'
}

/** The kind of a document if it can be read without parsing; not possible for lists, templates and flow style. */
export function skimKind(text: string): string | undefined {
  return kindIn(keysOf(text))
}

function kindIn(keys: ReadonlyMap<string, string> | undefined): string | undefined {
  const kind = textIn(keys?.get('kind'))
  return kind !== undefined && mayHoldOthers(kind) ? undefined : kind
}

function skimDocument(text: string): ObjectRef | 'none' | undefined {
  const usual = skimUsual(text)
  if (usual) return usual
  if (!mentions(text, 'apiVersion') || !mentions(text, 'kind')) return 'none'
  const keys = keysOf(text)
  const kind = kindIn(keys)
  const apiVersion = textIn(keys?.get('apiVersion'))
  const name = textIn(keys?.get('metadata.name'))
  const namespace = textIn(keys?.get('metadata.namespace'))
  if (!apiVersion || !kind || !name || (!namespace && keys?.has('metadata.namespace'))) return undefined
  return identify(apiVersion, kind, namespace ?? '', name)
}

/** The keys below which a line matters. */
const identifying = new Set(['apiVersion', 'kind', 'metadata'])

/** The identity in a document as nearly all are written. */
function skimUsual(text: string): ObjectRef | undefined {
  const [start, apiVersion = '', kind = '', name = '', namespace = ''] = usualStart.exec(text) ?? []
  if (start === undefined || mayHoldOthers(kind) || odd.test(text)) return undefined
  const [end, first = '', second, third] = usualEnd.exec(text.slice(start.length)) ?? []
  if (end === undefined || [first, second, third].some((key = '') => identifying.has(key) || key === 'items'))
    return undefined
  if (first === second || (third !== undefined && (first === third || second === third))) return undefined
  const isText = !notText.test(kind) && !notText.test(name) && !notText.test(namespace)
  return isText ? identify(apiVersion, kind, namespace, name) : undefined
}

/**
 * The values of the keys of a document and of its metadata, if each of their lines is a plain `key: value` and no value
 * of an identity continues on the next line.
 */
function keysOf(text: string): Map<string, string> | undefined {
  if (odd.test(text)) return undefined
  const keys = new Map<string, string>()
  let section = ''
  let field = ''
  let indent = 0
  for (let start = 0, next = 0; start <= text.length; start = next) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed
    next = end + 1
    // Most lines of a manifest are below a key that is not part of its identity.
    if (text[start] === ' ' && section !== '' && !identifying.has(section)) continue
    const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
    const depth = line.search(/[^ ]/)
    if (/^[ \t]*(?:#|$)/.test(line)) continue
    if (keys.size === 0 && /^---[ \t]*(?:#|$)/.test(line)) continue
    const isTop = depth === 0 && !line.startsWith('- ')
    if (!isTop && (section === '' || section === 'apiVersion' || section === 'kind')) return undefined
    if (!isTop && section !== 'metadata') continue
    if (!isTop && indent === 0) indent = depth
    if (!isTop && depth > indent) {
      if (field === 'name' || field === 'namespace') return undefined
      continue
    }
    const [, key = '', behind = ''] = (isTop || depth === indent ? entry.exec(line.slice(depth)) : null) ?? []
    const place = isTop ? key : `metadata.${key}`
    if (key === '' || keys.has(place) || place === 'items' || goesOn(behind)) return undefined
    if (place === 'metadata' && !/^[ \t]*(?:#|$)/.test(behind)) return undefined
    keys.set(place, behind)
    if (isTop) section = key
    else field = key
  }
  return keys
}

const closing = new Map([
  ['"', '"'],
  ["'", "'"],
  ['{', '}'],
  ['[', ']'],
])

/** Whether a value begins with a quote or bracket and may end in a later line. */
function goesOn(behind: string): boolean {
  const close = closing.get(behind[0] ?? '')
  const comment = behind.search(/[ \t]#/)
  const value = (comment === -1 ? behind : behind.slice(0, comment)).trimEnd()
  return close !== undefined && (behind.length === 1 || !value.endsWith(close))
}

/** The value after a key, if it is text. */
function textIn(behind = ''): string | undefined {
  const [, , quoted, plain] = scalar.exec(behind) ?? []
  return plain !== undefined && notText.test(plain) ? undefined : (quoted ?? plain)
}
