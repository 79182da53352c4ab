import type { Cursor } from './cursor'

/** Why an object is assumed that nothing writes or renders, and where the values it is made of are written. */
export interface Assumption {
  /** One sentence for the reader of a finding. */
  readonly text: string
  /** Where the value at a path of the object is written, or else the nearest value above it. */
  writtenAt(path: Cursor['path']): Cursor
}
