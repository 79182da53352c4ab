import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import type { Region } from '../region'
import type { LoadedObject } from './load'
import type { Manifest } from './manifest'
import { nestedIn } from './nested'

type Key = string | number

/**
 * A value and the place it is written. Rules walk cursors and report the cursor they read, so that a place cannot
 * differ from what was judged. A missing key is a cursor that does not exist; walking on from it is allowed.
 */
export class Cursor {
  private constructor(
    readonly manifest: Manifest,
    readonly path: readonly Key[],
    /** The node as written (an alias stays one), absent where nothing is written. */
    private readonly written: Node | undefined,
    /** The key the value is written under; list items and the root have none. */
    private readonly key: Node | undefined,
    private readonly parent: Cursor | undefined,
    /** What the nodes were parsed from: the object's own text, or one that a string of it holds. */
    private readonly source: Pick<LoadedObject, 'regionOf' | 'resolve'> = manifest.object,
  ) {}

  static root(manifest: Manifest): Cursor {
    return new Cursor(manifest, [], manifest.object.node, undefined, undefined)
  }

  private get node(): Node | undefined {
    return isAlias(this.written) ? this.source.resolve(this.written) : this.written
  }

  get exists(): boolean {
    return this.written !== undefined
  }

  /** The value as plain data; undefined where nothing is written. */
  get value(): unknown {
    const node = this.node
    if (isMap(node)) return Object.fromEntries([...this.entries()].map(([key, cursor]) => [key, cursor.value]))
    if (isSeq(node)) return [...this.items()].map((item) => item.value)
    return isScalar(node) ? node.value : undefined
  }

  /** The value when it is a string, as the cluster would read it: `yes` and `123` are none. */
  get string(): string | undefined {
    const node = this.node
    return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
  }

  get isMap(): boolean {
    return isMap(this.node)
  }

  /** The YAML that a string holds: values in an Argo CD Application, say. Undefined where it is none. */
  get nested(): Cursor | undefined {
    const nested = this.string === undefined ? undefined : nestedIn(this.string, this.region, this.manifest.object)
    return nested && new Cursor(this.manifest, this.path, nested.node, undefined, this, nested)
  }

  at(...keys: Key[]): Cursor {
    return keys.reduce<Cursor>((cursor, key) => cursor.child(key), this)
  }

  private child(key: Key): Cursor {
    const node = this.node
    if (typeof key === 'number') {
      const item = isSeq(node) ? (node.items[key] as Node | undefined) : undefined
      return new Cursor(this.manifest, [...this.path, key], item, undefined, this, this.source)
    }
    const pair = isMap(node) ? findPair(node, key, (alias) => this.source.resolve(alias)) : undefined
    const name = pair?.key as Node | undefined
    return new Cursor(this.manifest, [...this.path, key], nodeUnder(pair), name, this, this.source)
  }

  /** The items of a list; nothing where there is none. */
  *items(): Generator<Cursor> {
    const node = this.node
    if (isSeq(node)) for (const index of node.items.keys()) yield this.child(index)
  }

  /** The entries of a map, merged keys included; nothing where there is none. */
  *entries(): Generator<[string, Cursor]> {
    const node = this.node
    if (!isMap(node)) return
    for (const key of pairsOf(node, (alias) => this.source.resolve(alias)).keys()) yield [key, this.child(key)]
  }

  /** Where a reader finds this: the scalar, or the key of a map or list, or the nearest thing above that is written. */
  get region(): Region {
    const { object } = this.manifest
    if (this.written === undefined) return this.parent?.region ?? object.region
    const { source } = this
    if (isScalar(this.written) || isAlias(this.written)) {
      const empty = this.written.range?.[0] === this.written.range?.[1] && this.key
      return source.regionOf(empty ? this.key : this.written)
    }
    if (this.key) return source.regionOf(this.key)
    if (!this.parent) return object.region
    const first = isMap(this.written) ? (this.written.items[0]?.key as Node | undefined) : undefined
    return source.regionOf(first ?? this.written)
  }
}

/** Finds what an alias stands for. */
export type Resolve = (alias: Alias) => Node | undefined

/** A key as text; aliases are followed, and only a plain `<<` merges. */
function textOf(key: unknown, resolve: Resolve): string | undefined {
  const node = isAlias(key) ? resolve(key) : key
  return isScalar(node) ? String(node.value) : undefined
}

/** `<<` as a plain key merges, and whatever is tagged as a merge; quoted or tagged otherwise it is a key like any other. */
export function isMerge({ key }: Pair): boolean {
  if (!isScalar(key) || key.value !== '<<') return false
  return key.tag === undefined ? key.type === 'PLAIN' : key.tag === '!' || key.tag === 'tag:yaml.org,2002:merge'
}

function nodeUnder(pair: Pair | undefined): Node | undefined {
  return (pair?.value ?? undefined) as Node | undefined
}

/** The maps that one `<<` brings into a map, nearest first. */
function mergedBy(pair: Pair, resolve: Resolve): YAMLMap[] {
  const follow = (node: unknown) => (isAlias(node) ? resolve(node) : node)
  const source = follow(pair.value)
  return (isSeq(source) ? source.items.map(follow) : [source]).filter(isMap)
}

/** Anchors nest no deeper than this in anything a person wrote. */
const deepestMerge = 32

const known = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

/**
 * The pairs of a map by their keys, merged ones included, kept as a map is asked many times. What stands last counts, as in
 * go-yaml 2: of duplicate keys the last one, and a `<<` wins over a key before it.
 */
export function pairsOf(map: YAMLMap, resolve: Resolve, depth = 0): ReadonlyMap<string, Pair> {
  const before = known.get(map)
  if (before) return before
  const pairs = new Map<string, Pair>()
  for (const pair of map.items) {
    if (!isMerge(pair)) {
      const text = textOf(pair.key, resolve)
      if (text !== undefined) pairs.set(text, pair)
    } else if (depth <= deepestMerge) {
      for (const source of mergedBy(pair, resolve).reverse())
        for (const [text, merged] of pairsOf(source, resolve, depth + 1)) pairs.set(text, merged)
    }
  }
  if (depth === 0) known.set(map, pairs)
  return pairs
}

export function findPair(map: YAMLMap, key: string, resolve: Resolve): Pair | undefined {
  return pairsOf(map, resolve).get(key)
}
