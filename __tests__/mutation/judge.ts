import { isDeepStrictEqual } from 'node:util'
import { identify } from '../../src/manifest/identity'
import { decodeFile, type LoadedFile, type LoadedObject, loadFile } from '../../src/manifest/load'
import { identityOf, Manifest } from '../../src/manifest/manifest'
import { skimIdentities } from '../../src/manifest/skim'
import { readValues } from '../../src/values/values-file'
import type { Answer, Identity } from './decoder'

/** A difference between the gate's reading of an input and kubectl's. */
export interface Difference {
  readonly cause: 'lost' | 'content' | 'skim'
  readonly detail: string
}

/** Reads an input in every way that needs no tree around it, and compares the readings. */
export function differencesIn(bytes: Uint8Array, answer?: Answer): Difference[] {
  const file = decodeFile(bytes)
  const loaded = loadFile(file)
  readValues(bytes)
  return [...againstItself(file.text, loaded), ...(answer ? againstDecoder(loaded, answer) : [])]
}

function againstItself(text: string, loaded: LoadedFile): Difference[] {
  const found: Difference[] = []
  const refs = loaded.objects.map(({ ref }) => identityOf(ref))
  const skimmed = skimIdentities(text).map(identityOf)
  const missing = refs.filter((ref) => !skimmed.includes(ref))
  const extra = skimmed.filter((ref) => !refs.includes(ref))
  if (missing.length > 0) found.push({ cause: 'skim', detail: `misses ${missing}` })
  if (extra.length > 0 && loaded.unreadable.length === 0) found.push({ cause: 'skim', detail: `makes up ${extra}` })
  if (loaded.objects.length > 0 && !loaded.kubernetes)
    found.push({ cause: 'skim', detail: 'takes the file for one without objects' })
  return found
}

/** Every object that kubectl reads is read with its contents, or its document is unreadable. */
function againstDecoder(loaded: LoadedFile, answer: Answer): Difference[] {
  const found: Difference[] = []
  const left = loaded.objects.map((object) => ({ key: identityIn(object).join(' '), object }))
  const wanted: { identity: Identity; object?: unknown }[] =
    'identities' in answer
      ? answer.identities.map((identity) => ({ identity }))
      : answer.objects.flatMap((object) => identityOfJson(object).map((identity) => ({ identity, object })))
  for (const { identity, object } of wanted) {
    const key = identity.join(' ')
    const same = left.filter((one) => one.key === key)
    const equal = same.find((one) => !object || isDeepStrictEqual(fields(dataOf(one.object)), fields(object)))
    const taken = equal ?? same[0]
    if (taken) left.splice(left.indexOf(taken), 1)
    if (!taken && !isCovered(identity, loaded)) found.push({ cause: 'lost', detail: key })
    if (taken && !equal) {
      const detail = `${key} is ${JSON.stringify(object)} and is read as ${JSON.stringify(dataOf(taken.object))}`
      found.push({ cause: 'content', detail })
    }
  }
  return found
}

/**
 * The identities of objects that the API server could take: they have a name, and only those of RBAC have marks of a
 * template.
 */
export function identitiesIn(answer: Answer | undefined): Identity[] {
  return answer && 'objects' in answer ? answer.objects.flatMap(identityOfJson) : []
}

function identityOfJson(object: unknown): [Identity] | [] {
  const { apiVersion, kind, metadata } = object as Record<string, unknown>
  const { name, namespace } = (metadata ?? {}) as Record<string, unknown>
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  if (!isText(apiVersion) || !isText(kind) || !isText(name)) return []
  const ref = identify(apiVersion, kind, isText(namespace) ? namespace : '', name)
  if ([apiVersion, kind, ref.namespace].some(isMarked)) return []
  if (isMarked(name) && (name.includes('%') || ref.group !== 'rbac.authorization.k8s.io')) return []
  return [[apiVersion, kind, ref.namespace, name]]
}

function isMarked(word: string): boolean {
  return /\{[{%]/.test(word)
}

function identityIn({ ref, apiVersion }: LoadedObject): Identity {
  return [apiVersion, ref.kind, ref.namespace, ref.name]
}

/** Whether a finding says that the document of an object cannot be read; files of other purposes get none. */
function isCovered([, kind, , name]: Identity, { text, unreadable, kubernetes }: LoadedFile): boolean {
  const isWritten = (word: string, content: string) => !text.includes(word) || content.includes(word)
  return kubernetes && unreadable.some(({ content }) => isWritten(kind, content) && isWritten(name, content))
}

function dataOf(object: LoadedObject): unknown {
  return new Manifest(object, 'head', { kind: 'file', path: 'input.yaml' }, []).root.value
}

/**
 * The fields of an object besides its identity: items of a List may omit their kind, and kubectl drops an empty
 * namespace.
 */
function fields(value: unknown): unknown {
  const { apiVersion, kind, metadata, ...others } = value as Record<string, unknown>
  const { namespace, ...about } = metadata as Record<string, unknown>
  return plain({ ...others, metadata: about })
}

/** Numbers that JavaScript cannot distinguish are equal, and so are 0 and -0. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'number') return value === 0 ? 0 : value
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}
