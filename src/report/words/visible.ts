import { withCommas } from '../../with-commas'

/** A longer text is shown by its two ends: a sentence starts with the fault and ends with the fix. */
const longest = 4000
const end = 1000

/**
 * Makes a text from manifests safe to print on one line. Escapes control characters, which a terminal or a log would
 * obey, invisible characters, such as marks that reverse the reading direction and unusual spaces, and the marks of
 * workflow commands (`::` at the start of a line, `##[` anywhere). Cuts overlong text in the middle.
 */
export function visible(text: string): string {
  return brief(text)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu, (char) => {
      if (char === '\n') return '\\n'
      if (char === '\t') return '\\t'
      const code = (char.codePointAt(0) ?? 0).toString(16)
      return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`
    })
    .replace(/^(\s*)::/, '$1\\x3a:')
    .replaceAll('##[', '#\\x23[')
}

/** The same for text of several lines, which stay lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

function brief(text: string): string {
  if (text.length <= longest) return text
  const left = text.length - longest
  return `${text.slice(0, longest - end)}…(${withCommas(left)} characters left out)…${text.slice(-end)}`
}
