import type { TemplateFault } from './template-fault'

/** `{ .Values.port }}`, also as a part of `{{ .Values.port }}`. */
const pattern = /\{-? *\$?\.(?:Values|Release|Chart)\.\w[^{}\n]*\}\}/g

/** Actions that begin with one brace in place of two: helm writes them out as they are. */
export function singleBracesIn(template: string): TemplateFault[] {
  const single = [...template.matchAll(pattern)].filter(({ index }) => template.charAt(index - 1) !== '{')
  return single.map(({ index, 0: written }) => ({
    message: 'brace',
    from: index,
    written,
    text: `Helm writes \`${written}\` out as it is, because it begins with one brace, so this value is not filled in, and the YAML may be broken. Write \`{${written}\`.`,
  }))
}
