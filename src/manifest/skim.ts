import { identify } from '../kubernetes/identity'
import { DocumentReader } from './document-reader'
import { splitDocuments } from './documents'
import type { ObjectRef } from './manifest'

/** A value as nearly all manifests write names: quoted, or plain and beginning with a letter. */
const scalar = String.raw`(?:(["'])([\w.:/@-]+)\1|([A-Za-z](?:[\w.:/@-]*[\w./@-])?))(?:[ \t]+#.*|[ \t]*)\r?$`
const value = new RegExp(`^${scalar}`)
const kindLine = new RegExp(`^kind:[ \\t]+${scalar}`, 'gm')
const entry = /^([A-Za-z][\w./-]*):(?:[ \t]+(.*))?$/
/** Plain words that YAML does not read as text. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i
/** Line breaks and marks that lines of `key: value` do not show. */
const odd = /\r(?!\n)|[\u0085\u2028\u2029]|\{[{%]/

/**
 * The identities of the objects in a file, read without parsing where the file allows it. Telling which folders repeat
 * each other takes the identity of every object of a repository, and nothing else of most of them.
 */
export function skimIdentities(text: string): ObjectRef[] {
  const reader = new DocumentReader()
  return splitDocuments(text).flatMap((document) => {
    const skimmed = skimDocument(document.text)
    if (skimmed === 'none') return []
    if (skimmed) return [skimmed]
    const reading = reader.read(document.text)
    return 'objects' in reading ? reading.objects.map(({ ref }) => ref) : []
  })
}

/** The kind of a document where it can be told without parsing; of a list, a template or flow style it cannot. */
export function skimKind(text: string): string | undefined {
  if (isSpelledOtherwise(text)) return undefined
  const [match, ...more] = [...text.matchAll(kindLine)]
  const kind = more.length === 0 ? textOf(match) : undefined
  return kind?.endsWith('List') ? undefined : kind
}

function skimDocument(text: string): ObjectRef | 'none' | undefined {
  // An escape or a tag may write any letter of a key.
  if (!text.includes('apiVersion') || !text.includes('kind')) return /[\\!]/.test(text) ? undefined : 'none'
  const keys = odd.test(text) ? undefined : keysOf(text)
  if (!keys) return undefined
  const read = (key: string) => textOf(value.exec(keys.get(key) ?? ''))
  const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'].map(read)
  if (!apiVersion || !kind || kind.endsWith('List') || !name) return undefined
  if (!namespace && keys.has('metadata.namespace')) return undefined
  return identify(apiVersion, kind, namespace ?? '', name)
}

/**
 * What stands behind the keys of a document and of its metadata, where each of their lines is a plain `key: value` and no
 * value of an identity goes on in the next line.
 */
function keysOf(text: string): Map<string, string> | undefined {
  const keys = new Map<string, string>()
  let section = ''
  let field = ''
  let indent = 0
  for (const written of text.split('\n')) {
    const line = written.endsWith('\r') ? written.slice(0, -1) : written
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

/** Whether a value begins with a quote or bracket and may end in a later line. */
function goesOn(behind: string): boolean {
  const close = { '"': '"', "'": "'", '{': '}', '[': ']' }[behind[0] ?? '']
  return (
    close !== undefined &&
    (behind.length === 1 ||
      !behind
        .replace(/[ \t]#.*$/, '')
        .trimEnd()
        .endsWith(close))
  )
}

/**
 * Whether a document may say something else than its lines that begin with a key: by a merge key, an alias, a tag or quotes at a key,
 * as a list, in flow style, or with its keys indented, below which a line of quoted text may look like a key.
 */
function isSpelledOtherwise(text: string): boolean {
  return (
    /^(?:<<|["'?*&!{]|items)/m.test(text) || /^(?:(?:---|#|%)[^\n]*\n|[ \t\r]*\n)*(?:[ \t]|---[ \t]+[^#\s])/.test(text)
  )
}

/** The value of a match that is text. */
function textOf(match: RegExpMatchArray | null | undefined): string | undefined {
  const plain = match?.[3]
  return plain !== undefined && notText.test(plain) ? undefined : (match?.[2] ?? plain)
}
