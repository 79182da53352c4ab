import { keysOfLines } from './keys-of-lines'
import { linesTouched } from './touched-keys'

/**
 * Whether a change of a file touches nothing but some values of a chart, which may be at any depth of the file.
 *
 * @param values paths of values: `controller.replicaCount`
 */
export function touchesOnly(values: ReadonlySet<string>, before = '', after = ''): boolean {
  const touched = linesTouched(before, after)
  return (
    touched !== undefined &&
    areOf(values, touched.newLines, touched.written) &&
    areOf(values, touched.oldLines, touched.cut)
  )
}

function areOf(values: ReadonlySet<string>, lines: readonly string[], chosen: readonly number[]): boolean {
  const wanted = new Set(chosen)
  for (const { line, keys, own } of keysOfLines(lines)) {
    const text = lines[line - 1] ?? ''
    // On a line with a key alone, the lines below it decide.
    if (!wanted.has(line) || /:\s*$/.test(text)) continue
    const path = `.${keys.join('.')}.`
    // A flow map may hold further values on its line.
    if ((own > 1 && text.includes(',')) || ![...values].some((value) => path.includes(`.${value}.`))) return false
  }
  return true
}
