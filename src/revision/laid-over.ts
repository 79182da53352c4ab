/**
 * A map with some entries in place of those of another, in its order: the files of a source are edited while those of
 * thousands stay, so nothing is copied.
 */
export class LaidOver<K, V> implements ReadonlyMap<K, V> {
  constructor(
    private readonly below: ReadonlyMap<K, V>,
    private readonly above: ReadonlyMap<K, V>,
  ) {}

  get size(): number {
    return this.below.size + [...this.above.keys()].filter((key) => !this.below.has(key)).length
  }

  get(key: K): V | undefined {
    return this.above.get(key) ?? this.below.get(key)
  }

  has(key: K): boolean {
    return this.above.has(key) || this.below.has(key)
  }

  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) each(value, key, this)
  }

  *entries(): MapIterator<[K, V]> {
    for (const [key, value] of this.below) yield [key, this.above.get(key) ?? value]
    for (const [key, value] of this.above) if (!this.below.has(key)) yield [key, value]
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries()
  }
}
