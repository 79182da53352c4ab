/** Numbers that are the same for the same seed, on every machine. */
export class Random {
  private state: number

  constructor(...seeds: readonly number[]) {
    this.state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) ^ (state >>> 15), 0x2545f491)
    for (let round = 0; round < 4; round++) this.next()
  }

  /** A number from 0 to 1, without 1. Source: mulberry32, public domain. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number from 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  of<T>(list: readonly [T, ...T[]]): T
  of<T>(list: readonly T[]): T | undefined
  of<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)]
  }
}
