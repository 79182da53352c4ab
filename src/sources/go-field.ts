import type { Cursor } from '../manifest/cursor'
import { foldedKey } from './go-keys'

/** A field as Go reads it: of several keys that differ in case alone, the last in byte order counts. */
export function goField(map: Cursor, ...keys: readonly string[]): Cursor {
  return keys.reduce((at, key) => {
    const [name = key] = [...at.entries()]
      .map(([name]) => name)
      .filter((name) => foldedKey(name) === key.toLowerCase())
      .sort()
      .slice(-1)
    return at.at(name)
  }, map)
}
