// The picture of the README: the table of a job summary, drawn from a report.
import type { ReportJson } from '../src/report/report-schema'

const width = 900
const line = 18
/** Characters of a line of the column of messages. */
const room = 66

/** An SVG of the verdict and the table of findings. */
export function summaryPicture(verdict: string, findings: ReportJson['findings']): string {
  const rows = findings.map(({ level, rule, location: { path, region }, text: message }) => ({
    level,
    place: [path.slice(0, path.lastIndexOf('/') + 1), `${path.slice(path.lastIndexOf('/') + 1)}:${region.startLine}`],
    message: wrapped(message),
    rule: rule.split('/').map((part, index) => (index === 0 ? `${part}/` : part)),
  }))
  const titles = ['Level', 'Place', 'Finding', 'Rule']
  const parts = [
    text(20, 30, verdict, 'font-weight="600" font-size="15"'),
    box(52, 28, '#f6f8fa'),
    ...titles.map((title, index) => text(columns[index] ?? 0, 71, title, 'font-weight="600"')),
  ]
  let y = 80
  for (const { level, place, message, rule } of rows) {
    const height = Math.max(message.length, place.length, rule.length) * line + 14
    const cell = (column: number, lines: readonly string[], style = '') =>
      lines.map((part, index) => text(columns[column] ?? 0, y + 20 + index * line, part, style))
    parts.push(
      box(y, height, '#fff'),
      ...cell(0, [level], 'fill="#d1242f" font-weight="600"'),
      ...cell(1, place, mono),
      ...cell(2, message),
      ...cell(3, rule, mono),
    )
    y += height
  }
  const height = y + 20
  const title = `Job summary: ${verdict}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13" fill="#1f2328">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="6" fill="#fff" stroke="#d1d9e0"/>
${parts.join('\n')}
</svg>
`
}

/** The positions of the columns. */
const columns = [30, 80, 200, 730]
const mono = `font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12"`

function box(y: number, height: number, fill: string): string {
  return `<rect x="20" y="${y}" width="${width - 40}" height="${height}" fill="${fill}" stroke="#d1d9e0"/>`
}

function text(x: number, y: number, words: string, more: string): string {
  return `<text x="${x}" y="${y}"${more === '' ? '' : ` ${more}`}>${escaped(words)}</text>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function wrapped(words: string): string[] {
  const lines = ['']
  for (const word of words.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + 1 + word.length > room) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
