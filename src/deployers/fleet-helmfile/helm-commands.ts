import path from 'node:path/posix'
import { inside } from '../../sources/places'
import { variablesIn } from './script-variables'

/** A script or a workflow with helm commands. */
export interface HelmCommands {
  readonly text: string
  /** Whether a command may take any values file: a variable or a pattern is where one belongs, or no command is read. */
  readonly isOpen: boolean
  /** The ends of the paths of values files, behind the last variable: `web.yaml` of `-f env/$STAGE/web.yaml`. */
  readonly ends: readonly string[]
}

/** Reads the `helm upgrade` and `helm install` commands of a script or a workflow. */
export function helmCommandsIn(text: string): HelmCommands {
  const commands = helmArgumentsIn(text)
  const ends = commands.flatMap(valuesIn).flatMap((word) => word.split(',').map(endOf))
  return { text, isOpen: commands.length === 0 || commands.some(takesAny), ends: ends.filter(Boolean) }
}

/** The end of a path behind the last variable in it, without what leads to other folders. */
function endOf(word: string): string {
  const variable = variablesIn(word).at(-1)
  const end = variable === undefined ? word : word.slice(word.lastIndexOf(variable) + variable.length)
  return end
    .split('/')
    .filter((part) => !['', '.', '..'].includes(part))
    .join('/')
}

/** Whether a command names a file as values, as far as its words show. */
export function isNamed({ ends }: HelmCommands, file: string): boolean {
  return ends.some((end) => file === end || file.endsWith(`/${end}`))
}

/** What follows `upgrade` or `install` in the helm commands of a text, each as its words. */
export function helmArgumentsIn(text: string): string[][] {
  return joined(text).split('\n').flatMap(commandsIn).flatMap(argumentsIn)
}

/** The values files that a command names, as they are written. */
export function valuesIn(words: readonly string[]): string[] {
  return words.flatMap((word, index) => fileOf(word, words[index + 1] ?? ''))
}

/** The value of a flag: `--version 1.0.0`, `--version=1.0.0`; undefined where it is not there. */
export function flagIn(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag)
  return at === -1 ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1) : words[at + 1]
}

/** The namespace that a command names, as it is written; empty where it names none. */
export function namespaceIn(words: readonly string[]): string {
  return flagIn(words, '-n') ?? flagIn(words, '--namespace') ?? ''
}

/** The folders from which the paths in a script may start: the root of the repository, and its own. */
export function foldersOf(script: string): ReadonlySet<string> {
  return new Set(['', inside('', path.dirname(script)) ?? ''])
}

/** The repositories that a text gives a name with `helm repo add`, by the names. */
export function repositoriesIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    joined(text)
      .split('\n')
      .flatMap((line) => {
        const words = line.split(' ').map(unquoted).filter(Boolean)
        const add = words.findIndex((word, index) => word === 'add' && words[index - 1] === 'repo')
        const [name = '', url = ''] = add === -1 ? [] : positionalIn(words.slice(add + 1))
        return url === '' ? [] : [[name, url] as const]
      }),
  )
}

/** The words of a command that are neither flags nor their values: the release, and the chart. */
export function positionalIn(words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith('-') && !isFlag(words[index - 1] ?? ''))
}

/** Whether a command may take a values file: its name is in the text, in whatever form. */
export function mayTake({ text, isOpen }: HelmCommands, file: string): boolean {
  return isOpen || text.includes(path.basename(file))
}

/** The text with each command on one line, and each expression of a template in one word. */
function joined(text: string): string {
  const [first = '', ...others] = text
    .replaceAll('\r\n', '\n')
    .replaceAll('\\\n', ' ')
    .replaceAll('`\n', ' ')
    .split('{{')
  const tight = others.map((one) => {
    const end = one.indexOf('}}')
    return `{{${one.slice(0, Math.max(end, 0)).replaceAll(' ', '')}${one.slice(Math.max(end, 0))}`
  })
  return [first, ...tight].join('')
}

/** The commands of a line: `a && b`, `a | b` and `a; b` are two. */
function commandsIn(line: string): string[] {
  if (line.trimStart().startsWith('#')) return []
  return ['&&', '|', ';'].reduce<string[]>((parts, mark) => parts.flatMap((part) => part.split(mark)), [line])
}

/** What follows `upgrade` or `install` in a helm command. */
function argumentsIn(line: string): string[][] {
  const words = line.replaceAll('\t', ' ').split(' ').map(unquoted).filter(Boolean)
  const helm = words.findIndex((word) => word.endsWith('helm') || word.endsWith('helm3'))
  const action = helm < 0 ? -1 : words.findIndex((word, index) => index > helm && isAction(word))
  // A command that only prints installs nothing.
  return action < 0 || words.slice(0, helm).some(isPrinting) ? [] : [words.slice(action + 1)]
}

function isAction(word: string): boolean {
  return word === 'upgrade' || word === 'install'
}

function isPrinting(word: string): boolean {
  return ['echo', '@echo', 'printf', '@printf'].includes(word)
}

function unquoted(word: string): string {
  return word.replaceAll('"', '').replaceAll("'", '')
}

/** The release and the chart come before any variable that holds more arguments. */
const positions = 2

/** Whether a command may take any values file. */
function takesAny(words: readonly string[]): boolean {
  const values = valuesIn(words)
  const others = positionalIn(words)
  const isMore = (word: string) => word.startsWith('$') || word.startsWith('{{')
  return values.some(isPattern) || others.slice(values.length === 0 ? 0 : positions).some(isMore)
}

/** The file of a word that gives one: `-f FILE`, `-fFILE`, `-if FILE`, `--values FILE` and `--values=FILE`. */
function fileOf(word: string, next: string): string[] {
  if (word.startsWith('--values=')) return [word.slice('--values='.length)]
  if (word === '--values') return [next]
  if (!word.startsWith('-') || word.startsWith('--') || !word.includes('f')) return []
  const rest = word.slice(word.indexOf('f') + 1)
  return [rest === '' ? next : rest]
}

/** Flags without a value of their own. */
const switches = [
  '--install',
  '-i',
  '--atomic',
  '--cleanup-on-fail',
  '--create-namespace',
  '--debug',
  '--dependency-update',
  '--devel',
  '--dry-run',
  '--force',
  '--hide-notes',
  '--no-hooks',
  '--reset-values',
  '--reuse-values',
  '--rollback-on-failure',
  '--skip-crds',
  '--wait',
  '--wait-for-jobs',
]

function isFlag(word: string): boolean {
  return word.startsWith('-') && !word.includes('=') && !switches.includes(word)
}

/** Whether a name is filled in by the shell or the workflow. */
function isPattern(name: string): boolean {
  return ['$', '{', '%', '*', '?', '[', '<'].some((mark) => name.includes(mark))
}
