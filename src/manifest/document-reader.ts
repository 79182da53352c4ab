import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLError } from 'yaml'
import { identify, programConfigured } from '../kubernetes/identity'
import { findPair, type Resolve } from './cursor'
import type { ObjectRef } from './manifest'
import { type ParsedDocument, parseAsKubectl } from './yaml-dialect'

/** The API server takes requests of 3 MiB; a document several times that, comments and all, is no manifest. */
const documentLimit = 16 * 1024 * 1024
/** Nodes of one document with every alias expanded; kubectl's own parser stops such documents as well. */
const nodeLimit = 1_000_000

const tooDeep = 'it nests deeper than any manifest'

/** An object of a document, with its nodes. */
export interface ReadObject {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly node: Node
  /** Keys that stand twice in one map of the object. */
  readonly duplicates: readonly { readonly text: string; readonly node: Node }[]
}

/**
 * What one document of a stream holds, by offsets into `text`: that is the document's own text, save for the indent of
 * lines that the npm parser wants deeper.
 */
export type Reading = { readonly text: string } & (
  | { readonly objects: readonly ReadObject[]; readonly resolve: Resolve; readonly template?: true }
  | { readonly template: true }
  | { readonly reason: string; readonly from: number; readonly to: number }
)

/** Reads documents, each distinct text once: most of a changed file stands the same on both sides. */
export class DocumentReader {
  private readonly known = new Map<string, Reading>()

  read(text: string): Reading {
    const reading = this.known.get(text) ?? readDocument(text)
    this.known.set(text, reading)
    return reading
  }
}

function readDocument(original: string): Reading {
  const sound = readYaml(original)
  if (!('contents' in sound)) return sound
  const { text, contents, resolve, duplicates } = sound
  const misnamed = misnamedIn(contents, resolve)
  if (misnamed) return unreadable(text, misnamed.reason, misnamed.node)
  const all = objectsIn(contents, resolve)
  const found = all.filter(
    ({ apiVersion, kind, metadata }) => !isTemplate(apiVersion, kind, metadata.namespace, metadata.name),
  )
  const objects = found.map(({ node, apiVersion, kind, metadata }): ReadObject => {
    const [from, , to] = node.range ?? [0, 0, text.length]
    const startOf = (key: Node) => key.range?.[0] ?? 0
    return {
      ref: identify(apiVersion, kind, metadata.namespace, metadata.name),
      apiVersion,
      node,
      duplicates: duplicates.filter(({ node: key }) => startOf(key) >= from && startOf(key) < to),
    }
  })
  return { text, objects, resolve, ...(found.length < all.length ? { template: true } : {}) }
}

/** A document that can be read, whatever it is: the first of its text. */
export interface SoundYaml {
  readonly text: string
  readonly contents: Node | null
  readonly resolve: Resolve
  readonly duplicates: ReadObject['duplicates']
}

/** Reads a document as the cluster's tools do, or says why they would not. */
export function readYaml(
  original: string,
): SoundYaml | Extract<Reading, { reason: string }> | { text: string; template: true } {
  if (original.length > documentLimit) {
    const size = Math.round(original.length / 1024 / 1024)
    return unreadable('', `this one document has ${size} MiB, and an API server takes 3 MiB; split it`)
  }
  const control = original.search(/(?![\t\n\r\u0085])\p{Cc}/u)
  if (control !== -1) {
    const code = original.charCodeAt(control).toString(16).padStart(2, '0')
    const reason = `the control character 0x${code} is no text`
    return { text: original, reason, from: control, to: control + 1 }
  }
  const parsed = parse(original)
  if (parsed instanceof Error) return unreadable('', parsed.message)
  const noAlias: Resolve = () => undefined
  if (!parsed) return { text: original, contents: null, resolve: noAlias, duplicates: [] }
  const { document, text } = parsed
  const error = document.errors[0]
  if (error) {
    return holdsTemplate(text)
      ? { text, template: true }
      : { text, reason: reasonOf(error), from: error.pos[0], to: error.pos[1] }
  }
  const survey = surveyOf(document)
  if (survey.collectionKey) {
    return holdsTemplate(text)
      ? { text, template: true }
      : unreadable(text, 'a map or list cannot be a key', survey.collectionKey)
  }
  if (survey.size > nodeLimit) {
    return unreadable(
      text,
      `its aliases expand to more than ${nodeLimit.toLocaleString('en')} values`,
      survey.firstAlias,
    )
  }
  if (survey.lostAlias) {
    return unreadable(text, `the alias *${survey.lostAlias.source} has no anchor before it`, survey.lostAlias)
  }
  const resolve: Resolve = (alias) => survey.targets.get(alias)
  return { text, contents: document.contents, resolve, duplicates: survey.duplicates }
}

function unreadable(text: string, reason: string, node?: Node): Extract<Reading, { reason: string }> {
  const [from, to] = node?.range ?? [0, 1]
  return { text, reason, from, to }
}

function parse(text: string): ParsedDocument | Error | undefined {
  try {
    return parseAsKubectl(text)
  } catch (error) {
    // The parser recurses; a document nested thousands of levels deep ends its stack.
    if (error instanceof RangeError) return new Error(tooDeep)
    throw error
  }
}

