import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { holdsTemplate, isMarked } from '../manifest/template-marks'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { chartOfTemplate } from '../sources/chart'
import { type KeyedLine, keyedLinesOf } from '../template/keyed-lines'

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

/** An object that a changed file has at the base, and no changed file at the head. */
interface Gone extends NamedObject {
  readonly file: string
}

/**
 * Names of objects that a change removes from a file, or gives another name, while values, a file in a chart or an unread
 * template still has them: an issuer that is renamed in a template, and the default issuer in the values of cert-manager.
 * References between objects that are read are judged by rules of their own.
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
  const found: Finding[] = []
  for (const one of gone) {
    const texts = [...mentions].filter(([, text]) => text.includes(one.name))
    const isThere = texts.some(([, text]) => has([...objectsIn(text)], one))
    const [left] = isThere ? [] : texts.flatMap(([file, text]) => referencesIn(one, file, text, head))
    if (left && !(await mayMake(one, kept, head.checkout, texts)))
      found.push(findingOf(one, left, kept, before?.get(one.file) ?? ''))
  }
  return found
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
  const files = [...checkout.tree.entries.keys()].filter(isOfYaml)
  return checkout.mentioning(files, [...new Set(gone.map(({ name }) => name))])
}

/**
 * Whether a template of the same kind makes the object: its name begins and ends as the name of the object, and what is between
 * is written in the chart, in the folder of the file, or beside a mention of the object.
 */
async function mayMake(
  { kind, name, file }: Gone,
  kept: readonly NamedObject[],
  checkout: Checkout,
  mentions: readonly (readonly [string, string])[],
): Promise<boolean> {
  const folder = chartOfTemplate(file, checkout) ?? file.split('/').slice(0, -1).join('/')
  for (const part of kept.flatMap((one) => (one.kind === kind ? (filledIn(one.name, name) ?? []) : []))) {
    if (part === name) return true
    const near = await checkout.mentioning(checkout.below(folder).filter(isOfYaml), [part])
    if ([...near, ...mentions].some(([, text]) => writes(text, part))) return true
  }
  return false
}

/** The text that makes a name of a template of it: `prod` of `web-{{ .name }}` and `web-prod`. */
function filledIn(template: string, name: string): string | undefined {
  const [start, end] = [template.indexOf('{{'), template.lastIndexOf('}}')]
  if (start === -1 || end === -1) return undefined
  const [head, tail] = [template.slice(0, start), template.slice(end + 2)]
  const isMade = name.startsWith(head) && name.endsWith(tail) && head.length + tail.length < name.length
  return isMade ? name.slice(head.length, name.length - tail.length) : undefined
}

/** Whether a text has another one as a value, or in quotes as an argument of a template. */
function writes(text: string, part: string): boolean {
  return text.includes(`"${part}"`) || [...keyedLinesOf(text)].some(({ value }) => value === part)
}

interface Reference {
  readonly file: string
  readonly line: number
  readonly key: string
}

function referencesIn({ kind, name }: Gone, file: string, text: string, head: SideOfChange): Reference[] {
  // Rules read what an object names by itself, where it is read.
  const isRead = !holdsTemplate(text) || chartOfTemplate(file, head.checkout) !== undefined
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
