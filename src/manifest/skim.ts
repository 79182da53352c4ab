import { identify } from '../kubernetes/identity'
import { splitDocuments } from './documents'
import { loadFile } from './load'
import type { ObjectRef } from './manifest'

/** A document of the plain shape that nearly all manifests have: four keys in block style, unquoted or simply quoted. */
const scalar = `["']?([\\w.:/@-]+)["']?[ \\t]*(?:#.*)?\\r?$`
const apiVersionLine = new RegExp(`^apiVersion:[ \\t]+${scalar}`, 'gm')
const kindLine = new RegExp(`^kind:[ \\t]+${scalar}`, 'gm')
const metadataBlock = /^metadata:[ \t]*(?:#.*)?\r?\n((?:(?:[ \t]+.*|[ \t]*|#.*)\r?(?:\n|$))*)/m

/**
 * The identities of the objects in a file, read without parsing where the file allows it. Telling which folders repeat
 * each other takes the identity of every object of a repository, and nothing else of most of them.
 */
export function skimIdentities(text: string): ObjectRef[] {
  return splitDocuments(text).flatMap((document) => {
    const skimmed = skimDocument(document.text)
    if (skimmed === 'none') return []
    return skimmed ? [skimmed] : loadFile(document.text).objects.map((object) => object.ref)
  })
}

/** The kind of a document where it can be told without parsing; a list, a template or flow style cannot. */
export function skimKind(text: string): string | undefined {
  const kinds = [...text.matchAll(kindLine)]
  const kind = kinds[0]?.[1]
  return kinds.length === 1 && kind && !kind.endsWith('List') ? kind : undefined
}

function skimDocument(text: string): ObjectRef | 'none' | undefined {
  if (!text.includes('apiVersion') || !text.includes('kind')) return 'none'
  const apiVersions = [...text.matchAll(apiVersionLine)]
  const kind = skimKind(text)
  const metadata = text.match(metadataBlock)?.[1]
  if (apiVersions.length !== 1 || !kind || metadata === undefined) return undefined
  const indent = metadata.match(/^([ \t]+)[^\s#]/m)?.[1]
  if (indent === undefined) return undefined
  const field = (key: string) => metadata.match(new RegExp(`^${indent}${key}:[ \\t]+${scalar}`, 'm'))?.[1]
  const mentions = (key: string) => new RegExp(`^${indent}["']?${key}["']?[ \\t]*:`, 'm').test(metadata)
  const name = field('name')
  const namespace = field('namespace')
  if (!name || (!namespace && mentions('namespace')) || metadata.includes('<<') || /^\d+$/.test(name)) return undefined
  return identify(apiVersions[0]?.[1] ?? '', kind, namespace ?? '', name)
}
