import type { Cursor } from '../../manifest/cursor'

/**
 * A value of a release, merged from its layers: maps merge key by key, and any other value hides the layers below it.
 */
export class LayeredValue {
  /** @param layers the places that write it, the first over the others */
  private constructor(private readonly layers: readonly Cursor[]) {}

  static of(layers: readonly Cursor[]): LayeredValue {
    const written = layers.filter(({ exists }) => exists)
    const other = written.findIndex(({ isMap }) => !isMap)
    // A map replaces a lower value that is no map.
    return new LayeredValue(written.slice(0, other === -1 ? undefined : Math.max(other, 1)))
  }

  /** The place of the value; of several places, the one with precedence. */
  get at(): Cursor | undefined {
    return this.layers[0]
  }

  /** Whether it has a value: `null` removes one. */
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
