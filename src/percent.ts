/** A text of a URL without its `%` escapes, as it is written where these are none. */
export function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
