/**
 * Two keys are one field to Go's encoding/json when they are equal in this form: ASCII letters in either case, and the two
 * other characters that fold to one (the long s and the Kelvin sign).
 *
 * https://pkg.go.dev/encoding/json#Unmarshal
 */
export function foldedKey(key: string): string {
  return key
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
