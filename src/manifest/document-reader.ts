import { oneEditFrom } from '../closest'
import { identify, programConfigured } from './identity'
import { isJson } from './json'
import { Refusal, TooDeep } from './kubectl-yaml/characters'
import { parseFirst } from './kubectl-yaml/parser'
import { parseSimple } from './kubectl-yaml/simple-document'
import type { ObjectRef } from './manifest'
import { findPair, type Resolve } from './map-pairs'
import { isAlias, isList, isMap, isScalar, type MapNode, type Node } from './nodes'
import { surveyOf } from './survey'
import { holdsTemplate, isMarked } from './template-marks'

/** The API server takes requests of 3 MiB; a document several times that, comments and all, is no manifest. */
const documentLimit = 16 * 1024 * 1024

/** An object of a document, with its nodes. */
export interface ReadObject {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly node: Node
  /** Keys that occur twice in one map of the object. */
  readonly duplicates: readonly { readonly text: string; readonly node: Node }[]
}

/** The content of one document of a stream, by offsets into its text. */
export type ReadDocument = { readonly text: string } & (
  | {
      readonly objects: readonly ReadObject[]
      readonly resolve: Resolve
      readonly template?: true
      /** The reason why nothing applies it, if it is meant for a cluster: it has no apiVersion or no kind. */
      readonly incomplete?: { readonly reason: string; readonly node: Node }
    }
  | { readonly template: true }
  | {
      readonly reason: string
      readonly from: number
      readonly to: number
      /** Set if it is meant for Kubernetes, although it has no apiVersion or no kind. */
      readonly meant?: true
    }
)

/** Reads documents, each distinct text once: most of a changed file is the same on both sides. */
export class DocumentReader {
  private readonly known = new Map<string, ReadDocument>()
  private readonly keys = new Map<string, string>()

  read(text: string): ReadDocument {
    const reading = this.known.get(text) ?? readDocument(text, this.keys)
    this.known.set(text, reading)
    return reading
  }
}

function readDocument(original: string, keys: Map<string, string>): ReadDocument {
  const [separator = ''] = /^---[^\n]*\n?/.exec(original) ?? []
  // Unlike YAML itself, kubectl's reader of files allows only a comment there.
  const behind = separator.slice(3).search(/[^\s\u0085]/)
  if (behind !== -1 && separator[3 + behind] !== '#') {
    const from = 3 + behind
    return refused(original, {
      reason: 'text after --- is not allowed; write it on the next line',
      from,
      to: from + 1,
    })
  }
  // Only the lines before show whether kubectl starts a new line after another kind of line break.
  const lineEnd = separator.search(/[\r\u0085\u2028\u2029]/)
  const hidden = lineEnd === -1 ? -1 : separator.slice(lineEnd).search(/[^ \t\r\n\u0085\u2028\u2029]/)
  if (hidden !== -1) {
    const from = lineEnd + hidden
    const reason = 'a line with --- and a comment must end with a line feed; convert the line endings of the file'
    return { text: original, reason, from, to: from + 1 }
  }
  const sound = readYaml(original, separator.length, keys)
  if (!('contents' in sound)) return sound
  const { text, contents, resolve, duplicates } = sound
  const misnamed = misnamedIn(contents ?? undefined, resolve)
  if (misnamed) return unreadable(text, misnamed.reason, misnamed.node)
  const all = objectsIn(contents, resolve)
  const untyped = all.length === 0 && isMap(contents) ? untypedIn(contents, resolve) : undefined
  if (untyped?.misspelt) return { ...unreadable(text, untyped.reason, untyped.misspelt), meant: true }
  const found = all.filter((object) => !isTemplate(object))
  const within = duplicatesByPlace(duplicates)
  const objects = found.map((one): ReadObject => ({ ...identified(one), duplicates: within(one.node) }))
  return {
    text,
    objects,
    resolve,
    ...(found.length < all.length ? { template: true } : {}),
    ...(untyped && isMap(contents) ? { incomplete: { reason: untyped.reason, node: contents } } : {}),
  }
}

/** The objects in a node: one, or the items of a list. */
export function identifiedIn(node: Node, resolve: Resolve): Omit<ReadObject, 'duplicates'>[] {
  return objectsIn(node, resolve)
    .filter((object) => !isTemplate(object))
    .map(identified)
}

function identified({ node, apiVersion, kind, metadata }: FoundObject): Omit<ReadObject, 'duplicates'> {
  const { namespace, name, generated } = metadata
  return { ref: { ...identify(apiVersion, kind, namespace, name), ...(generated && { generated }) }, apiVersion, node }
}

