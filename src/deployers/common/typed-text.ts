import { entryOf } from '../../entry'

/** A map of values that is still being filled. */
export type Growing = Record<string, unknown>

/**
 * Puts an assignment into values as helm's `--set` does: `a.b[0]=1,c=x`. A backslash escapes the next character, and
 * braces hold a list. https://github.com/helm/helm/blob/v4.2.4/pkg/strvals/parser.go
 *
 * @param isText whether every value stays text, as with `--set-string`
 * @returns false for an assignment that helm refuses; what comes before the fault is put in
 */
export function assign(assignment: string, into: Growing, isText: boolean): boolean {
  let at = 0
  /** The text up to one of some characters, which is passed. */
  const until = (stops: string): { text: string; stop: string } => {
    let text = ''
    for (; at < assignment.length; at++) {
      const letter = assignment.charAt(at)
      if (letter === '\\') text += assignment.charAt(++at)
      else if (stops.includes(letter)) return { text, stop: assignment.charAt(at++) }
      else text += letter
    }
    return { text, stop: '' }
  }
  const listed = (): unknown[] | undefined => {
    const items: unknown[] = []
    for (;;) {
      const { text, stop } = until(',}')
      if (stop === '') return undefined
      items.push(meaningOf(text, isText))
      if (stop === '}') break
    }
    if (assignment.charAt(at) === ',') at++
    return items
  }
  while (at < assignment.length) {
    const keys: (string | number)[] = []
    for (let stop = '.'; stop !== '='; ) {
      if (stop === '[') {
        const index = until(']')
        if (index.stop !== ']' || !/^\d{1,5}$/.test(index.text)) return false
        keys.push(Number(index.text))
        stop = assignment.charAt(at++)
      } else if (stop === '.') {
        const key = until('.[=,')
        if (key.text === '') return false
        keys.push(key.text)
        stop = key.stop
      } else return false
    }
    let value: unknown
    if (assignment.charAt(at) === '{') {
      at++
      value = listed()
      if (value === undefined) return false
    } else value = meaningOf(until(',').text, isText)
    if (!put(into, keys, value)) return false
  }
  return true
}

/** @returns false where a key leads into something that is no map or list */
function put(into: Growing, keys: readonly (string | number)[], value: unknown): boolean {
  let place: Growing | unknown[] = into
  for (const [index, key] of keys.entries()) {
    const next = keys[index + 1]
    if (next === undefined) {
      write(place, key, value)
      break
    }
    const there = read(place, key)
    const inside = there ?? (typeof next === 'number' ? [] : {})
    if (there === undefined) write(place, key, inside)
    if (typeof next === 'number' ? !Array.isArray(inside) : !isGrowing(inside)) return false
    if (!Array.isArray(inside) && !isGrowing(inside)) return false
    place = inside
  }
  return true
}

function read(place: Growing | unknown[], key: string | number): unknown {
  if (Array.isArray(place)) return place[Number(key)]
  return entryOf(place, String(key))
}

function write(place: Growing | unknown[], key: string | number, value: unknown): void {
  if (Array.isArray(place)) {
    while (place.length < Number(key)) place.push(null)
    place[Number(key)] = value
  } else Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The type that `--set` gives a word; `0755`, `1.5` and `yes` are text. */
function meaningOf(word: string, isText: boolean): unknown {
  if (isText) return word
  if (/^true$/i.test(word)) return true
  if (/^false$/i.test(word)) return false
  if (/^null$/i.test(word)) return null
  return /^(?:0|[-+]?[1-9]\d{0,17}|[-+]0\d{0,17})$/.test(word) ? Number(word) + 0 : word
}

/**
 * Lays one map over another. Maps that only one of them has are shared with the result, not copied.
 * https://github.com/fluxcd/pkg/blob/main/transform/merge.go
 */
export function merged(under: Growing, over: Growing): Growing {
  const result: Growing = {}
  for (const [key, value] of Object.entries(under)) write(result, key, value)
  for (const [key, value] of Object.entries(over)) {
    const there = read(result, key)
    write(result, key, isGrowing(value) && isGrowing(there) ? merged(there, value) : value)
  }
  return result
}

export function isGrowing(value: unknown): value is Growing {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
