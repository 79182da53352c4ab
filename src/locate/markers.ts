/** Marks template lines so that a rendering shows the template line of each of its lines. */
export class Markers {
  private readonly mark: RegExp

  /** @param nonce letters and digits that no chart can know */
  constructor(private readonly nonce: string) {
    this.mark = new RegExp(`\\u0002${nonce}:(\\d+)\\u0003`, 'g')
  }

  /**
   * Adds a mark after the indent of each line outside actions and named templates, and after an action within a line.
   * YAML refuses the marks, so helm prints the marked output unchanged.
   */
  into(template: string): string {
    let marked = ''
    let from = 0
    for (const [at, line] of placesOfMarks(template)) {
      marked += `${template.slice(from, at)}\u0002${this.nonce}:${line}\u0003`
      from = at
    }
    return marked + template.slice(from)
  }

  /** The text without marks, and for each of its lines the template line that the last mark named. */
  outOf(marked: string): { text: string; origins: readonly (number | undefined)[] } {
    const origins: (number | undefined)[] = []
    let last: number | undefined
    const lines = marked.split('\n').map((line) => {
      const marks = [...line.matchAll(this.mark)]
      const stripped = line.replace(this.mark, '')
      // A line may begin with the marks of lines that printed nothing; its own mark is the last one.
      const own = marks.filter((mark) => /^(?:---)?\s*$/.test(line.slice(0, mark.index).replace(this.mark, ''))).at(-1)
      if (own) last = Number(own[1])
      origins.push(last)
      const end = marks.at(-1)
      if (end) last = Number(end[1])
      return stripped
    })
    return { text: lines.join('\n'), origins }
  }
}

const action =
  /\{\{-?\s*(?:\/\*[\s\S]*?\*\/\s*-?\}\}|((?:"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|[^"`'}]|\}(?!\}))*)\}\})/g

/** The positions of the marks and their lines, in order. */
function placesOfMarks(template: string): [at: number, line: number][] {
  const places: [number, number][] = []
  const open: string[] = []
  let line = 0
  let next = 0
  let depth = 0
  const isNamed = () => open.some((word) => word === 'define' || word === 'block')
  const mark = (at: number) => {
    const [space = ''] = template.slice(at).match(/^[ \t]*/) ?? []
    const place = at + space.length
    const isEmpty = place === template.length || /[\r\n]/.test(template.charAt(place))
    if (!isEmpty && !isNamed()) places.push([place, line])
  }
  const goTo = (to: number, inAction: boolean) => {
    while (next <= to && next !== -1) {
      line++
      depth = open.length
      if (!inAction) mark(template.startsWith('---', next) ? next + '---'.length : next)
      const end = template.indexOf('\n', next)
      next = end === -1 ? -1 : end + 1
    }
  }
  for (const match of template.matchAll(action)) {
    goTo(match.index, false)
    const first = line
    const end = match.index + match[0].length
    goTo(end - 1, true)
    const word = match[1]?.trim().match(/^[a-z]+/)?.[0] ?? ''
    if (['if', 'range', 'with', 'define', 'block'].includes(word)) open.push(word)
    if (word === 'end') open.pop()
    // The mark at the start of a line is not printed when its branch is not taken.
    const leaves = word === 'end' ? open.length < depth : word === 'else' && open.length <= depth
    if (line > first || leaves) mark(end)
    if (leaves) depth = open.length
  }
  goTo(template.length, false)
  return places
}
