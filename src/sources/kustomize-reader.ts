import { parseDocument } from 'yaml'
import { readYaml, type SoundYaml } from '../manifest/document-reader'
import { splitDocuments } from '../manifest/documents'
import { LineIndex } from '../manifest/lines'
import { pairsOf } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, type Node, nodeOf, type Pair, type Scalar } from '../manifest/nodes'
import { PackageNodes } from '../manifest/package-nodes'
import { type Region, startOf } from '../region'
import { asciiJson } from './ascii-json'
import { foldedKey } from './go-keys'
import { documentedIn, type Leaf, otherObject, pluginShapes, type Shape, shapeOf } from './kustomize-fields'

/** A string of a Kustomization, and its place. */
export interface Mention {
  readonly text: string
  readonly region: Region
}

/** A string that names a place. */
export interface NamedPlace extends Mention {
  readonly leaf: Leaf
  /** The field of the Kustomization that contains it: `resources`. */
  readonly field: string
  /** Set if it is an item of a list itself, which can be left out. */
  readonly isItem: boolean
}

/** An entry of `helmCharts`. */
export interface WrittenChart {
  readonly name: string
  /** The repository it is pulled from, if it is not local. */
  readonly repo: string
  readonly version: string
  readonly region: Region
}

/** The cause of a fault in a Kustomization. */
export type FaultCause = 'kustomization-unreadable' | 'kustomization-invalid' | 'place-refused'

/** A fault in a text, and its place. */
export interface Fault {
  readonly cause: FaultCause
  /** The field or the path that is wrong. */
  readonly about?: string
  readonly reason: string
  readonly region: Region
}

/** Entries that kustomize does not get in their original form, because they are not in the repository. */
export interface LeftOut {
  readonly place: (place: NamedPlace) => boolean
  /** The path that it gets in place of an entry. */
  readonly instead?: (place: NamedPlace) => string | undefined
  readonly chart: (chart: WrittenChart) => boolean
}

export const nothingLeftOut: LeftOut = { place: () => false, chart: () => false }

/** The places and faults in a text of a Kustomization. */
export interface KustomizeReading {
  readonly places: readonly NamedPlace[]
  readonly charts: readonly WrittenChart[]
  readonly faults: readonly Fault[]
  /**
   * The same content in a form that every YAML parser reads in the same way: kustomize gets exactly the inspected
   * content.
   */
  readonly written: string
  /** The words of the outermost map, by their keys in Go's folded form. */
  readonly words: ReadonlyMap<string, string>
  /** The keys of the outermost map, those of fields in the documented form. */
  readonly keys: readonly string[]
  /** Every string that may be a path. */
  readonly strings: ReadonlySet<string>
  /** Those of plugins that are written in it. */
  readonly inlineStrings: ReadonlySet<string>
}

