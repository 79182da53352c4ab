import { splitDocuments } from '../manifest/documents'
import { Lines } from '../manifest/lines'
import { type LoadedObject, loadFile } from '../manifest/load'
import { identityOf, type Manifest, type ObjectRef } from '../manifest/manifest'
import { skimIdentities } from '../manifest/skim'
import type { Fix } from '../rule/rule'

/** A document of a file: its lines, from the first to the one behind the last, and the objects in it. */
interface Skimmed {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly refs: readonly ObjectRef[]
}

/** The text of a file, and its documents by the objects in them, in their order. */
interface SkimmedFile {
  readonly lines: Lines
  readonly documents: ReadonlyMap<string, Skimmed>
}

type Previous = ReadonlyMap<Skimmed, Skimmed | undefined>

/** For each restored item its whole list is read again, so this is done for the first items of a list. */
const mostItems = 50

/** An edit's place, and the text it writes. */
type Insertion = { line: number; text: string } | undefined

/**
 * Puts removed objects back: after the object that preceded them, or first in their file. Each file is skimmed once,
 * however many objects are removed from it.
 */
export class Restorer {
  private readonly known = new Map<string, SkimmedFile>()
  private readonly previous = new Map<SkimmedFile, Map<SkimmedFile, Previous>>()
  private readonly items = new Map<Skimmed, number>()

  /** @param now the file's text at the head; undefined when the change deletes the file */
  restoring({ object, root, origin }: Manifest, now: string | undefined): Fix | undefined {
    if (origin.kind !== 'file' || origin.path.endsWith('.json')) return undefined
    // In the file, an object does not have the namespace that an Application gives it.
    const isGiven = !root.at('metadata', 'namespace').exists
    const insertion = this.insertion(isGiven ? { ...object, ref: { ...object.ref, namespace: '' } } : object, now)
    if (!insertion) return undefined
    const { line, text } = insertion
    // Behind a last line that does not end, an edit begins where that line does.
    const lines = now === undefined ? new Lines('') : this.skim(now).lines
    const [startLine, startColumn, newText] =
      line > lines.count ? [lines.count, (lines.at(lines.count) ?? '').length + 1, `\n${text}`] : [line, 1, text]
    const region = { startLine, startColumn, endLine: startLine, endColumn: startColumn }
    const ended = object.fileText.includes('\r\n') ? newText.replace(/\r?\n/g, '\r\n') : newText
    return { edits: [{ path: origin.path, region, newText: ended }] }
  }

  private insertion(object: LoadedObject, now: string | undefined): Insertion {
    const own = `${ownText(object)}\n`
    if (now === undefined) {
      if (this.skim(object.fileText).documents.size === 1) return { line: 1, text: object.fileText }
      return isWhole(own, object) ? { line: 1, text: `---\n${own}` } : undefined
    }
    const after = this.skim(now).documents
    const document = this.skim(object.fileText).documents.get(identityOf(object.ref))
    if (!document || after.has(identityOf(object.ref))) return undefined
    if (isItem(object)) {
      const put = this.items.get(document) ?? 0
      this.items.set(document, put + 1)
      return put < mostItems ? itemInsertion(object, document, after) : undefined
    }
    if (!isWhole(own, object)) return undefined
    const previous = this.previousOf(this.skim(object.fileText), this.skim(now)).get(document)
    if (previous) return { line: previous.to, text: `---\n${own}` }
    return { line: 1, text: now.trim() === '' || now.startsWith('---') ? own : `${own}---\n` }
  }

  /** For each document of a file, the last document before it that still exists, in its present form. */
  private previousOf(was: SkimmedFile, now: SkimmedFile): Previous {
    const byNow = this.previous.get(was) ?? new Map<SkimmedFile, Previous>()
    this.previous.set(was, byNow)
    const known = byNow.get(now)
    if (known) return known
    const found = new Map<Skimmed, Skimmed | undefined>()
    let last: Skimmed | undefined
    let own: Skimmed | undefined
    for (const [identity, document] of [...was.documents].sort(([, a], [, b]) => a.from - b.from)) {
      if (!found.has(document)) {
        last = own ?? last
        own = undefined
        found.set(document, last)
      }
      own = now.documents.get(identity) ?? own
    }
    byNow.set(now, found)
    return found
  }

  private skim(text: string): SkimmedFile {
    const known = this.known.get(text)
    if (known) return known
    const documents = new Map<string, Skimmed>()
    let line = 1
    let counted = 0
    for (const { text: own, offset } of splitDocuments(text)) {
      line += text.slice(counted, offset).split('\n').length - 1
      counted = offset
      const length = own.split('\n').length
      const skimmed = {
        text: own,
        from: line,
        to: line + length - (own.endsWith('\n') ? 1 : 0),
        refs: skimIdentities(own),
      }
      for (const ref of skimmed.refs) documents.set(identityOf(ref), skimmed)
    }
    const file = { lines: new Lines(text), documents }
    this.known.set(text, file)
    return file
  }
}

/**
 * The place in a list for a removed item: after the nearest remaining item before it, else before the nearest one after
 * it.
 */
function itemInsertion(object: LoadedObject, { refs }: Skimmed, after: ReadonlyMap<string, Skimmed>): Insertion {
  const list = refs.flatMap((ref) => after.get(identityOf(ref)) ?? [])[0]
  if (!list) return undefined
  const left = new Map(loadFile({ text: list.text }).objects.map((one) => [identityOf(one.ref), one.region]))
  const place = refs.findIndex((ref) => identityOf(ref) === identityOf(object.ref))
  const regions = (some: readonly ObjectRef[]) => some.flatMap((ref) => left.get(identityOf(ref)) ?? [])
  const previous = regions(refs.slice(0, place)).at(-1)
  const line = previous ? previous.endLine + 1 : (regions(refs.slice(place + 1))[0]?.startLine ?? 1)
  const text = `${linesOf(object).join('\n')}\n`
  const lines = list.text.split('\n')
  const whole = [...lines.slice(0, line - 1), text + lines.slice(line - 1).join('\n')].join('\n')
  const held = skimIdentities(whole).map(identityOf).sort()
  if (String(held) !== String([...list.refs, object.ref].map(identityOf).sort())) return undefined
  return { line: list.from + line - 1, text }
}

/** Whether an object is an item of a list and shares its lines with nothing else. */
function isItem({ region, lines }: LoadedObject): boolean {
  const line = lines.at(region.startLine) ?? ''
  return /^\s*-\s+$/.test(line.slice(0, region.startColumn - 1))
}

/** Whether a text is the whole object: an item may need anchors that are defined outside it. */
function isWhole(text: string, { ref }: LoadedObject): boolean {
  return String(loadFile({ text }).objects.map((one) => identityOf(one.ref))) === identityOf(ref)
}

function linesOf({ lines, region }: LoadedObject): string[] {
  const found: string[] = []
  for (let line = region.startLine; line <= Math.min(region.endLine, lines.count); line++)
    found.push(lines.at(line) ?? '')
  return found
}

/** An object's text as a document: an item of a list without the indent it has there. */
function ownText(object: LoadedObject): string {
  const indent = object.region.startColumn - 1
  const [first = '', ...more] = linesOf(object)
  return [first.slice(indent), ...more.map((line) => (line.slice(0, indent).trim() ? line : line.slice(indent)))].join(
    '\n',
  )
}
