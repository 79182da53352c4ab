import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { identify } from '../kubernetes/identity'
import { splitDocuments } from './documents'
import { LineIndex } from './lines'
import type { ObjectRef, Region } from './manifest'
import { type ParsedDocument, parseAsKubectl } from './yaml-dialect'

/** The API server takes requests of 3 MiB; a document several times that, comments and all, is no manifest. */
const documentLimit = 16 * 1024 * 1024
/** Nodes of one document with every alias expanded; kubectl's own parser stops such documents as well. */
const nodeLimit = 1_000_000

/** One Kubernetes object as parsed: its identity and its nodes, free of any side or path. */
export interface LoadedObject {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly node: Node
  /** The object's text: equal content, equal object. */
  readonly content: string
  /** The text of the whole file. */
  readonly fileText: string
  /** The lines the object is written on. */
  readonly region: Region
  readonly duplicateKeys: readonly { key: string; region: Region }[]
  regionOf(node: Node): Region
  resolve(alias: Alias): Node | undefined
}

/** A document that cannot be read, at its first error. */
export interface Unreadable {
  readonly reason: string
  readonly region: Region
  /** The document's text: a document that was just as unreadable before is not this change's doing. */
  readonly content: string
}

/** What one file holds. */
export interface LoadedFile {
  readonly text: string
  readonly objects: readonly LoadedObject[]
  readonly unreadable: readonly Unreadable[]
  /** The texts of documents that are templates: they become manifests only once some tool has filled them in. */
  readonly templates: readonly string[]
  /** The file has `apiVersion` and `kind` as keys, so a person meant it for Kubernetes. */
  readonly kubernetes: boolean
}

/**
 * Reads a file as kubectl does.
 *
 * @param wants which documents to parse, by their text; the others are passed over
 */
export function loadFile(text: string, wants: (text: string) => boolean = () => true): LoadedFile {
  const objects: LoadedObject[] = []
  const unreadable: Unreadable[] = []
  const templates: string[] = []
  let line = 1
  let counted = 0
  for (const document of splitDocuments(text)) {
    if (!wants(document.text)) continue
    line += linesIn(text, counted, document.offset)
    counted = document.offset
    const result = loadDocument(document.text, line, text)
    if (result === 'template') templates.push(document.text.trim())
    else if ('reason' in result) unreadable.push(result)
    else objects.push(...result.objects)
  }
  return { text, objects, unreadable, templates, kubernetes: mentionsKubernetes(text) }
}

