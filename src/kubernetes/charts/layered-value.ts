import type { Cursor } from '../../manifest/cursor'

/** A value of a release as its layers give it together: maps merge key by key, and anything else hides what is below it. */
export class LayeredValue {
  /** @param layers the places that write it, the first over the others */
  private constructor(private readonly layers: readonly Cursor[]) {}

  static of(layers: readonly Cursor[]): LayeredValue {
    const written = layers.filter(({ exists }) => exists)
    const other = written.findIndex(({ isMap }) => !isMap)
    // A map replaces what is no map below it.
    return new LayeredValue(written.slice(0, other === -1 ? undefined : Math.max(other, 1)))
  }

  /** Where it is written; of several places the one that counts most. */
  get at(): Cursor | undefined {
    return this.layers[0]
  }

  /** Whether it is given: `null` takes a value back. */
  get isSet(): boolean {
    return this.at !== undefined && (this.at.isMap || this.at.isList || this.at.value !== null)
  }

  get isMap(): boolean {
    return this.at?.isMap === true
  }

  get scalar(): unknown {
    return this.at && !this.at.isMap && !this.at.isList ? this.at.value : undefined
  }

  /** Undefined where it is no list. */
  get items(): LayeredValue[] | undefined {
    return this.at?.isList ? [...this.at.items()].map((item) => LayeredValue.of([item])) : undefined
  }

  get keys(): string[] {
    return [...new Set(this.layers.flatMap((layer) => [...layer.entries()].map(([key]) => key)))]
  }

  get(key: string): LayeredValue {
    return LayeredValue.of(this.layers.map((layer) => layer.at(key)))
  }
}
