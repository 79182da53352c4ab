import { dataIn, fieldsOf } from '../../sources/untyped'

/**
 * The examples that the comments of a values file show for the values that it leaves empty, by their paths:
 *
 *     roles: []
 *     # - name: reader
 *     #   rules: []
 */
export function examplesIn(text: string): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const open: { readonly indent: number; readonly key: string }[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const [, spaces = '', key, empty = ''] = /^( *)([\w-]+):(?: (\{\}|\[\]))?(?: *#.*)?$/.exec(line.trimEnd()) ?? []
    if (key === undefined) continue
    while ((open.at(-1)?.indent ?? -1) >= spaces.length) open.pop()
    open.push({ indent: spaces.length, key })
    const example = exampleIn(lines, index + 1)
    if (empty !== '{}' && isListOfSome(example)) found.set(pathOf(open), example)
    if (empty !== '[]' && isMapOfSome(example)) found.set(pathOf(open), example)
  }
  return found
}

function pathOf(open: readonly { readonly key: string }[]): string {
  return open.map(({ key }) => key).join('.')
}

/** What the comments from a line on have as YAML, up to a blank one, or to one that describes what follows. */
function exampleIn(lines: readonly string[], from: number): unknown {
  const shown: string[] = []
  for (let index = from; index < lines.length; index++) {
    const [, comment] = /^ *#(.*)$/.exec(lines[index] ?? '') ?? []
    if (comment === undefined || comment.trim() === '' || /^#|^ *(?:--|@)/.test(comment)) break
    shown.push(comment)
  }
  return shown.length === 0 ? undefined : dataIn(shown.join('\n'))
}

function isListOfSome(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

/** Whether a value is a map with keys that are no words of a sentence. */
function isMapOfSome(value: unknown): boolean {
  const keys = Object.keys(fieldsOf(value))
  return keys.length > 0 && keys.every((key) => /^[\w./-]+$/.test(key))
}
