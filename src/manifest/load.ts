import type { Region } from '../region'
import { DocumentReader } from './document-reader'
import { splitDocuments } from './documents'
import { LineIndex, Lines } from './lines'
import type { ObjectRef } from './manifest'
import { holdsBinary, spelledOut } from './mentions'
import type { Alias, Node } from './nodes'
import { isResourceSet, madeBySet } from './resource-set'

/** One Kubernetes object as parsed: its identity and its nodes, free of any side or path. */
export interface LoadedObject {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly node: Node
  /** The object's text: equal content, equal object. */
  readonly content: string
  /** The text of the whole file. */
  readonly fileText: string
  /** The lines of the whole file. */
  readonly lines: Lines
  /** The lines the object is written on. */
  readonly region: Region
  readonly duplicateKeys: readonly { key: string; region: Region }[]
  regionOf(node: Node): Region
  readonly resolve: (alias: Alias) => Node | undefined
  /** The related files and objects of the repository; undefined if they were not looked up. */
  readonly context?: RepositoryContext
  /** The folders of this repository that it deploys, as it names them: the objects in them are seen. */
  readonly foldersHere?: ReadonlySet<string>
  /** The Applications that an ApplicationSet makes, where the object and the repository determine all of them. */
  readonly makes?: readonly LoadedObject[]
}

/** The files and objects of the repository that an object depends on. */
export interface RepositoryContext {
  /** Values files by the name the object uses; files outside the repository are missing here. */
  readonly files: ReadonlyMap<string, readonly ValuesFile[]>
  /** The Applications of an ApplicationSet, if the object and the repository determine all of them. */
  readonly applications?: readonly LoadedObject[]
  /** The rendered objects are patched, so its values do not determine all of them. */
  readonly patched?: boolean
  /** A patch of the rendered objects is of an Ingress. */
  readonly patchesIngress?: boolean
  /**
   * Its releases that are rendered, by name, with the values that their charts read: the charts were fetched, so the
   * releases are not judged by their values.
   */
  readonly rendered?: ReadonlyMap<string, BlocksOfChart>
  /** The folders of charts that it installs and that are not in this repository, in their original form. */
  readonly chartsElsewhere?: ReadonlySet<string>
  /** The source whose Kustomization inflates it, by its id. */
  readonly inflatedBy?: string
  /** The place of a release without an object of its own. */
  readonly release?: WrittenRelease
}

/** The keys that a chart reads in the blocks of its values, by the path of the block: `server.ingress`; `` for the top. */
export type ReadBlocks = ReadonlyMap<string, ReadonlySet<string>>

/** Finds the blocks of a chart; undefined where its templates may read any value. */
export type BlocksOfChart = () => ReadBlocks | undefined

/** A release as a file of Fleet or helmfile declares it: places are keys from the root of the document. */
export interface WrittenRelease {
  readonly chart: string
  readonly repository: string
  /** The cluster of the release; empty if its file decides. */
  readonly cluster: string
  readonly at: readonly Key[]
  readonly version: readonly Key[]
  /** The values, the last over the others. */
  readonly layers: readonly ReleaseLayer[]
}

/** Values of a release: in the same document, in a file of the repository, or out of sight. */
export type ReleaseLayer =
  | { readonly keys: readonly Key[]; readonly parameters?: true }
  | { readonly file: string }
  /** Values that are unknown: `about` names them for messages. */
  | { readonly hidden: true; readonly about?: string }

/** A key of a mapping, or an index of a list. */
export type Key = string | number

/** A file of values. */
export interface ValuesFile
  extends Pick<LoadedObject, 'node' | 'fileText' | 'lines' | 'region' | 'regionOf' | 'resolve'> {
  readonly path: string
  /** Whether this change touches it. */
  readonly touched: boolean
}

/** Identifies the state of an object for comparison: its text, and that of its values files. */
export function comparisonKey({ content, context }: LoadedObject): string {
  if (!context) return content
  const files = [...context.files].map(([name, its]) => [name, ...its.map(({ path, fileText }) => [path, fileText])])
  return JSON.stringify([content, files])
}

/** A document that cannot be read, at its first error. */
export interface Unreadable {
  readonly reason: string
  readonly region: Region
  /** The document's text: a document that was just as unreadable before is not caused by this change. */
  readonly content: string
}

/** The content of one file. */
export interface LoadedFile {
  readonly text: string
  readonly lines: Lines
  readonly objects: readonly LoadedObject[]
  readonly unreadable: readonly Unreadable[]
  /** The texts of documents that are templates: they become manifests only once some tool has filled them in. */
  readonly templates: readonly string[]
  /** The reasons why nothing applies an object in it, if it is meant for a cluster: it has no apiVersion or no kind. */
  readonly incomplete: readonly Pick<Unreadable, 'reason' | 'region'>[]
  /** The file has `apiVersion` and `kind` as keys, or one of them misspelt, so a person meant it for Kubernetes. */
  readonly kubernetes: boolean
}

/**
 * The first bytes of a file that git-crypt has encrypted, which no parser of YAML takes. Source: commands.cpp of
 * https://github.com/AGWA/git-crypt.
 */
