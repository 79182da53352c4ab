/** The values files that the helm commands of a text name. */
export interface NamedValues {
  /** As written, without `./` and `../` at the start: the folder that a command runs in is not known. */
  readonly names: readonly string[]
  /** Whether a command may take others: a variable is where the files belong, or no command is read. */
  readonly isOpen: boolean
}

/** The values files that `helm upgrade` and `helm install` in a script or a workflow are given, by `-f` or `--values`. */
export function valuesNamedIn(text: string): NamedValues {
  const commands = joined(text).split('\n').filter(isCommand).map(wordsOf)
  const named = commands.map(valuesOf)
  const all = named.flat()
  const isVariable = (index: number) => named[index]?.length === 0 && commands[index]?.some(startsWithVariable)
  return {
    names: all.filter((one) => !hasVariable(one)).map(fromAnyFolder),
    isOpen: commands.length === 0 || all.some(hasVariable) || commands.some((_, index) => isVariable(index)),
  }
}

/** Whether a file may be one of those that are named. */
export function isNamedIn({ names, isOpen }: NamedValues, file: string): boolean {
  return isOpen || names.some((name) => file === name || file.endsWith(`/${name}`))
}

/** The text with each command on one line. */
function joined(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\\\n', ' ').replaceAll('`\n', ' ')
}

function isCommand(line: string): boolean {
  const words = wordsOf(line)
  const helm = words.findIndex((word) => word.endsWith('helm') || word.endsWith('helm3'))
  return !line.trimStart().startsWith('#') && helm >= 0 && words.slice(helm).some(isAction)
}

function isAction(word: string): boolean {
  return word === 'upgrade' || word === 'install'
}

function wordsOf(line: string): string[] {
  const words = line.replaceAll('\t', ' ').split(' ')
  return words.map(unquoted).filter((word) => word !== '')
}

function unquoted(word: string): string {
  return word.replaceAll('"', '').replaceAll("'", '')
}

const flags = ['-f', '--values']

function valuesOf(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1] ?? ''
    const flag = flags.find((one) => word.startsWith(`${one}=`))
    if (flag) return word.slice(flag.length + 1).split(',')
    return flags.includes(before) ? word.split(',') : []
  })
}

function hasVariable(word: string): boolean {
  return word.includes('$') || word.includes('{') || word.includes('%') || word.includes('*')
}

function startsWithVariable(word: string): boolean {
  return word.startsWith('$') || word.startsWith('{{')
}

function fromAnyFolder(name: string): string {
  const parts = name.split('/')
  const start = parts.findIndex((part) => part !== '.' && part !== '..' && part !== '')
  return parts.slice(Math.max(0, start)).join('/')
}
