import type { Region } from '../region'

/** Turns offsets into a text into lines and columns. */
export class LineIndex {
  private readonly starts: readonly number[]

  /** @param firstLine the number of the text's first line */
  constructor(
    text: string,
    private readonly firstLine = 1,
  ) {
    this.starts = startsOf(text)
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

/** The lines of a text, found once however often they are asked for. */
export class Lines {
  private starts: readonly number[] | undefined

  constructor(readonly text: string) {}

  get count(): number {
    return this.known.length
  }

  /** A line by its number, which counts from 1, without its line feed; undefined where the text has no such line. */
  at(line: number): string | undefined {
    const start = this.known[line - 1]
    return start === undefined ? undefined : this.text.slice(start, (this.known[line] ?? this.text.length + 1) - 1)
  }

  private get known(): readonly number[] {
    this.starts ??= startsOf(this.text)
    return this.starts
  }
}

function startsOf(text: string): number[] {
  const starts = [0]
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) starts.push(index + 1)
  return starts
}
