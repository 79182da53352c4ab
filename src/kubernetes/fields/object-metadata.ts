import { didYouMean } from '../../closest'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

/** A part of the metadata that the API server refuses, whatever the kind. */
export interface MetadataFault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
  /** A number or a boolean without quotes, which some tools put right. */
  readonly unquoted?: 'annotation' | 'label'
}

/** Source: k8s.io/apimachinery v0.36, pkg/apis/meta/v1/types.go, ObjectMeta; clusterName was one until 1.24. */
const fields: readonly string[] = [
  'annotations',
  'clusterName',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]

/** The faults of the metadata of an object. */
export function* metadataFaultsOf(root: Cursor): Iterable<MetadataFault> {
  for (const [key, at] of root.at('metadata').entries()) {
    if (fields.includes(key) || isPatch(key) || isPlaceholder(key)) continue
    const isAnnotation = key.includes('/') && at.string !== undefined
    const hint = isAnnotation ? `Write it under metadata.annotations.` : didYouMean(key, fields).trim()
    const remedy = hint || 'Write it where it belongs, such as under metadata.annotations or metadata.labels.'
    yield { at, fault: `metadata has no field ${key}`, remedy }
  }
  yield* annotationFaultsOf(root)
  yield* entryFaultsOf(root.at('metadata', 'labels'), 'label')
}

/** The faults of the annotations of an object. */
export function annotationFaultsOf(root: Cursor): Iterable<MetadataFault> {
  return entryFaultsOf(root.at('metadata', 'annotations'), 'annotation')
}

function* entryFaultsOf(at: Cursor, word: 'annotation' | 'label'): Iterable<MetadataFault> {
  if (at.isList || (at.string !== undefined && !isPlaceholder(at.string))) {
    const field = `metadata.${at.path.at(-1)}`
    yield { at, fault: `${field} is not a map`, remedy: `Write each ${word} on its own line, as key: "value".` }
    return
  }
  for (const [key, entry] of at.entries()) {
    if (isPatch(key) || isPlaceholder(key)) continue
    const form = formOf(entry)
    if (entry.isMap || entry.isList) {
      const remedy = `Write it where it belongs, or as a string if it is the ${word}'s value.`
      yield { at: entry, fault: `the ${word} ${key} is ${form}, not a string`, remedy }
    } else if (form) {
      const remedy = 'Put the value in quotes.'
      yield { at: entry, fault: `the ${word} ${key} is ${form}, not a string`, remedy, unquoted: word }
    }
    // Of annotations, upper-case letters are taken for lower-case ones.
    if (!isQualifiedName(word === 'annotation' ? key.toLowerCase() : key)) {
      const strange = [...key].filter((letter) => /[^\w./-]/.test(letter))
      const why = strange.length > 0 ? `: it contains ${[...new Set(strange)].map(shown).join(', ')}` : ''
      const remedy = `Write the key as name or prefix/name, of letters, digits, and "-", "_" and "." between them.`
      yield {
        at: entry,
        fault: `${key} is no valid key of ${word === 'label' ? 'a label' : 'an annotation'}${why}`,
        remedy,
      }
    }
  }
}

/** The form of a value that is no string; undefined of a string and of an empty value. */
function formOf(at: Cursor): string | undefined {
  if (at.isMap) return 'a map'
  if (at.isList) return 'a list'
  const { value } = at
  if (at.string !== undefined || value === undefined || value === null) return undefined
  return typeof value === 'boolean' ? `the boolean ${value}` : `the number ${value}`
}

function shown(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  if (letter === ' ') return 'a space'
  return code < 127 ? letter : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A directive of a strategic merge patch. */
function isPatch(key: string): boolean {
  return key.startsWith('$')
}

/** Source: k8s.io/apimachinery v0.36, pkg/util/validation/validation.go, IsQualifiedName */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2 || name.length > 63 || !/^[\w.-]+$/.test(name) || /^[._-]|[._-]$/.test(name)) return false
  const [prefix] = parts.slice(0, -1)
  return prefix === undefined || (prefix.length <= 253 && prefix.split('.').every(isLabel))
}

/** A part of a DNS-1123 subdomain. */
function isLabel(text: string): boolean {
  return /^[a-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-')
}

/**
 * What becomes of an object with a value without quotes; undefined where the API server certainly rejects it. kustomize,
 * and so Flux, puts annotations in quotes. Flux reads no label of an object where one is no string, and then sets only its
 * own. Sources: kubernetes-sigs/kustomize,
 * kyaml/yaml/rnode.go, SetAnnotations; fluxcd/pkg, ssa/manager.go, SetOwnerLabels
 */
export function fateOf(unquoted: 'annotation' | 'label', { origin }: Manifest): string | undefined {
  if (unquoted === 'label') return 'Flux applies it without any of its labels'
  return origin.kind === 'rendered' && !origin.unbuilt ? undefined : 'only kustomize and Flux put it in quotes'
}
