import { isNode, LineCounter, parseDocument } from 'yaml'
import { excerptOf } from '../finding/excerpt'
import type { Location, Precision, RenderedPlace } from '../finding/report'
import type { Cursor } from '../manifest/cursor'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest, nameOf } from '../manifest/manifest'
import type { Gathered } from '../pipeline/opening/scope'
import type { Region } from '../region'
import { isCrdFile } from '../render/tools/post-renderers'
import { heldFolderOf } from '../revision/held-files'
import type { SideOfChange } from '../sides/side'
import type { DeclarationSite, HelmSource, KustomizeSource } from '../sources/source'
import type { ChangedFiles } from './changed-files'
import { IncludedFiles } from './included-file'
import { Markers } from './markers'

/** Some lines of a file, one for each line of the rendering they came to. */
interface Written {
  readonly lines: readonly string[]
  readonly origins: readonly (number | undefined)[]
}

/** Finds the lines of templates and included files that rendered lines come from. */
export class OriginalPlaces {
  private readonly marked = new Map<string, Promise<Map<string, Written[]>>>()
  private readonly origins = new Map<string, Promise<Origins>>()
  private readonly included = new IncludedFiles()

  constructor(
    private readonly sides: Gathered['sides'],
    private readonly changed: ChangedFiles,
  ) {}

  /** Whether a place is in a fetched chart or base: then only the line that requests it can be named. */
  async isFetched({ rendered, side: name }: Location): Promise<boolean> {
    const side = this.sides[name]
    const source = side?.discovery.sources.find(({ id }) => id === rendered?.id)
    if (!side || !rendered || !source) return false
    if (source.kind === 'helm' || source.fetched) return source.fetched !== undefined
    return typeof (await this.includedFrom(rendered, name, side, source)) === 'object'
  }

  /** The line of a values file that gives the value which decides a place; undefined where none does. */
  async valueOf({ rendered, side: name, note }: Location): Promise<Location | undefined> {
    const side = this.sides[name]
    const source = side?.discovery.sources.find(({ id }) => id === rendered?.id)
    if (!rendered?.value || !side || source?.kind !== 'helm') return undefined
    // Values of a subchart are below its name.
    const subcharts = [...rendered.template.matchAll(/\/charts\/([^/]+)(?=\/)/g)].map(([, name = '']) => name)
    for (const one of [...source.values].reverse()) {
      const isOfChart = 'path' in one && heldFolderOf(one.path) !== ''
      const text = 'path' in one && !isOfChart ? await side.checkout.text(one.path) : undefined
      const line = text && lineOfValue(text, [...subcharts, ...rendered.value.split('.')])
      if (!text || !line || !('path' in one)) continue
      const region = lineOf(text, line)
      const place = {
        side: name,
        path: one.path,
        region,
        precision: 'values',
        excerpt: excerptOf(text, region),
      } as const
      return { ...place, ...(note ? { note } : {}), changed: false }
    }
    return undefined
  }

  /** The place a person can edit; the given place, without a line, if that is not certain. */
  async find(location: Location): Promise<Location> {
    const { rendered, side: name } = location
    const side = this.sides[name]
    const source = side?.discovery.sources.find(({ id }) => id === rendered?.id)
    if (!rendered || !side || !source) return location
    if (source.fetched) return this.versionLine(location, source.fetched.at, side)
    if (rendered.isWritten) return this.writtenLine(location, rendered)
    return source.kind === 'helm'
      ? this.templateLine(location, rendered, side, source)
      : this.includedLine(location, rendered, side, source)
  }

  private async writtenLine(location: Location, { text, line, keys }: RenderedPlace): Promise<Location> {
    const isAround = ({ region }: LoadedObject) => region.startLine <= line && line <= region.endLine
    const object = loadFile({ text }).objects.find(isAround)
    const part = object && (await this.partWritten(valueAt(object, keys), location, location.path))
    return at(location, location.path, part ?? lineOf(text, line), text, 'exact')
  }

  /** The line that asks for the chart or the base: no file of this repository has the template. */
  private async versionLine(
    location: Location,
    { path, region }: DeclarationSite,
    side: SideOfChange,
  ): Promise<Location> {
    const text = await side.checkout.text(path)
    return text === undefined ? location : at(location, path, region, text, 'template')
  }