function reasonOf({ code, message }: YAMLError): string {
  if (code === 'RESOURCE_EXHAUSTION') return tooDeep
  const sentence = message.split('\n')[0] ?? ''
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

interface Survey {
  /** How many nodes a reader of the expanded document would meet. */
  size: number
  firstAlias: Node | undefined
  /** A map or list that stands as a key, which JSON cannot say: `name: {{ .x }}` parses as one. */
  collectionKey: Node | undefined
  /** An alias of nothing. */
  lostAlias: Alias | undefined
  targets: Map<Alias, Node>
  duplicates: { text: string; node: Node }[]
}

/** Walks a document once, aliases unexpanded. */
function surveyOf(yaml: Document.Parsed): Survey {
  const survey: Survey = {
    size: 0,
    firstAlias: undefined,
    collectionKey: undefined,
    lostAlias: undefined,
    targets: new Map(),
    duplicates: [],
  }
  const anchors = new Map<string, Node>()
  const sizes = new Map<Node, number>()
  const measure = (node: unknown): number => {
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      survey.firstAlias ??= node
      if (target) survey.targets.set(node, target)
      else survey.lostAlias ??= node
      return target ? (sizes.get(target) ?? nodeLimit) : 1
    }
    if (!isMap(node) && !isSeq(node)) {
      flatten(node)
      if (isScalar(node) && node.anchor) {
        anchors.set(node.anchor, node)
        sizes.set(node, 1)
      }
      return 1
    }
    if (node.anchor) anchors.set(node.anchor, node)
    let size = 1
    if (isMap(node)) {
      const seen = new Set<string>()
      for (const { key, value } of node.items) {
        const text = isScalar(key) ? String(key.value) : undefined
        if (text !== undefined && text !== '<<') {
          if (seen.has(text)) survey.duplicates.push({ text, node: key as Node })
          seen.add(text)
        }
        const keyNode = isAlias(key) ? anchors.get(key.source) : key
        if (isMap(keyNode) || isSeq(keyNode)) survey.collectionKey ??= key as Node
        size += measure(key) + measure(value)
      }
    } else for (const item of node.items) size += measure(item)
    if (node.anchor) sizes.set(node, size)
    return size
  }
  survey.size = measure(yaml.contents)
  return survey
}

/** The parser builds long quoted values piece by piece; reading one once makes it a plain string, which takes far less room. */
function flatten(node: unknown): void {
  if (isScalar(node) && typeof node.value === 'string' && node.value.length > 1000) /\0/.test(node.value)
}

interface FoundObject {
  node: Node
  apiVersion: string
  kind: string
  metadata: { namespace: string; name: string }
}

/**
 * The objects of a document. Whatever has `items` is a list to kubectl, of whatever kind; its items may leave their kind to
 * the list (`IngressList`). Source: k8s.io/apimachinery, unstructured.UnstructuredJSONScheme, decode and decodeToList
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
  if (!apiVersion || !kind) return []
  const items = nodeIn(node, 'items', resolve)
  if (items !== undefined) {
    if (!isSeq(items)) return []
    const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind
    return items.items.flatMap((item) =>
      objectsIn(item, resolve, itemKind ? { apiVersion, kind: itemKind } : undefined),
    )
  }
  const metadata = nodeIn(node, 'metadata', resolve)
  const name = stringIn(metadata, 'name', resolve) ?? programConfigured(apiVersion, kind)
  if (!name) return []
  return [{ node, apiVersion, kind, metadata: { namespace: stringIn(metadata, 'namespace', resolve) ?? '', name } }]
}

/** A name or namespace that YAML takes for a number or a truth (`name: 123`, `namespace: n`), or a list: the cluster refuses it. */
function misnamedIn(root: unknown, resolve: Resolve): { node: Node; reason: string } | undefined {
  if (!stringIn(root, 'apiVersion', resolve) || !stringIn(root, 'kind', resolve)) return undefined
  const metadata = nodeIn(root, 'metadata', resolve)
  for (const key of ['name', 'namespace']) {
    const node = nodeIn(metadata, key, resolve)
    if (isSeq(node)) return { node, reason: `metadata.${key} is a list, and has to be text` }
    if (!isScalar(node) || node.value === null || typeof node.value === 'string') continue
    return {
      node,
      reason: `metadata.${key} is read as the ${typeof node.value} ${node.value}, and has to be text; quote it`,
    }
  }
  return undefined
}

function stringIn(map: unknown, key: string, resolve: Resolve): string | undefined {
  const value = nodeIn(map, key, resolve)
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined
}

/** What a map holds under a key: aliases and merge keys followed, the last of duplicates. */
function nodeIn(map: unknown, key: string, resolve: Resolve): unknown {
  const value = isMap(map) ? findPair(map, key, resolve)?.value : undefined
  return isAlias(value) ? resolve(value) : value
}

/** Whether text has template marks outside quotes and comments. */
function holdsTemplate(text: string): boolean {
  return /\{\{|\{%/.test(text.replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?:^|\s)#.*$/gm, ''))
}

/**
 * Some templates parse: `{{ .x }}-web` inside a scalar is text. An object whose own identity holds a mark is one, as no
 * cluster can hold that name; a mark in any other text (`summary: Pod {{ $labels.pod }} is down`) is what the author means
 * the cluster to see.
 */
function isTemplate(...identity: string[]): boolean {
  return identity.some((part) => /\{\{|\{%/.test(part))
}