/** Reads the first document of a text, the only one that kustomize reads of a kustomization.yaml. */
export function readKustomizeText(text: string, shape: Shape, leftOut = nothingLeftOut): KustomizeReading {
  const yaml = readYaml(text)
  const fault = 'contents' in yaml ? undefined : faultOf(yaml)
  const sound = 'contents' in yaml ? yaml : asFarAsItGoes(text)
  const walk = new KustomizationWalk(sound, leftOut)
  try {
    const written = walk.write(sound.contents ?? nodeOf(null), shape) ?? ''
    const { places, charts, faults, strings, inlineStrings } = walk
    const all = fault ? [fault, ...faults] : faults
    const read = { places, charts, faults: all, strings, inlineStrings, written: fault ? '' : written }
    return { ...read, ...walk.outermost(sound.contents, shape) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return {
      ...nothing,
      faults: [fault ?? unreadable(`${cannotRead} it is nested too deeply`, startOf(1))],
    }
  }
}

const cannotRead = 'kustomize cannot read it:'

function faultOf(yaml: Exclude<ReturnType<typeof readYaml>, SoundYaml>): Fault {
  const lines = new LineIndex(yaml.text)
  if ('reason' in yaml) return unreadable(`${cannotRead} ${yaml.reason}`, lines.region(yaml.from, yaml.to))
  const mark = Math.max(0, yaml.text.search(/\{[{%]/))
  return unreadable(`${cannotRead} it contains template markers`, lines.region(mark, mark + 2))
}

function unreadable(reason: string, region: Region): Fault {
  return { cause: 'kustomization-unreadable', reason, region }
}

/** The files that an unreadable text names are still deployed; kustomize does not get the text. */
function asFarAsItGoes(text: string): SoundYaml {
  const none: SoundYaml = { text, contents: null, resolve: () => undefined, duplicates: [] }
  if (text.length > maxBrokenReads) return none
  try {
    const document = parseDocument(text, { logLevel: 'silent', version: '1.1', uniqueKeys: false })
    return { ...none, contents: new PackageNodes(document).of(document.contents) }
  } catch (error) {
    if (error instanceof RangeError) return none
    throw error
  }
}

const maxBrokenReads = 1024 * 1024

/** Reads a file of plugins, or inline YAML in its place. */
export function readPlugins(
  text: string,
  leftOut = nothingLeftOut,
): Omit<KustomizeReading, 'words' | 'keys' | 'inlineStrings'> {
  let before = 0
  let counted = 0
  const all = splitDocuments(text).map((document) => {
    before += text.slice(counted, document.offset).split('\n').length - 1
    counted = document.offset
    const above = before
    const down = <T extends { readonly region: Region }>(one: T): T => ({ ...one, region: lower(one.region, above) })
    const reading = readKustomizeText(document.text, { object: true }, leftOut)
    const { places, charts, faults } = reading
    return { ...reading, places: places.map(down), charts: charts.map(down), faults: faults.map(down) }
  })
  return {
    places: all.flatMap(({ places }) => places),
    charts: all.flatMap(({ charts }) => charts),
    faults: all.flatMap(({ faults }) => faults),
    written: all.map(({ written }) => written).join('\n---\n'),
    strings: new Set(all.flatMap(({ strings }) => [...strings])),
  }
}

const nothing: KustomizeReading = {
  places: [],
  charts: [],
  faults: [],
  written: '',
  words: new Map(),
  keys: [],
  strings: new Set(),
  inlineStrings: new Set(),
}

function lower({ startLine, endLine, ...rest }: Region, by: number): Region {
  return { ...rest, startLine: startLine + by, endLine: endLine + by }
}

/** Whether kustomize reads a string as YAML rather than as a path, in a field that allows both. */
export function isInline(text: string): boolean {
  return text.includes('\n') || /^\s*[{[]/.test(text)
}

class KustomizationWalk {
  readonly places: NamedPlace[] = []
  readonly charts: WrittenChart[] = []
  readonly faults: Fault[] = []
  readonly strings = new Set<string>()
  readonly inlineStrings = new Set<string>()
  private readonly regionOf: (node: Node) => Region

  constructor(
    private readonly yaml: SoundYaml,
    private readonly leftOut: LeftOut,
  ) {
    const lines = new LineIndex(yaml.text)
    this.regionOf = ({ from, to }) => lines.region(from, to)
  }

  /** @returns undefined for entries that are left out */
  write(written: Node, shape: Shape, field = '', isItem = false): string | undefined {
    const node = isAlias(written) ? this.yaml.resolve(written) : written
    if (isScalar(node)) return this.scalar(node, shape, field, isItem && node === written)
    if (shape === 'dropped') return undefined
    if (isList(node)) {
      const inner = typeof shape === 'object' && 'list' in shape ? shape.list : 'any'
      const items = node.items.map((item) => this.write(item, inner, field, true))
      return `[${items.filter((item) => item !== undefined).join(', ')}]`
    }
    return isMap(node) ? this.map(pairsOf(node, this.yaml.resolve), shape, this.regionOf(node), field) : 'null'
  }

  outermost(written: Node | null, shape: Shape): Pick<KustomizeReading, 'words' | 'keys'> {
    if (!isMap(written)) return { words: new Map(), keys: [] }
    const pairs = pairsOf(written, this.yaml.resolve)
    // Go decodes keys in byte order: if two keys are one field, the later one counts.
    const keys = [...pairs.keys()].sort()
    return {
      words: new Map(keys.map((key) => [foldedKey(key), this.word(pairs, key)])),
      keys: keys.map((key) => documentedIn(shape, key) ?? key),
    }
  }

  private map(pairs: ReadonlyMap<string, Pair>, given: Shape, region: Region, field: string): string | undefined {
    const shape =
      typeof given === 'object' && 'object' in given
        ? (pluginShapes.get(this.word(pairs, 'kind')) ?? otherObject)
        : given
    const named = this.fieldsOf(pairs, shape)
    if (field === 'helmCharts' && given !== 'any') {
      const [name, repo, version] = ['name', 'repo', 'version'].map((key) => this.word(named, key))
      const chart = { name: name ?? '', repo: repo ?? '', version: version ?? '', region }
      this.charts.push(chart)
      if (this.leftOut.chart(chart)) return undefined
    }
    const entries = [...named].flatMap(([key, pair]) => {
      const value = this.write(pair.value, shapeOf(key, shape), field || key)
      return value === undefined ? [] : [`${asciiJson(key)}: ${value}`]
    })
    return `{${entries.join(', ')}}`
  }

  /**
   * The pairs of a map by the names of fields that kustomize documents: encoding/json takes a key for a field in any
   * case. Of two keys of one field the last in byte order counts there, or both are laid over each other, so that is not read.
   *
   * https://github.com/kubernetes-sigs/kustomize/blob/api/v0.21.1/api/types/kustomization.go, `Unmarshal`
   */
  private fieldsOf(pairs: ReadonlyMap<string, Pair>, shape: Shape): ReadonlyMap<string, Pair> {
    if (typeof shape === 'string' || !('fields' in shape)) return pairs
    const named = new Map<string, Pair>()
    for (const [key, pair] of pairs) {
      const documented = documentedIn(shape, key)
      if (documented === undefined && shape.strict)
        this.fault(
          pair.key,
          key,
          `kustomize has no field \`${key}\` here and rejects the file; correct the key or remove it`,
        )
      const field = documented ?? key
      if (named.has(field))
        this.fault(
          pair.key,
          key,
          `kustomize takes \`${key}\` for the field \`${field}\`, which is here already; write the field once`,
        )
      named.set(field, pair)
    }
    return named
  }

  private scalar(node: Scalar, shape: Shape, field: string, isItem: boolean): string | undefined {
    if (shape === 'dropped') return undefined
    const { value } = node
    if (typeof value !== 'string') return plainOf(node)
    if (!value.includes('\n') && value.length <= 500) this.strings.add(value)
    if (typeof shape !== 'string' || shape === 'any' || value === '') return asciiJson(value)
    const place: NamedPlace = { text: value, region: this.regionOf(node), leaf: shape, field, isItem }
    this.places.push(place)
    if (shape === 'home' || this.leftOut.place(place)) return undefined
    const given = this.leftOut.instead?.(place) ?? value
    return asciiJson(shape === 'plugin' && isInline(value) ? this.inline(value, place) : given)
  }

  /** Plugins written in a Kustomization itself. */
  private inline(text: string, { region, field }: NamedPlace): string {
    const { places, faults, written, strings } = readPlugins(text, this.leftOut)
    for (const string of strings) this.inlineStrings.add(string)
    this.places.push(...places.map((place) => ({ ...place, region, field })))
    this.faults.push(...faults.map((fault) => ({ ...fault, region })))
    return written
  }

  private word(pairs: ReadonlyMap<string, Pair>, key: string): string {
    const value = pairs.get(key)?.value
    const node = isAlias(value) ? this.yaml.resolve(value) : value
    // YAML takes a version for a number.
    return isScalar(node) && node.value !== null ? String(node.value) : ''
  }

  private fault(node: Node, about: string, reason: string): void {
    this.faults.push({ cause: 'kustomization-invalid', about, reason, region: this.regionOf(node) })
  }
}

function plainOf({ value }: Scalar): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'null'
}
