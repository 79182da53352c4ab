import type { Region } from '../region'
import type { Key, LoadedObject } from './load'
import type { Manifest } from './manifest'
import { findPair, pairsOf } from './map-pairs'
import { nestedIn } from './nested'
import { isAlias, isList, isMap, isScalar, type Node, type Pair } from './nodes'

/**
 * A value and its place. Rules walk cursors and report the cursor they read, so that a place cannot differ from the
 * judged value. A missing key is a cursor that does not exist; walking on from it is allowed.
 */
export class Cursor {
  private constructor(
    readonly manifest: Manifest,
    /** The keys and indexes that lead here from the parent; none for the root of a text. */
    private readonly steps: readonly Key[],
    /** The node in the file (an alias is not resolved); undefined if it is missing. */
    private readonly written: Node | undefined,
    /** The key that the value is written under, with it; list items and the root have none. */
    private readonly pair: Pair | undefined,
    private readonly parent: Cursor | undefined,
    /** The text that the nodes were parsed from: the object's own, or that of a string in it. */
    private readonly source: Pick<LoadedObject, 'regionOf' | 'resolve'> = manifest.object,
  ) {}

  static root(manifest: Manifest): Cursor {
    return new Cursor(manifest, [], manifest.object.node, undefined, undefined)
  }

  /** The keys and indexes that lead here; those of a string's own YAML follow those of the string. */
  get path(): readonly Key[] {
    return [...(this.parent?.path ?? []), ...this.steps]
  }

  private get node(): Node | undefined {
    return isAlias(this.written) ? this.source.resolve(this.written) : this.written
  }

  get exists(): boolean {
    return this.written !== undefined
  }

  /** The value as plain data; undefined if it is missing. */
  get value(): unknown {
    const node = this.node
    if (isMap(node)) return Object.fromEntries([...this.entries()].map(([key, cursor]) => [key, cursor.value]))
    if (isList(node)) return [...this.items()].map((item) => item.value)
    return isScalar(node) ? node.value : undefined
  }

  /** The value when it is a string, as the cluster would read it: `yes` and `123` are none. */
  get string(): string | undefined {
    const node = this.node
    return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
  }

  /** Whether a value is written that is not null. */
  get isSet(): boolean {
    const node = this.node
    return this.exists && !(isScalar(node) && node.value === null)
  }

  get isMap(): boolean {
    return isMap(this.node)
  }

  get isList(): boolean {
    return isList(this.node)
  }

  /** The YAML in a string: values in an Argo CD Application, for example. Undefined if it is not YAML. */
  get nested(): Cursor | undefined {
    const nested = this.string === undefined ? undefined : nestedIn(this.string, this.region, this.manifest.object)
    return nested && new Cursor(this.manifest, [], nested.node, undefined, this, nested)
  }

  /** The value at a path. The values on the way get no cursors: rules ask for millions of paths. */
  at(...keys: Key[]): Cursor {
    let written = this.written
    let pair: Pair | undefined
    for (const step of keys) {
      const node = isAlias(written) ? this.source.resolve(written) : written
      if (typeof step === 'number') {
        written = isList(node) ? node.items[step] : undefined
        pair = undefined
      } else {
        pair = isMap(node) ? findPair(node, step, this.source.resolve) : undefined
        written = pair?.value
      }
    }
    return keys.length === 0 ? this : new Cursor(this.manifest, keys, written, pair, this, this.source)
  }

  /** The items of a list; none if there is no list. */
  *items(): Generator<Cursor> {
    const node = this.node
    if (!isList(node)) return
    for (const [index, item] of node.items.entries())
      yield new Cursor(this.manifest, [index], item, undefined, this, this.source)
  }

  /** The entries of a map, including merged keys; none if there is no map. */
  *entries(): Generator<[string, Cursor]> {
    const node = this.node
    if (!isMap(node)) return
    for (const [key, pair] of pairsOf(node, this.source.resolve))
      yield [key, new Cursor(this.manifest, [key], pair.value, pair, this, this.source)]
  }

  /** The place for a reader: the scalar, or the key of a map or list, or the nearest existing value above. */
  get region(): Region {
    const { object } = this.manifest
    if (this.written === undefined) return this.above?.region ?? object.region
    const { source } = this
    const key = this.pair?.key
    if (isScalar(this.written) || isAlias(this.written)) {
      const isEmpty = this.written.from === this.written.to
      return source.regionOf(isEmpty && key ? key : this.written)
    }
    if (key) return source.regionOf(key)
    if (!this.parent) return object.region
    const first = isMap(this.written) ? this.written.pairs[0]?.key : undefined
    return source.regionOf(first ?? this.written)
  }

  /** The value that this one is in. */
  private get above(): Cursor | undefined {
    return this.steps.length > 1 ? this.parent?.at(...this.steps.slice(0, -1)) : this.parent
  }
}