  private async templateLine(
    location: Location,
    rendered: RenderedPlace,
    side: SideOfChange,
    source: HelmSource,
  ): Promise<Location> {
    const { path } = location
    const text = await side.checkout.text(path)
    if (text === undefined || !path.endsWith(rendered.template.slice(rendered.template.lastIndexOf('/'))))
      return location
    const written = isCrdFile(rendered.template)
      ? documentsOf(text, lineNumbers(text))
      : ((await this.markedOf(location.side, side, source)).get(rendered.template) ?? [])
    const plain = documentsOf(rendered.text, lineNumbers(rendered.text)).find(({ origins }) =>
      origins.includes(rendered.line),
    )
    if (!plain) return location
    const index = plain.origins.indexOf(rendered.line)
    // Two documents may print the same, and a template may be given to two charts: then no line is certain.
    const lines = new Set(thoseLike(plain, written).map(({ origins }) => origins[index]))
    const [marked] = lines.size === 1 ? lines : []
    // What a chart prints with supposed values, and in part, may not be among the marked documents.
    const isSupposed = source.origin === 'probed' && lines.size === 0
    const line = marked ?? (isSupposed ? lineWithKeyOf(rendered, text) : undefined)
    return line === undefined ? location : at(location, path, lineOf(text, line), text, 'template')
  }

  private markedOf(name: Location['side'], side: SideOfChange, source: HelmSource): Promise<Map<string, Written[]>> {
    const key = `${name} ${source.id}`
    const known = this.marked.get(key)
    if (known) return known
    const marking = side
      .renderRewritten(source, (template, nonce) => new Markers(nonce).into(template))
      .then(({ nonce, outputs }) => {
        const markers = new Markers(nonce)
        const found = new Map<string, Written[]>()
        for (const { template, text: output } of outputs) {
          const { text, origins } = markers.outOf(output)
          found.set(template, [...(found.get(template) ?? []), ...documentsOf(text, origins)])
        }
        return found
      })
    this.marked.set(key, marking)
    return marking
  }

  private originsOf(name: Location['side'], side: SideOfChange, source: KustomizeSource): Promise<Origins> {
    const key = `${name} ${source.id}`
    const origins = this.origins.get(key) ?? originsOf(side, source)
    this.origins.set(key, origins)
    return origins
  }

  private async includedFrom(
    rendered: RenderedPlace,
    name: Location['side'],
    side: SideOfChange,
    source: KustomizeSource,
  ): Promise<string | DeclarationSite | undefined> {
    const file = await this.included.fileOf(rendered.object, side, source)
    return file ?? originOf(rendered, await this.originsOf(name, side, source))
  }

  /** The same value in the file that the Kustomization took the object from. */
  private async includedLine(
    location: Location,
    rendered: RenderedPlace,
    side: SideOfChange,
    source: KustomizeSource,
  ): Promise<Location> {
    const path = await this.includedFrom(rendered, location.side, side, source)
    if (typeof path === 'object') return this.versionLine(location, path, side)
    const text = path === undefined ? undefined : await side.checkout.text(path)
    if (path === undefined || text === undefined) return location
    const { kind, name } = rendered.object
    const candidates = loadFile({ text }).objects.filter(
      ({ ref }) => ref.kind === kind && (ref.name === name || name.includes(ref.name)),
    )
    const object =
      candidates.find(({ ref }) => ref.name === name) ?? (candidates.length === 1 ? candidates[0] : undefined)
    if (!object) return location
    const original = valueAt(object, rendered.keys)
    const shown = loadFile({ text: rendered.text }).objects.find(({ ref }) => ref.kind === kind && ref.name === name)
    // A missing value is missing at its nearest existing key.
    const same = shown && JSON.stringify(original.value) === JSON.stringify(valueAt(shown, rendered.keys).value)
    if (!same) return at(location, path, original.region, text, 'file')
    return at(location, path, (await this.partWritten(original, location, path)) ?? original.region, text, 'exact')
  }

