import type { ValueTree } from '../cluster/inventory'
import { entryOf } from '../entry'

/** Parsed data as a tree without places, for commands that report none. */
export class PlainTree implements ValueTree<PlainTree> {
  constructor(readonly value: unknown) {}

  get exists(): boolean {
    return this.value !== undefined
  }

  get string(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined
  }

  at(...keys: (string | number)[]): PlainTree {
    return new PlainTree(
      keys.reduce<unknown>((value, key) => (isObject(value) ? entryOf(value, String(key)) : undefined), this.value),
    )
  }

  items(): PlainTree[] {
    return Array.isArray(this.value) ? this.value.map((item) => new PlainTree(item)) : []
  }

  entries(): [string, PlainTree][] {
    if (!isObject(this.value) || Array.isArray(this.value)) return []
    return Object.entries(this.value).map(([key, value]) => [key, new PlainTree(value)])
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
