import { createHash } from 'node:crypto'
import { Hunks } from '../../manifest/hunks'

/** What helm says when it comes to a marked line of a file. */
export function markIn(file: string): string {
  return `changed-${createHash('sha256').update(file).digest('hex').slice(0, 16)}`
}

/**
 * A template with marks at the lines that differ from another text, so that helm fails where it comes to one. Lines
 * that only begin or end a block count where no others differ.
 *
 * @returns undefined where no line differs that helm could come to
 */
export function marked(template: string, other: string, file: string): string | undefined {
  const mark = `{{ fail "${markIn(file)}" }}`
  const lines = template.split('\n')
  const chosen = chosenIn(lines, other)
  if (!chosen.includes(true)) return undefined
  return lines.map((line, at) => (chosen[at] ? markedLine(line, mark) : line)).join('\n')
}

/** The first line of a template that differs from another text, counted from 1; one with more than a block's begin or end first. */
export function firstEdit(template: string, other: string): number | undefined {
  const at = chosenIn(template.split('\n'), other).indexOf(true)
  return at === -1 ? undefined : at + 1
}

/** The lines that differ and that helm could come to; those that only begin a block where there are no others. */
function chosenIn(lines: readonly string[], other: string): readonly boolean[] {
  const hunks = new Hunks(other, lines.join('\n'))
  const written = lines.map((line, at) => hunks.wrote(at + 1) && /^\s*[^\s#]/.test(line))
  const [content, blocks] = [
    lines.map((line, at) => written[at] === true && !block.test(line)),
    lines.map((line, at) => written[at] === true && opening.test(line)),
  ]
  return content.includes(true) ? content : blocks
}

/** A mark in a block that the line has whole, or else before the line. */
function markedLine(line: string, mark: string): string {
  const isWhole =
    /\{\{-?\s{0,9}(?:define|block)\b/.test(line) || (opening.test(line) && /\bend\s{0,9}-?\}\}\s*$/.test(line))
  if (!isWhole) return `${mark}${line}`
  const inside = line.replace(
    /\{\{-?\s{0,9}(?:define|block|if|else|with|range)\b[^{}]*\}\}/g,
    (begin) => `${begin}${mark}`,
  )
  // Helm fails at the open action: a line that cannot be marked counts as one that helm comes to.
  return inside === line ? `{{${line}` : inside
}

/** A line with nothing but the beginning or the end of a block. */
const block = /^\s*\{\{-?\s{0,9}(?:if|else|end|with|range|define|block)\b[^{}]*\}\}\s*$/
const opening = /^\s*\{\{-?\s{0,9}(?:if|with|range)\b/

/** Whether two texts of a template differ in nothing but comments and space. */
export function saysTheSame(one: string, other: string): boolean {
  return plain(one) === plain(other)
}

function plain(template: string): string {
  let rest = ''
  let at = 0
  for (let start = template.indexOf('/*'); start !== -1; start = template.indexOf('/*', start)) {
    const end = template.indexOf('*/', start + 2)
    if (end === -1) break
    if (/\{\{-?\s{0,9}$/.test(template.slice(Math.max(0, start - 12), start))) {
      rest += template.slice(at, start)
      at = end + 2
      start = at
    } else start += 2
  }
  const lines = `${rest}${template.slice(at)}`.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  return lines.join('').replace(/\s/g, '')
}
