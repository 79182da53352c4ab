/**
 * Makes text from manifests safe to print: control characters, which a terminal or a log would obey, and invisible ones,
 * such as marks that reverse the reading direction, are written out.
 */
export function visible(text: string): string {
  return text.replace(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16)
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`
  })
}