/** Finds the duplicate keys of a part of a text without reading all keys. */
function duplicatesByPlace(all: ReadObject['duplicates']) {
  const startOf = ({ node }: { node: Node }) => node.from
  const sorted = all.toSorted((a, b) => startOf(a) - startOf(b))
  const firstFrom = (place: number): number => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      const key = sorted[middle]
      if (key && startOf(key) < place) low = middle + 1
      else high = middle
    }
    return low
  }
  return ({ from, to }: Node) => sorted.slice(firstFrom(from), firstFrom(to))
}

/** The first readable document of a text, of any kind. */
export interface SoundYaml {
  readonly text: string
  readonly contents: Node | null
  readonly resolve: Resolve
  readonly duplicates: ReadObject['duplicates']
}

/** The reason why a document is not read: kubectl's decoder refuses it, or we do. */
type Refused = Extract<ReadDocument, { reason: string }> | { readonly text: string; readonly template: true }

/**
 * Reads a document as the cluster's tools do, or returns why they would not.
 *
 * @param start where the document begins in the text
 * @param keys the keys of other documents, as `parseFirst` takes them
 */
export function readYaml(text: string, start = 0, keys?: Map<string, string>): SoundYaml | Refused {
  if (text.length > documentLimit) {
    const size = Math.round(text.length / 1024 / 1024)
    return {
      text: '',
      reason: `this one document has ${size} MiB, and an API server accepts at most 3 MiB; split it`,
      from: 0,
      to: 1,
    }
  }
  const control = text.search(/(?![\t\n\r\u0085])[\p{Cc}\ufffe\uffff]/u)
  if (control !== -1) {
    const code = text.charCodeAt(control).toString(16).padStart(2, '0')
    return { text, reason: `the control character 0x${code} is not allowed in text`, from: control, to: control + 1 }
  }
  const parsed = parse(text, start, keys)
  if (parsed instanceof TooDeep) return { text, ...placeOf(parsed) }
  if (parsed instanceof Refusal) return refused(text, parsed)
  if (!parsed) return { text, contents: null, resolve: toNothing, duplicates: [] }
  const { fault, targets, duplicates } = surveyOf(parsed)
  if (fault) {
    const misread = unreadable(text, fault.reason, fault.node)
    return fault.isKubectls ? refused(text, misread) : misread
  }
  return { text, contents: parsed, resolve: targets.size === 0 ? toNothing : (alias) => targets.get(alias), duplicates }
}

/** Shared by the documents without aliases, which are nearly all. */
const toNothing: Resolve = () => undefined

/** Only a document that kubectl's own decoder refuses can be a template. */
function refused(text: string, { reason, from, to }: { reason: string; from: number; to: number }): Refused {
  if (holdsTemplate(text)) return { text, template: true }
  return { text, reason, from: Math.min(from, text.length), to: Math.min(to, text.length) }
}

function unreadable(text: string, reason: string, node: Node): Extract<ReadDocument, { reason: string }> {
  return { text, reason, from: node.from, to: node.to }
}

function placeOf({ reason, from, to }: Refusal) {
  return { reason, from, to }
}