/** Whether `apiVersion` and `kind` stand in a text as keys. */
export function mentionsKubernetes(text: string): boolean {
  return /(?:^|[\s{,"'-])apiVersion["']?\s*:/.test(text) && /(?:^|[\s{,"'-])kind["']?\s*:/.test(text)
}

/** A file's bytes as text. What is no UTF-8 becomes U+FFFD; kubectl's parser takes UTF-16 too, by its byte order mark. */
export function decodeFile(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

type Result = { objects: LoadedObject[] } | Unreadable | 'template'

function loadDocument(original: string, firstLine: number, fileText: string): Result {
  const unreadable = (reason: string, lines: LineIndex, from = 0, to = from + 1): Unreadable => ({
    reason,
    region: lines.region(from, to),
    content: original.trim(),
  })
  if (original.length > documentLimit) {
    const size = Math.round(original.length / 1024 / 1024)
    return unreadable(
      `this one document has ${size} MiB, and an API server takes 3 MiB; split it`,
      new LineIndex('', firstLine),
    )
  }
  const garbage = original.search(/[\0\ufffd]/)
  if (garbage !== -1) {
    const reason =
      original[garbage] === '\0'
        ? 'it holds a NUL byte, so it is no text'
        : 'a byte here is not UTF-8; save the file as UTF-8'
    return unreadable(reason, new LineIndex(original, firstLine), garbage)
  }
  const parsed = parse(original)
  if (parsed instanceof Error) return unreadable(parsed.message, new LineIndex('', firstLine))
  if (!parsed) return { objects: [] }
  const { document, text } = parsed
  const lines = new LineIndex(text, firstLine)
  const error = document.errors[0]
  if (error) {
    if (holdsTemplate(text)) return 'template'
    return unreadable(lowerFirst(error.message.split('\n')[0] ?? ''), lines, error.pos[0], error.pos[1])
  }
  const survey = surveyOf(document)
  if (survey.collectionKey) {
    if (holdsTemplate(text)) return 'template'
    const [from, to] = survey.collectionKey.range ?? [0, 0]
    return unreadable('a map or list cannot be a key', lines, from, to)
  }
  if (survey.size > nodeLimit) {
    return unreadable(
      `its aliases expand to more than ${nodeLimit.toLocaleString('en')} values`,
      lines,
      survey.firstAlias,
    )
  }
  const misnamed = misnamedIn(document.contents)
  if (misnamed) return unreadable(misnamed.reason, lines, misnamed.node.range?.[0] ?? 0, misnamed.node.range?.[1] ?? 0)
  const found = objectsIn(document.contents)
  if (found.some(({ apiVersion, kind, metadata }) => isTemplate(apiVersion, kind, metadata.namespace, metadata.name)))
    return 'template'
  const regionOf = (node: Node): Region => lines.region(node.range?.[0] ?? 0, node.range?.[1] ?? 0)
  const objects = found.map(({ node, apiVersion, kind, metadata }): LoadedObject => {
    const [from, , to] = node.range ?? [0, 0, text.length]
    return {
      ref: identify(apiVersion, kind, metadata.namespace, metadata.name),
      apiVersion,
      node,
      content: contentOf(node === document.contents ? original.replace(/^---[^\n]*\n/, '') : text.slice(from, to)),
      fileText,
      region: lines.region(from, from + text.slice(from, to).trimEnd().length),
      duplicateKeys: survey.duplicates
        .filter(({ node: key }) => (key.range?.[0] ?? 0) >= from && (key.range?.[0] ?? 0) < to)
        .map((key) => ({ key: key.text, region: regionOf(key.node) })),
      regionOf,
      resolve: (alias) => survey.targets.get(alias),
    }
  })
  return { objects }
}

/** Line ends and blank lines around an object are no part of it. */
function contentOf(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function parse(text: string): ParsedDocument | Error | undefined {
  try {
    return parseAsKubectl(text)
  } catch (error) {
    // The parser recurses; a document nested thousands of levels deep ends its stack.
    if (error instanceof RangeError) return new Error('it is nested too deeply to be read')
    throw error
  }
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

interface Survey {
  /** How many nodes a reader of the expanded document would meet. */
  size: number
  firstAlias: number
  /** A map or list that stands as a key, which JSON cannot say: `name: {{ .x }}` parses as one. */
  collectionKey: Node | undefined
  targets: Map<Alias, Node>
  duplicates: { text: string; node: Node }[]
}

/** Walks a document once, aliases unexpanded. */
function surveyOf(yaml: Document.Parsed): Survey {
  const survey: Survey = { size: 0, firstAlias: 0, collectionKey: undefined, targets: new Map(), duplicates: [] }
  const anchors = new Map<string, Node>()
  const sizes = new Map<Node, number>()
  const measure = (node: unknown): number => {
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (survey.targets.size === 0) survey.firstAlias = node.range?.[0] ?? 0
      if (target) survey.targets.set(node, target)
      return target ? (sizes.get(target) ?? nodeLimit) : 1
    }
    if (!isMap(node) && !isSeq(node)) {
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
        if (isMap(key) || isSeq(key)) survey.collectionKey ??= key as Node
        size += measure(key) + measure(value)
      }
    } else for (const item of node.items) size += measure(item)
    if (node.anchor) sizes.set(node, size)
    return size
  }
  survey.size = measure(yaml.contents)
  return survey
}

interface FoundObject {
  node: Node
  apiVersion: string
  kind: string
  metadata: { namespace: string; name: string }
}

/** The objects of a document; a `kind: List` gives its items, which may leave their kind to the list (`IngressList`). */
function objectsIn(node: unknown, inherited?: { apiVersion: string; kind: string }): FoundObject[] {
  if (!isMap(node)) return []
  const apiVersion = stringIn(node, 'apiVersion') ?? inherited?.apiVersion
  const kind = stringIn(node, 'kind') ?? inherited?.kind
  if (!apiVersion || !kind) return []
  const items = node.get('items', true)
  if (kind.endsWith('List') && isSeq(items)) {
    const itemKind = kind.slice(0, -'List'.length)
    return items.items.flatMap((item) => objectsIn(item, itemKind ? { apiVersion, kind: itemKind } : undefined))
  }
  const metadata = node.get('metadata', true)
  const name = isMap(metadata) ? stringIn(metadata, 'name') : undefined
  if (!isMap(metadata) || !name) return []
  return [{ node, apiVersion, kind, metadata: { namespace: stringIn(metadata, 'namespace') ?? '', name } }]
}

/** A name or namespace that YAML takes for a number or a truth (`name: 123`, `namespace: n`): the cluster refuses it. */
function misnamedIn(root: unknown): { node: Node; reason: string } | undefined {
  if (!isMap(root) || !stringIn(root, 'apiVersion') || !stringIn(root, 'kind')) return undefined
  const metadata = root.get('metadata', true)
  if (!isMap(metadata)) return undefined
  for (const key of ['name', 'namespace']) {
    const node = scalarIn(metadata, key)
    if (!isScalar(node) || node.value === null || typeof node.value === 'string') continue
    return {
      node,
      reason: `metadata.${key} is read as the ${typeof node.value} ${node.value}, and has to be text; quote it`,
    }
  }
  return undefined
}

function stringIn(map: YAMLMap, key: string): string | undefined {
  const value = scalarIn(map, key)
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined
}

function scalarIn(map: YAMLMap, key: string): unknown {
  return map.items.findLast((pair) => isScalar(pair.key) && pair.key.value === key)?.value
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
