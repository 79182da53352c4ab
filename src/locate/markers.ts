/** Marks template lines so that a rendering tells which of them each of its lines comes from. */
export class Markers {
  private readonly mark: RegExp

  /** @param nonce letters and digits that no chart can know */
  constructor(private readonly nonce: string) {
    this.mark = new RegExp(`\\u0002${nonce}:(\\d+)\\u0003`, 'g')
  }

  /**
   * Puts a mark after the indent of each line that stands outside of actions and named templates. YAML refuses the marks,
   * so helm prints what they are in as it is.
   */
  into(template: string): string {
    const insideAction = linesInsideActions(template)
    return template
      .split('\n')
      .map((line, index) => {
        if (insideAction.has(index + 1) || /^\s*$|^---/.test(line)) return line
        const indent = line.match(/^[ \t]*/)?.[0] ?? ''
        return `${indent}\u0002${this.nonce}:${index + 1}\u0003${line.slice(indent.length)}`
      })
      .join('\n')
  }

  /** The text without marks, and for each of its lines the template line that the last mark named. */
  outOf(marked: string): { text: string; origins: readonly (number | undefined)[] } {
    const origins: (number | undefined)[] = []
    let last: number | undefined
    const lines = marked.split('\n').map((line) => {
      const marks = [...line.matchAll(this.mark)]
      const stripped = line.replace(this.mark, '')
      // A line may begin with the marks of lines that printed nothing; the last of them is its own.
      const own = marks.filter((mark) => line.slice(0, mark.index).replace(this.mark, '').trim() === '').at(-1)
      if (own) last = Number(own[1])
      origins.push(last)
      const end = marks.at(-1)
      if (end) last = Number(end[1])
      return stripped
    })
    return { text: lines.join('\n'), origins }
  }
}

/** The lines that begin inside an action (`{{ … }}`) or inside `define` or `block`: what is put there is not printed there. */
function linesInsideActions(template: string): Set<number> {
  const inside = new Set<number>()
  const open: string[] = []
  const action =
    /\{\{-?\s*(?:\/\*[\s\S]*?\*\/\s*-?\}\}|((?:"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|[^"`'}]|\}(?!\}))*)\}\})/g
  let line = 1
  let at = 0
  const count = (to: number, mark: boolean) => {
    for (; at < to; at++) {
      if (template[at] !== '\n') continue
      line++
      if (mark) inside.add(line)
    }
  }
  const isNamed = () => open.some((word) => word === 'define' || word === 'block')
  for (const match of template.matchAll(action)) {
    count(match.index, isNamed())
    count(match.index + match[0].length, true)
    const word = match[1]?.trim().match(/^[a-z]+/)?.[0] ?? ''
    if (['if', 'range', 'with', 'define', 'block'].includes(word)) open.push(word)
    if (word === 'end') open.pop()
  }
  count(template.length, isNamed())
  return inside
}