  /** The only entry that the change wrote of a map of scalars, such as a `roleRef`. */
  private async partWritten(map: Cursor, { side }: Location, path: string): Promise<Region | undefined> {
    const regions = [...map.entries()].map(([, entry]) => (entry.isMap || entry.isList ? undefined : entry.region))
    if (side !== 'head' || regions.includes(undefined)) return undefined
    const written: Region[] = []
    for (const region of regions) if (region && (await this.changed.wrote(path, region.startLine))) written.push(region)
    return written.length === 1 ? written[0] : undefined
  }
}

/** The files that objects come from, by the names of these; for a fetched file, the entry that includes it. */
type Origins = ReadonlyMap<string, string | DeclarationSite>

/** The file of an object. Argo CD, Flux and Fleet give a namespace to objects that have none when kustomize builds them. */
function originOf({ object }: RenderedPlace, origins: Origins): string | DeclarationSite | undefined {
  return origins.get(nameOf(object)) ?? origins.get(nameOf({ ...object, namespace: '' }))
}

async function originsOf(side: SideOfChange, source: KustomizeSource): Promise<Origins> {
  const found = new Map<string, string | DeclarationSite>()
  for (const { text } of await side.renderWithOrigins(source)) {
    for (const object of loadFile({ text }).objects) {
      const annotation = valueAt(object, ['metadata', 'annotations', 'config.kubernetes.io/origin'])
      const origin = annotation.string?.match(/^path: (.*)$/m)?.[1]
      const path = origin === undefined ? undefined : side.fileFrom(origin, source)
      if (path !== undefined) found.set(nameOf(object.ref), path)
    }
  }
  return found
}

function valueAt(object: LoadedObject, keys: readonly (string | number)[]): Cursor {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root.at(...keys)
}

function at(location: Location, path: string, region: Region, text: string, precision: Precision): Location {
  const { rendered: _, ...rest } = location
  return { ...rest, path, region, precision, excerpt: excerptOf(text, region) }
}

function lineOfValue(text: string, path: readonly string[]): number | undefined {
  const lines = new LineCounter()
  const node = parseDocument(text, { lineCounter: lines, logLevel: 'silent' }).getIn(path, true)
  return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined
}

function lineOf(text: string, line: number): Region {
  const written = text.split('\n')[line - 1] ?? ''
  const startColumn = written.search(/\S/) + 1 || 1
  return { startLine: line, startColumn, endLine: line, endColumn: Math.max(startColumn, written.trimEnd().length + 1) }
}

function lineNumbers(text: string): number[] {
  return text.split('\n').map((_, index) => index + 1)
}

/** The documents of a text, with their significant lines. Helm prints a document from its first character on. */
function documentsOf(text: string, origins: readonly (number | undefined)[]): Written[] {
  const documents: { lines: string[]; origins: (number | undefined)[] }[] = [{ lines: [], origins: [] }]
  for (const [index, line] of text.split('\n').entries()) {
    const begins = line.startsWith('---')
    if (begins) documents.push({ lines: [], origins: [] })
    const written = begins ? line.slice('---'.length) : line
    const document = documents.at(-1)
    if (!document || !written.trim()) continue
    document.lines.push(document.lines.length === 0 ? written.trim() : written.trimEnd())
    document.origins.push(origins[index])
  }
  return documents
}

/** The only line of a template that writes the key of a rendered line. */
function lineWithKeyOf({ text, line }: RenderedPlace, template: string): number | undefined {
  const [, key] = /^\s*((?:- )?[\w./-]+:)(?:\s|$)/.exec(text.split('\n')[line - 1] ?? '') ?? []
  const lines = template.split('\n').map((one) => one.trimStart())
  const found = lines.flatMap((one, index) => (key !== undefined && one.startsWith(key) ? [index + 1] : []))
  return found.length === 1 ? found[0] : undefined
}

/** The documents that marking has not changed, except for checksums of templates and random values. */
function thoseLike({ lines }: Written, written: readonly Written[]): Written[] {
  const alike = (change: (line: string) => string) =>
    written.filter((one) => {
      return (
        one.lines.length === lines.length && one.lines.every((line, at) => change(line) === change(lines[at] ?? ''))
      )
    })
  const same = alike((line) => line)
  return same.length > 0 ? same : alike(masked)
}

function masked(line: string): string {
  return line.replace(/[0-9a-f]{32,}/g, '…').replace(/([:=] )"?[\w+/=-]{8,}"?$/, '$1…')
}
