/**
 * Makes a piece of text from manifests safe to print on one line: control characters, which a terminal or a log would obey,
 * and invisible ones, such as marks that reverse the reading direction, are written out; and so are the marks that a
 * workflow's log takes for commands (`::` at the start of a line, `##[` anywhere).
 */
export function visible(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
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
