/** A stretch of text; lines and columns count from 1, the end is exclusive in its column. */
export interface Region {
  readonly startLine: number
  readonly startColumn: number
  readonly endLine: number
  readonly endColumn: number
}

/** The empty stretch at the start of a line. */
export function startOf(line: number): Region {
  return { startLine: line, startColumn: 1, endLine: line, endColumn: 1 }
}