function parse(text: string, start: number, keys = new Map<string, string>()): Node | Refusal | undefined {
  const from = text.startsWith('\ufeff', start) ? start + 1 : start
  // kubectl's line reader ends the last line, too.
  const lines = text.endsWith('\n') ? text : `${text}\n`
  try {
    return parseSimple(lines, from, keys) ?? parseFirst(lines, from, /^\s*\{/.test(text) && isJson(text), keys)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

interface FoundObject {
  node: Node
  apiVersion: string
  kind: string
  metadata: { namespace: string; name: string; generated?: true }
}

/**
 * The objects of a document. To kubectl, anything with `items` is a list; its items may leave their kind to the list
 * (`IngressList`). Source: k8s.io/apimachinery, unstructured.UnstructuredJSONScheme, decode and decodeToList
 */
function objectsIn(
  written: unknown,
  resolve: Resolve,
  inherited?: { apiVersion: string; kind: string },
): FoundObject[] {
  const node = isAlias(written) ? resolve(written) : written
  if (!isMap(node)) return []
  const apiVersion = stringIn(node, 'apiVersion', resolve) ?? inherited?.apiVersion
  const kind = stringIn(node, 'kind', resolve) ?? inherited?.kind
  if (!kind) return []
  const items = nodeIn(node, 'items', resolve)
  if (items !== undefined) {
    if (!isList(items)) return []
    const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind
    return items.items.flatMap((item) =>
      objectsIn(item, resolve, itemKind && apiVersion ? { apiVersion, kind: itemKind } : undefined),
    )
  }
  if (!apiVersion) return []
  const metadata = nodeIn(node, 'metadata', resolve)
  const namespace = stringIn(metadata, 'namespace', resolve) ?? ''
  const name = stringIn(metadata, 'name', resolve) ?? programConfigured(apiVersion, kind)
  if (name) return [{ node, apiVersion, kind, metadata: { namespace, name } }]
  // Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values
  const beginning = stringIn(metadata, 'generateName', resolve)
  return beginning ? [{ node, apiVersion, kind, metadata: { namespace, name: `${beginning}*`, generated: true } }] : []
}

/**
 * A name or namespace that YAML takes for a number or a truth (`name: 123`, `namespace: n`), or a list: the cluster
 * refuses it.
 */
function misnamedIn(root: Node | undefined, resolve: Resolve): { node: Node; reason: string } | undefined {
  if (!stringIn(root, 'apiVersion', resolve) || !stringIn(root, 'kind', resolve)) return undefined
  const metadata = nodeIn(root, 'metadata', resolve)
  for (const key of ['name', 'namespace']) {
    const node = nodeIn(metadata, key, resolve)
    if (isList(node)) return { node, reason: `metadata.${key} is a list, but must be text` }
    if (!isScalar(node) || node.value === null || typeof node.value === 'string') continue
    return {
      node,
      reason: `metadata.${key} is read as the ${typeof node.value} ${node.value}, but must be text; quote it`,
    }
  }
  return undefined
}

/**
 * The reason why the cluster refuses an object with a name that has no apiVersion or no kind, or has its name beside the
 * metadata; and the key that is wrong.
 */
function untypedIn(root: MapNode, resolve: Resolve): { reason: string; misspelt?: Node } | undefined {
  const [apiVersion, kind, outside] = ['apiVersion', 'kind', 'name'].map((key) => stringIn(root, key, resolve))
  const metadata = nodeIn(root, 'metadata', resolve)
  const name = stringIn(metadata, 'name', resolve)
  if (apiVersion && kind && metadata && outside && !name && !stringIn(metadata, 'generateName', resolve)) {
    const misspelt = root.pairs.find(({ key }) => isScalar(key) && key.value === 'name')?.key
    return { reason: `name of ${kind} ${outside} must be below metadata`, ...(misspelt && { misspelt }) }
  }
  if (!name || (apiVersion === undefined) === (kind === undefined)) return undefined
  const missing = kind === undefined ? 'kind' : 'apiVersion'
  const written = nodeIn(root, missing, resolve)
  // Kustomize writes `apiVersion: null` where none is given and a patch selects the object.
  if (written !== undefined && !(isScalar(written) && written.value === null)) return undefined
  const misspelt = root.pairs.find(
    ({ key, value }) =>
      isScalar(key) &&
      (oneEditFrom(String(key.value), [missing]) !== undefined ||
        (missing === 'apiVersion' && isScalar(value) && isApiVersion(value.value))),
  )
  const object = kind === undefined ? `the object ${name}` : `${kind} ${name}`
  if (!misspelt) return { reason: `${object} has no ${missing}` }
  const { key } = misspelt
  return { reason: `${isScalar(key) ? key.value : missing} of ${object} must be ${missing}`, misspelt: key }
}

/** Whether a value is written as an apiVersion with a group is. */
function isApiVersion(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/v\d+(?:(?:alpha|beta)\d+)?$/.test(value)
}

function stringIn(map: Node | undefined, key: string, resolve: Resolve): string | undefined {
  const value = nodeIn(map, key, resolve)
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined
}

/** The value of a map under a key: follows aliases and merge keys, and takes the last of duplicates. */
export function nodeIn(map: Node | undefined, key: string, resolve: Resolve): Node | undefined {
  const value = isMap(map) ? findPair(map, key, resolve)?.value : undefined
  return isAlias(value) ? resolve(value) : value
}

/**
 * Some templates parse: `{{ .x }}-web` inside a scalar is text. An object whose own identity contains a template mark
 * cannot exist in a cluster under that name; a mark in any other text (`summary: Pod {{ $labels.pod }} is down`) is
 * content. Names of roles and bindings may contain anything but `/` and `%`.
 * Source: k8s.io/kubernetes, pkg/apis/rbac/validation, ValidateRBACName
 */
function isTemplate({ apiVersion, kind, metadata: { namespace, name } }: FoundObject): boolean {
  if ([apiVersion, kind, namespace].some(isMarked)) return true
  return isMarked(name) && (name.includes('%') || !apiVersion.startsWith('rbac.authorization.k8s.io/'))
}
