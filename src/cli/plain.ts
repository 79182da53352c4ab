import type { ValueTree } from '../cluster/inventory'
import { entryOf } from '../entry'

/** Parsed data as a tree that has no places: what a command reads, it does not report. */
export class Plain implements ValueTree<Plain> {
  constructor(readonly value: unknown) {}

  get exists(): boolean {
    return this.value !== undefined
  }

  get string(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined
  }

  at(...keys: (string | number)[]): Plain {
    return new Plain(
      keys.reduce<unknown>((value, key) => (isObject(value) ? entryOf(value, String(key)) : undefined), this.value),
    )
  }

  items(): Plain[] {
    return Array.isArray(this.value) ? this.value.map((item) => new Plain(item)) : []
  }

  entries(): [string, Plain][] {
    if (!isObject(this.value) || Array.isArray(this.value)) return []
    return Object.entries(this.value).map(([key, value]) => [key, new Plain(value)])
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
