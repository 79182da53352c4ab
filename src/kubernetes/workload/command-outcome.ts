import type { Cursor } from '../../manifest/cursor'

/**
 * The outcome of a command whose programs are in all images: it never ends, it fails, or it ends well or is unknown.
 */
export type Outcome = 'endless' | 'fails' | 'ends'

/** Programs of coreutils, busybox and shells, which serve nothing. */
const plainPrograms: ReadonlySet<string> = new Set(
  ': [ cat chmod chown cp date echo exit false hostname id ln ls mkdir mv printf pwd rm set sleep tail test touch trap true uname wait whoami yes'.split(
    ' ',
  ),
)

/** Words of a shell before a command, or in the place of one. */
const keywords: ReadonlySet<string> = new Set('! do done else exec fi if then until while { }'.split(' '))

/** Programs that start the one that follows, with its words. */
const wrappers: ReadonlySet<string> = new Set('catatonit dumb-init env exec nice nohup setsid tini'.split(' '))

const shells: ReadonlySet<string> = new Set(['ash', 'bash', 'dash', 'sh'])

/** The words of a command from its program on: what only starts it is left out. */
export function programIn(words: readonly string[]): readonly string[] {
  let rest = words
  while (wrappers.has(nameOfProgram(rest[0]))) {
    const next = rest.findIndex((word, index) => index > 0 && !word.startsWith('-') && !word.includes('='))
    rest = next === -1 ? [] : rest.slice(next)
  }
  return rest
}

/** The last part of the path of a program. */
export function nameOfProgram(word = ''): string {
  return word.split('/').at(-1) ?? ''
}

/** The script of a shell, if words start one. */
export function scriptIn(words: readonly string[]): string | undefined {
  const [program, ...rest] = programIn(words)
  if (!shells.has(nameOfProgram(program))) return undefined
  const option = rest.findIndex((word) => word.startsWith('-') && !word.startsWith('--') && word.endsWith('c'))
  return option === -1 ? undefined : rest[option + 1]
}

/** The outcome of a command; undefined where it runs any program that not every image has. */
export function outcomeOf(words: readonly string[]): Outcome | undefined {
  const script = scriptIn(words)
  if (script !== undefined) return outcomeOfScript(script)
  return outcomeOfProgram(programIn(words))
}

function outcomeOfProgram([program, ...words]: readonly string[]): Outcome | undefined {
  const name = nameOfProgram(program)
  if (!plainPrograms.has(name)) return undefined
  if (name === 'false' || (name === 'exit' && Number(words[0]) > 0)) return 'fails'
  if (name === 'yes' || (name === 'sleep' && words.some(isEndless))) return 'endless'
  const follows = words.some((word) => word === '--follow' || (/^-[a-zA-Z]+$/.test(word) && /f/i.test(word)))
  return name === 'tail' && follows ? 'endless' : 'ends'
}

/** Whether `sleep` takes a day or longer by a word. */
function isEndless(word: string): boolean {
  const number = Number.parseFloat(word)
  if (Number.isNaN(number)) return /^inf/i.test(word)
  return number * ({ m: 60, h: 3600, d: 86_400 }[word.at(-1) ?? ''] ?? 1) >= 86_400
}

/** A script of simple commands: of others, only whether they serve nothing is known. */
function outcomeOfScript(script: string): Outcome | undefined {
  const commands = script
    .split(/[;&|\n]/)
    .map(wordsOf)
    .filter((words) => words.length > 0)
  const outcomes = commands.map((words) => outcomeOfProgram(programIn(words)))
  if (commands.length === 0 || outcomes.includes(undefined)) return undefined
  const isSimple = !/[&|]|\b(?:if|break|exit|until|while)\b/.test(script)
  if (isSimple && outcomes.includes('endless')) return 'endless'
  if (/^\s*while\s+(?:true|:)\s*[;\n]/.test(script) && !/\b(?:break|exit)\b/.test(script)) return 'endless'
  return /[&|]|\b(?:if|until|while)\b/.test(script) ? 'ends' : outcomes.at(-1)
}

/** The words of a simple command, without keywords, assignments and quotes. */
function wordsOf(command: string): string[] {
  const words = command.split(/\s+/).filter((word) => word !== '')
  const first = words.findIndex((word) => !keywords.has(word) && !/^\w+=/.test(word))
  return first === -1 ? [] : words.slice(first).map((word) => word.replace(/["']/g, ''))
}

/** The words of a list of them; undefined where one is not a text. */
export function wordsAt(...lists: readonly Cursor[]): string[] | undefined {
  const words = lists.flatMap((list) => [...list.items()].map(({ string }) => string))
  return words.every((word) => word !== undefined) ? words : undefined
}
