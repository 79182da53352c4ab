import type { Failure } from '../../render/tools/rendering'
import type { Source } from '../../sources/source'

/** The characters of words that every shell takes as they are. */
const plain: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-@:+')

/** The sentence that says what to do about the error of a tool; other failures say it themselves. */
export function nextStep({ cause, path }: Pick<Failure, 'cause' | 'path'>, source: Source): string {
  if (cause !== 'tool-failed') return ''
  const words = commandFor(source)
  const isPlain = words?.every(
    (word) => word !== '' && !word.startsWith('-') && [...word].every((one) => plain.has(one)),
  )
  if (!words || !isPlain || isOfDeclaration(path, source)) return ' Fix this error.'
  return ` Fix this error; \`${commandLine(source, words)}\` shows all of it${othersOf(source)}.`
}

/** Whether a release is declared in a way that helm refuses: the chart alone does not show that. */
function isOfDeclaration(path: string, source: Source): boolean {
  const { declaredAt } = source
  return source.kind === 'helm' && path === declaredAt.path && !path.startsWith(`${source.chart}/`)
}

/** The words of the command that come from the repository. */
function commandFor(source: Source): readonly string[] | undefined {
  if (source.fetched) return undefined
  if (source.kind === 'kustomize') return [source.root || '.']
  const values = source.values.flatMap((one) => ('path' in one ? [one.path] : []))
  return [source.release, source.chart || '.', source.namespace, ...values]
}

function commandLine({ kind }: Source, [first = '', chart = '', namespace = '', ...values]: readonly string[]): string {
  if (kind === 'kustomize') return `kustomize build ${first}`
  const flags = values.map((file) => ` --values ${file}`).join('')
  return `helm template ${first} ${chart} --namespace ${namespace}${flags}`
}

/** What the command leaves out, as no file of the repository has it. */
function othersOf(source: Source): string {
  if (source.kind === 'kustomize') return source.overlay || source.components ? ', unless its deployer adds it' : ''
  const { set, parameters = [], values } = source
  const hasMore = Object.keys(set).length > 0 || parameters.length > 0 || values.some((one) => !('path' in one))
  return hasMore ? ' (add the values that are not in files)' : ''
}

/** The words of a tool without what says nothing to a reader: its own steps, and a config that it prints whole. */
export function readable(reason: string): string {
  const short = cut(reason, 'trouble configuring builtin ', '`: ').replace(nothingRead, '')
  const from = short.indexOf(notThere)
  if (from === -1) return short
  const [file = '', ...rest] = short.slice(from + notThere.length).split("'")
  return rest.join("'") === ` : lstat ${file}: no such file or directory`
    ? `${short.slice(0, from)}there is no file ${file}`
    : short
}

/** The words of kustomize before the faults of a document. */
const nothingRead = 'map[string]interface {}(nil): yaml: unmarshal errors: '

/** The words of kustomize before a path that leads nowhere. */
const notThere = "evalsymlink failure on '"

/** A text without its part from one mark to the end of another. */
function cut(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  const to = from === -1 ? -1 : text.indexOf(end, from)
  return to === -1 ? text : text.slice(0, from) + text.slice(to + end.length)
}
