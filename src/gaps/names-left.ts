import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { holdsTemplate, isMarked } from '../manifest/template-marks'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type KeyedLine, keyedLinesOf } from '../template/keyed-lines'
import { chartOf } from './template-faults'

/** The words in keys that hold the name of an object of a kind: `defaultIssuerName`, `serviceAccountName`. */
const keyWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['ClusterIssuer', ['issuer']],
  ['Issuer', ['issuer']],
  ['Gateway', ['gateway']],
  ['GatewayClass', ['gatewayclass']],
  ['IngressClass', ['ingressclass', 'ingress-class', 'ingress.class']],
  ['Middleware', ['middleware']],
  ['PriorityClass', ['priorityclass']],
  ['ServersTransport', ['serverstransport']],
  ['ServiceAccount', ['serviceaccount']],
  ['TLSOption', ['tlsoption']],
])

/** An object by the lines that name it in a text, which may be a template. */
interface NamedObject {
  readonly kind: string
  readonly name: string
  readonly line: number
}

/** An object that a file of the base names, and no file of the head. */
interface Gone extends NamedObject {
  readonly file: string
}

/**
 * Names of objects that a change removes from a file, or gives another name, while values, a file in a chart or an unread template still
 * has them: an issuer that is renamed in a template, and the default issuer in the values of cert-manager. References between
 * objects that are read are judged by rules of their own.
 */
export async function namesLeft(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  // A file that goes has often moved to another repository.
  const files = [...changed].filter((file) => isOfYaml(file) && head.checkout.has(file))
  const [before, after] = await Promise.all(
    [base, head].map(({ checkout }) => checkout.texts(files.filter((file) => checkout.has(file)))),
  )
  const kept = [...(after?.values() ?? [])].flatMap((text) => [...objectsIn(text)])
  const gone = [...(before ?? [])].flatMap(([file, text]) =>
    [...objectsIn(text)].flatMap((one) => (isDistinct(one.name) && !has(kept, one) ? [{ ...one, file }] : [])),
  )
  if (gone.length === 0) return []
  const mentions = await mentionsOf(gone, head.checkout)
  return gone.flatMap((one) => {
    const texts = [...mentions].filter(([, text]) => text.includes(one.name))
    if (texts.some(([, text]) => has([...objectsIn(text)], one)) || mayMake(one, kept, texts)) return []
    const [left] = texts.flatMap(([file, text]) => referencesIn(one, file, text, head))
    return left ? [findingOf(one, left, kept, before?.get(one.file) ?? '')] : []
  })
}

function isOfYaml(file: string): boolean {
  return ['.yaml', '.yml', '.tpl', '.gotmpl', '.tmpl'].includes(path.extname(file)) && !ofNothingDeployed(file)
}

function ofNothingDeployed(file: string): boolean {
  return file.split('/').some((part) => ['test', 'tests', 'testdata', 'examples', 'docs', '.github'].includes(part))
}

/** Whether a name is one of several words, which nothing else has by chance. */
function isDistinct(name: string): boolean {
  return name.length > 7 && name.includes('-') && !isMarked(name) && !name.includes('$')
}

function* objectsIn(text: string): Generator<NamedObject> {
  let kind = ''
  for (const { keys, value, line } of keyedLinesOf(text)) {
    if (keys.length === 1 && keys[0] === 'kind') kind = value
    if (keys.length === 1 && keys[0] === 'apiVersion') kind = ''
    const isName = keys.length === 2 && keys[0] === 'metadata' && keys[1] === 'name'
    if (isName && keyWords.has(kind)) yield { kind, name: value, line }
  }
}

function has(objects: readonly NamedObject[], { kind, name }: NamedObject): boolean {
  return objects.some((one) => one.kind === kind && one.name === name)
}

/** The texts of the head with one of the names, whatever wrote them. */
async function mentionsOf(gone: readonly Gone[], checkout: Checkout): Promise<ReadonlyMap<string, string>> {
  const files = [...checkout.tree.entries.keys()].filter((file) => isOfYaml(file) || path.extname(file) === '.json')
  return checkout.mentioning(files, [...new Set(gone.map(({ name }) => name))])
}

/** Whether a template makes the object: its name begins and ends as the name of the object, and what is between is written somewhere. */
function mayMake(
  { kind, name }: Gone,
  kept: readonly NamedObject[],
  texts: Iterable<readonly [string, string]>,
): boolean {
  return kept.some((one) => {
    const [start, end] = [one.name.indexOf('{{'), one.name.lastIndexOf('}}')]
    if (one.kind !== kind || start === -1) return false
    const [head, tail] = [one.name.slice(0, start), one.name.slice(end + 2)]
    if (!name.startsWith(head) || !name.endsWith(tail)) return false
    const between = name.slice(head.length, name.length - tail.length)
    return (
      between === name ||
      [...texts].some(([, text]) => text.includes(`"${between}"`) || text.includes(`: ${between}\n`))
    )
  })
}

interface Reference {
  readonly file: string
  readonly line: number
  readonly key: string
}

function referencesIn({ kind, name }: Gone, file: string, text: string, head: SideOfChange): Reference[] {
  // Rules read what an object names by itself, where it is read.
  const isRead = !holdsTemplate(text) || chartOf(file, head) !== undefined
  return [...keyedLinesOf(text)].flatMap((one) => {
    const isOfObject =
      isRead &&
      !one.keys.some((key) => key.toLowerCase().includes('values')) &&
      ['metadata', 'spec'].includes(one.keys[0] ?? '')
    const isIt = one.value === name || one.value.endsWith(`/${name}`)
    return isIt && !isOfObject && isReference(one, keyWords.get(kind) ?? [])
      ? [{ file, line: one.line, key: one.keys.join('.') }]
      : []
  })
}

/** Whether a key holds a reference: it has a word of the kind, or is the name in a block of references. */
function isReference({ keys }: KeyedLine, words: readonly string[]): boolean {
  const [block = '', key = ''] = keys.slice(-2).map((one) => one.toLowerCase())
  const isOfKind = (text: string) => words.some((word) => text.includes(word))
  return isOfKind(key) || (key === 'name' && isOfKind(block) && (block.includes('ref') || block === 'middlewares'))
}

function findingOf(
  { kind, name, file, line }: Gone,
  left: Reference,
  kept: readonly NamedObject[],
  text: string,
): Finding {
  const other = kept.find((one) => one.kind === kind && !one.name.includes('{{'))
  const advice = other ? `Write ${other.name} there, if that takes its place` : 'Write its new name there'
  return gateFinding('source/name-left', 'left', 'warning', {
    side: 'base',
    path: file,
    region: startOf(line),
    fileText: text,
    keys: [kind, name],
    status: 'introduced',
    text: `This change removes or renames ${kind} ${name}, and ${left.file}:${left.line} still names it in ${left.key}, while no file here has an object of that name. Whatever reads it there finds no such object. ${advice}, or keep the object.`,
  })
}