export const gitCrypt = '\0GITCRYPT\0'

/**
 * Reads a file as kubectl does.
 *
 * @param selects which documents to read, by their text; the others are passed over
 */
export function loadFile(
  { text, damaged = false }: FileText,
  selects: (text: string) => boolean = () => true,
  reader = new DocumentReader(),
): LoadedFile {
  const lines = new Lines(text)
  const objects: LoadedObject[] = []
  const unreadable: Unreadable[] = []
  const templates: string[] = []
  const incomplete: LoadedFile['incomplete'][number][] = []
  let isMeant = false
  if (text.startsWith('version https://git-lfs.github.com/spec/')) {
    const reason = 'it is a Git LFS pointer, and its content is not in the repository'
    unreadable.push({ reason, region: new LineIndex(text).region(0, text.indexOf('\n')), content: text })
    return { text, lines, objects, unreadable, templates, incomplete, kubernetes: false }
  }
  if (text.startsWith(gitCrypt)) {
    const reason = 'it is encrypted by git-crypt, and its content is not in the repository'
    unreadable.push({ reason, region: new LineIndex(text).region(0, gitCrypt.length), content: text })
    return { text, lines, objects, unreadable, templates, incomplete, kubernetes: false }
  }
  let line = 1
  let counted = 0
  for (const { text: original, offset } of splitDocuments(text)) {
    if (!selects(original)) continue
    line += linesIn(text, counted, offset)
    counted = offset
    const damage = damaged ? original.indexOf('\ufffd') : -1
    if (damage !== -1) {
      const region = new LineIndex(original, line).region(damage, damage + 1)
      unreadable.push({
        reason: 'a byte here is not UTF-8; save the file as UTF-8',
        region,
        content: contentOf(original),
      })
      continue
    }
    const reading = reader.read(original)
    const places = new LineIndex(reading.text, line)
    if ('template' in reading) templates.push(contentOf(original))
    if ('reason' in reading) {
      const { reason, from, to } = reading
      isMeant ||= reading.meant === true
      unreadable.push({ reason, region: places.region(from, to), content: contentOf(original) })
    }
    if ('objects' in reading) {
      const regionOf = ({ from, to }: Node): Region => places.region(from, to)
      if (reading.incomplete) {
        const { reason, node } = reading.incomplete
        incomplete.push({ reason, region: regionOf(node) })
      }
      for (const { ref, apiVersion, node, duplicates } of reading.objects) {
        const { from, to } = node
        const own = reading.text.slice(from, to)
        const object: LoadedObject = {
          ref,
          apiVersion,
          node,
          // Alone in its document an object is the whole of it, comments included; in a List it is its own lines.
          content: contentOf(reading.objects.length === 1 ? original : own),
          fileText: text,
          lines,
          region: places.region(from, from + own.trimEnd().length),
          duplicateKeys: duplicates.map((key) => ({ key: key.text, region: regionOf(key.node) })),
          regionOf,
          resolve: reading.resolve,
        }
        objects.push(object, ...(isResourceSet(ref) ? madeBySet(object).objects : []))
      }
    }
  }
  return { text, lines, objects, unreadable, templates, incomplete, kubernetes: isMeant || mentionsKubernetes(text) }
}

/** Whether `apiVersion` and `kind` are keys of a text, in any spelling. */
export function mentionsKubernetes(text: string): boolean {
  return holdsKeys(text) || (text.includes('\\') && holdsKeys(spelledOut(text))) || holdsBinary(text)
}

function holdsKeys(text: string): boolean {
  return (holdsKey.apiVersion.test(text) && holdsKey.kind.test(text)) || explicitKey.test(text)
}

/** After any mark but those of a longer word; YAML has blanks and breaks that are none to a regular expression. */
const holdsKey = {
  apiVersion: /(?<![\w./])apiVersion(?:["']|[ \t\r\n\u0085\u2028\u2029])*:/,
  kind: /(?<![\w./])kind(?:["']|[ \t\r\n\u0085\u2028\u2029])*:/,
}

/** `? kind`, which may have a comment before its colon. */
const explicitKey = /\?[ \t]+(?:apiVersion|kind)\b/

/** A file's bytes as text. */
export interface FileText {
  readonly text: string
  /** Bytes that are no text became U+FFFD. */
  readonly damaged?: boolean
}

const strictly = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8, and UTF-16 by its byte order mark, as kubectl's parser does. */
export function decodeFile(bytes: Uint8Array): FileText {
  // Not taken apart as a list: that takes longer than to decode most files.
  const first = bytes[0]
  const second = bytes[1]
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const decoder = encoding === 'utf-8' ? strictly : new TextDecoder(encoding, { fatal: true })
    return { text: decoder.decode(bytes), damaged: false }
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), damaged: true }
  }
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The separator before an object, line ends and blank lines around it are no part of it. */
function contentOf(text: string): string {
  return text
    .replace(/^---[ \t]*(?:#[^\n\r\u0085\u2028\u2029]*)?\r?\n/, '')
    .replaceAll('\r\n', '\n')
    .trim()
}
