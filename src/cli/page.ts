/** A terminal's width, for which a page is set. */
const width = 80

/**
 * A page of the docs for a terminal: paragraphs and items are wrapped, tables become lists, and links keep their text.
 * Code stays as it is.
 */
export function pageFor(markdown: string): string {
  const blocks: string[][] = [[]]
  let isCode = false
  const begin = (line: string) => blocks.push([line])
  for (const line of markdown.split('\n')) {
    const isFence = line.startsWith('```')
    if (isFence) isCode = !isCode
    const [last = []] = blocks.slice(-1)
    const isInCode = last[0]?.startsWith('```') && (isCode || isFence)
    if (line === '' && !isCode) begin('')
    else if (isFence && isCode) begin(line)
    else if (isInCode || (line.startsWith('|') && last[0]?.startsWith('|'))) last.push(line)
    else if (/^(?:[-|>#]|\d+\. )/.test(line) || last[0] === '' || /^(?:#|```)/.test(last[0] ?? '')) begin(line)
    else last.push(line.trim())
  }
  const text = blocks.map((block) => `${set(block)}\n`).join('')
  return `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`
}

function set(block: readonly string[]): string {
  const [first = ''] = block
  if (first.startsWith('```'))
    return block
      .filter((line) => !line.startsWith('```'))
      .map((line) => `    ${withoutExpectation(line)}`)
      .join('\n')
  if (first.startsWith('|')) return table(block)
  const [mark = ''] = first.match(/^(?:- |\d+\. |> )/) ?? []
  const words = withoutLinks(block.join(' ').slice(mark.length))
  if (first.startsWith('#')) return words
  return wrapped(words, mark === '> ' ? '' : mark)
}

/** An expectation of the tests marks the line that the rule reports. */
function withoutExpectation(line: string): string {
  const start = ['# expect: ', '# expect at base: '].map((mark) => line.indexOf(mark)).find((at) => at !== -1)
  return start === undefined ? line : `${line.slice(0, start)}# <- here`
}

/** A row is an item; with a single row, each cell is one, led by its title. */
function table([titles = '', , ...rows]: readonly string[]): string {
  const names = cellsOf(titles)
  const items = rows.map(cellsOf)
  const [only = []] = items
  if (items.length === 1) return only.map((cell, index) => wrapped(`${names[index] ?? ''}: ${cell}`, '- ')).join('\n')
  return items.map(([first = '', ...others]) => wrapped(`${first}: ${others.join(' · ')}`, '- ')).join('\n')
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => withoutLinks(cell.trim()).replaceAll('\\|', '|'))
}

/** `[text](https://…)` as `text (https://…)`; of a link to another page of the docs, the text. */
function withoutLinks(text: string): string {
  return text.replace(/\[([^[\]]*)\]\(([^()]*)\)/g, (_, words: string, to: string) =>
    to.startsWith('https:') ? `${words} (${to})` : words,
  )
}

function wrapped(text: string, mark: string): string {
  const indent = ' '.repeat(mark.length)
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && indent.length + line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line, index) => `${index === 0 ? mark : indent}${line}`).join('\n')
}
