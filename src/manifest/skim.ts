import { identify } from '../kubernetes/identity'
import { splitDocuments } from './documents'
import { loadFile } from './load'
import type { ObjectRef } from './manifest'

/** A value as nearly all manifests write names: quoted, or plain and beginning with a letter. */
const scalar = `(?:(["'])([\\w.:/@-]+)\\1|([A-Za-z][\\w.:/@-]*))[ \\t]*(?:#.*)?\\r?$`
const apiVersionLine = new RegExp(`^apiVersion:[ \\t]+${scalar}`, 'gm')
const kindLine = new RegExp(`^kind:[ \\t]+${scalar}`, 'gm')
const metadataBlock = /^metadata:[ \t]*(?:#.*)?\r?\n((?:(?:[ \t]+.*|[ \t]*|#.*)\r?(?:\n|$))*)/gm
/** A line without indent that is no plain key, comment or bare separator, or brings in a list of objects. */
const oddLine = /^(?!(?!items\b)[A-Za-z][\w./-]*:(?:\s|$)|#|---[ \t]*(?:#|\r?$)|\s|$)/m
/** Plain words that YAML does not read as text. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i

/**
 * The identities of the objects in a file, read without parsing where the file allows it. Telling which folders repeat
 * each other takes the identity of every object of a repository, and nothing else of most of them.
 */
export function skimIdentities(text: string): ObjectRef[] {
  return splitDocuments(text).flatMap((document) => {
    const skimmed = skimDocument(document.text)
    if (skimmed === 'none') return []
    return skimmed ? [skimmed] : loadFile({ text: document.text }).objects.map((object) => object.ref)
  })
}

/** The kind of a document where it can be told without parsing; of a list, a template or flow style it cannot. */
export function skimKind(text: string): string | undefined {
  const kind = onlyValue([...text.matchAll(kindLine)])
  return kind?.endsWith('List') ? undefined : kind
}

function skimDocument(text: string): ObjectRef | 'none' | undefined {
  // A backslash may write any letter of a key.
  if (!text.includes('apiVersion') || !text.includes('kind')) return text.includes('\\') ? undefined : 'none'
  const apiVersion = onlyValue([...text.matchAll(apiVersionLine)])
  const kind = skimKind(text)
  const [block, ...more] = [...text.matchAll(metadataBlock)]
  const metadata = block?.[1]
  if (!apiVersion || !kind || metadata === undefined || more.length > 0) return undefined
  // A merge key, an alias or another way to write a key may bring in what these lines do not show.
  if (oddLine.test(text) || /\{[{%]|[\u0085\u2028\u2029!]/.test(text) || /<<|:[ \t]+[*!]/.test(metadata))
    return undefined
  const indent = metadata.match(/^([ \t]+)[^\s#]/m)?.[1]
  if (indent === undefined) return undefined
  const values = (key: string) => [...metadata.matchAll(new RegExp(`^${indent}${key}:[ \\t]+${scalar}`, 'gm'))]
  const mentions = (key: string) => new RegExp(`^${indent}["']?${key}["']?[ \\t]*:`, 'm').test(metadata)
  const name = onlyValue(values('name'))
  const namespace = onlyValue(values('namespace'))
  if (!name || (!namespace && mentions('namespace'))) return undefined
  return identify(apiVersion, kind, namespace ?? '', name)
}

/** The value of a line that stands once and is text. */
function onlyValue(matches: readonly RegExpMatchArray[]): string | undefined {
  const [match, ...more] = matches
  const plain = match?.[3]
  if (!match || more.length > 0 || (plain !== undefined && notText.test(plain))) return undefined
  return match[2] ?? plain
}
