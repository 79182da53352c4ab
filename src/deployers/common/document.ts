import { readYaml } from '../../manifest/document-reader'
import { splitDocuments } from '../../manifest/documents'
import { LineIndex, Lines } from '../../manifest/lines'
import type { LoadedObject } from '../../manifest/load'
import { Manifest } from '../../manifest/manifest'
import type { Node } from '../../manifest/nodes'
import { type Region, startOf } from '../../region'

/** The documents of a deployer's own file, such as `fleet.yaml`: YAML that describes a deployment and is no object. */
export interface OwnDocuments {
  readonly documents: readonly Manifest[]
  /** The reasons and places of documents that cannot be read. */
  readonly faults: readonly { readonly reason: string; readonly region: Region }[]
}

interface ReadText {
  readonly objects: readonly LoadedObject[]
  readonly faults: OwnDocuments['faults']
}

/**
 * Texts that were read, up to so many characters: both sides of a change share nearly all of theirs, and so do all
 * trials of it.
 */
class ReadTexts {
  private readonly known = new Map<string, ReadText>()
  private characters = 0

  constructor(private readonly most: number) {}

  of(text: string): ReadText {
    const before = this.known.get(text)
    if (before) return before
    const read = parse(text)
    if (this.characters + text.length > this.most) {
      this.known.clear()
      this.characters = 0
    }
    this.characters += text.length
    this.known.set(text, read)
    return read
  }
}

const texts = new ReadTexts(20_000_000)

/** Reads a file whose documents hold no Kubernetes objects. */
export function documentsIn(path: string, text: string): OwnDocuments {
  const read = texts.of(text)
  const documents = read.objects.map((object) => new Manifest(object, 'head', { kind: 'file', path }, []))
  return { documents, faults: read.faults }
}

function parse(fileText: string): ReadText {
  const objects: LoadedObject[] = []
  const faults: { reason: string; region: Region }[] = []
  const lines = new Lines(fileText)
  const index = new LineIndex(fileText)
  for (const { text, offset } of splitDocuments(fileText)) {
    const line = index.region(offset, offset).startLine
    const yaml = readYaml(text, /^---[^\n]*\n?/.exec(text)?.[0].length ?? 0)
    if ('template' in yaml) {
      faults.push({ reason: 'it is a template, which a tool has to fill in', region: startOf(line) })
      continue
    }
    const places = new LineIndex(yaml.text, line)
    if ('reason' in yaml) {
      faults.push({ reason: yaml.reason, region: places.region(yaml.from, yaml.to) })
      continue
    }
    if (!yaml.contents) continue
    objects.push({
      ref: { group: '', kind: '', namespace: '', name: '' },
      apiVersion: '',
      node: yaml.contents,
      content: text,
      fileText,
      lines,
      region: startOf(line),
      duplicateKeys: [],
      regionOf: ({ from, to }: Node) => places.region(from, to),
      resolve: yaml.resolve,
    })
  }
  return { objects, faults }
}
