import type { Region } from '../region'

/** Turns offsets into a text into lines and columns. */
export class LineIndex {
  private readonly starts: number[] = [0]

  /** @param firstLine the number of the text's first line */
  constructor(
    text: string,
    private readonly firstLine = 1,
  ) {
    for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1))
      this.starts.push(index + 1)
  }

  region(from: number, to: number): Region {
    const [startLine, startColumn] = this.position(from)
    const [endLine, endColumn] = this.position(Math.max(from, to))
    return { startLine, startColumn, endLine, endColumn }
  }

  private position(offset: number): [line: number, column: number] {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return [low + this.firstLine, offset - (this.starts[low] ?? 0) + 1]
  }
}
