import { actionsOf, type Term, termsOf } from './template-actions'
import type { TemplateFault } from './template-fault'

/** Words between the commands of an action, besides the names of its block. */
const separators: ReadonlySet<string> = new Set(['|', ':=', '=', ',', 'if', 'else', 'with', 'range'])

/**
 * Values that `default` never reads, as its arguments are swapped: `default .Values.host "example.com"`. It takes what to write
 * in place of an empty value first, and its last argument is never empty here.
 * https://masterminds.github.io/sprig/defaults.html
 */
export function swappedDefaultsIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ words }) => faultsIn(termsOf(words), template))
}

type Command = readonly Term[]

function faultsIn(terms: readonly Term[], template: string): TemplateFault[] {
  const within = terms.flatMap((term) => ('group' in term ? faultsIn(term.group, template) : []))
  return [...within, ...commandsOf(terms).flatMap((one) => faultOf(one, template))]
}

/** The commands of an action, each with the one whose output it takes as its last argument. */
function commandsOf(terms: readonly Term[]): { readonly command: Command; readonly input: Command }[] {
  const found: { command: Term[]; input: Command }[] = [{ command: [], input: [] }]
  for (const term of terms) {
    const last = found.at(-1)
    if ('text' in term && separators.has(term.text))
      found.push({ command: [], input: term.text === '|' ? (last?.command ?? []) : [] })
    else last?.command.push(term)
  }
  return found
}

function faultOf(
  { command, input }: { readonly command: Command; readonly input: Command },
  template: string,
): TemplateFault[] {
  const [name, value, ...rest] = command
  const piped = input.length > 0 ? [input] : []
  const [other, ...more] = [...rest.map((term) => [term]), ...piped]
  if (!name || !value || !other || more.length > 0 || !('text' in name) || name.text !== 'default') return []
  // A value that helm fills in itself is a fallback as good as a text.
  if (!('text' in value) || !/^(?:\$\w*)?\.\w/.test(value.text) || ofHelm.test(value.text)) return []
  if (!isNeverEmpty(other)) return []
  const written = textOf(other, template)
  return [
    {
      message: 'default',
      from: value.from,
      written: `${value.text} ${written}`,
      text: `This line never writes ${value.text}: \`default\` takes the fallback first, and ${written} behind it is never empty, so it is always taken, whatever the value is. Write \`default ${written} ${value.text}\`.`,
    },
  ]
}

const ofHelm = /^\$?\.(?:Release|Chart|Capabilities|Template|Files)\b/

/** What helm fills in for each release. */
const namesOfHelm: ReadonlySet<string> = new Set([
  '.Release.Name',
  '.Release.Namespace',
  '.Release.Service',
  '.Chart.Name',
  '.Chart.Version',
])

/** A command as it is written, in the parentheses that make it an argument. */
function textOf(command: Command, template: string): string {
  const [from, to] = [command[0]?.from ?? 0, command.at(-1)?.to ?? 0]
  const text = template.slice(from, to)
  return command.length > 1 ? `(${text})` : text
}

/** Whether the output of a command has text for certain. */
function isNeverEmpty(command: Command): boolean {
  const [first, argument] = command
  if (!first) return false
  if ('group' in first) return command.length === 1 && isNeverEmpty(first.group)
  const named = argument && 'text' in argument ? contentOf(argument.text) : undefined
  switch (first.text) {
    case 'printf':
      return named !== undefined && /\w/.test(named.replace(/%[-+# 0-9.*[\]]*[a-zA-Z]/g, ''))
    case 'include':
      return named !== undefined && ofName.test(named)
    default:
      return command.length === 1 && (isText(first.text) || namesOfHelm.has(first.text.replace('$', '')))
  }
}

/** Those of `helm create` and Bitnami's library, which make a name of the chart or the release. */
const ofName = /^(?:[\w-]+|common\.names)\.(?:fullname|name|chart)$/

function isText(word: string): boolean {
  return word === 'true' || /^[1-9]\d*$/.test(word) || (contentOf(word) ?? '') !== ''
}

/** The content of a string. */
function contentOf(word: string): string | undefined {
  return /^["`]/.test(word) ? word.slice(1, -1) : undefined
}
