/** A variable that a script sets and reads. */
export interface OwnVariable {
  readonly name: string
  /** The line that reads it, without the space around it. */
  readonly line: string
}

/** How shells, settings of the form `NAME=value` and JavaScript set a variable. */
const assignments: readonly RegExp[] = [
  /(?:^|[;&|({]|\b(?:do|then|else|export|local|readonly|declare))[ \t]*([A-Za-z_]\w*)\+?=/gm,
  /\bfor[ \t]+([A-Za-z_]\w*)[ \t]+in\b/g,
  /\bread[ \t]+(?:-r[ \t]+)?([A-Za-z_]\w*)/g,
  /\b(?:const|let|var)[ \t]+([A-Za-z_]\w*)[ \t]*=/g,
]

/**
 * The variables of a script that it sets, and that it reads behind this place as `${NAME}`, in the order of their lines. A
 * value of its own (`NAME=${NAME}`) comes from elsewhere.
 */
export function ownVariablesIn(script: string): OwnVariable[] {
  if (!script.includes('${')) return []
  const setAt = new Map<string, number>()
  for (const pattern of assignments)
    for (const { 0: found, 1: name = '', index } of script.matchAll(pattern)) {
      const end = index + found.length
      setAt.set(name, Math.min(end, setAt.get(name) ?? end))
    }
  const own = new Map<string, OwnVariable>()
  for (const { 1: name = '', index } of script.matchAll(/\{#?([A-Za-z_]\w*)[}:/#%,^]/g)) {
    const set = setAt.get(name)
    if (set === undefined || set > index || own.has(name) || !isFilledIn(script, index)) continue
    const start = script.lastIndexOf('\n', index) + 1
    const before = script.slice(start, index - 1)
    const isItself = before.trimEnd().replace(/["']$/, '').endsWith(`${name}=`)
    if (isItself || before.trimStart().startsWith('#')) continue
    const end = script.indexOf('\n', index)
    own.set(name, { name, line: script.slice(start, end === -1 ? undefined : end).trim() })
  }
  return [...own.values()]
}

/** Whether Flux fills in what begins with a brace: of two `$` it makes one, and reads no variable behind them. */
function isFilledIn(text: string, brace: number): boolean {
  let first = brace
  while (text[first - 1] === '$') first--
  return (brace - first) % 2 === 1
}
