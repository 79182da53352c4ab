/** Data in the form that JSON and YAML share, in ASCII: other characters may be line breaks to one parser alone. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u{10ffff}]/gu,
    (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  )
}
