/**
 * Makes a YAML template readable: actions on a line of their own are left out, and those that are a value are quoted.
 * Lines keep their numbers.
 */
export function plainPartsOf(text: string): string {
  return withoutComments(text).split('\n').map(plainLine).join('\n')
}

/** `{{/* … *}}` may take several lines. */
function withoutComments(text: string): string {
  const parts = text.split(/\{\{-?\/\*/)
  const rest = parts.slice(1).map((part) => {
    const end = part.indexOf('*/')
    const close = end === -1 ? -1 : part.indexOf('}}', end)
    const comment = close === -1 ? part : part.slice(0, close)
    return `${'\n'.repeat(comment.split('\n').length - 1)}${close === -1 ? '' : part.slice(close + 2)}`
  })
  return [parts[0], ...rest].join('')
}

function plainLine(line: string): string {
  const open = line.indexOf('{{')
  if (open === -1) return line
  const written = line.trim()
  if (written.startsWith('{{') && written.endsWith('}}')) return ''
  const before = line.slice(0, open)
  // The value begins behind the last key or mark of an item that is before the action.
  const start = Math.max(before.lastIndexOf(': ') + 2, before.lastIndexOf('- ') + 2, line.search(/\S/))
  const value = line.slice(start)
  if (/^\[[^"'#]*$/.test(value)) return line.slice(0, start) + value.replace(/\{\{[^{}]*\}\}/g, "'$&'")
  if (/^(?:["'|>#&*[{]|<<)/.test(value) && !value.startsWith('{{')) return line
  const end = value.lastIndexOf('}}') + 2
  const behind = value.slice(end).split(' #')[0] ?? ''
  return `${line.slice(0, start)}'${(value.slice(0, end) + behind.trimEnd()).replaceAll("'", "''")}'`
}

/** The lines of a template that it may leave out or repeat: those in its blocks. */
export function linesInBlocks(text: string): ReadonlySet<number> {
  const lines = new Set<number>()
  let depth = 0
  for (const [index, line] of withoutComments(text).split('\n').entries()) {
    const before = depth
    for (const [, word] of line.matchAll(/\{\{-? *(if|range|with|define|block|end)\b/g))
      depth += word === 'end' ? -1 : 1
    if (before > 0 || depth > 0) lines.add(index + 1)
  }
  return lines
}
