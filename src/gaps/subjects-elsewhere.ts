import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { chartOfTemplate } from '../sources/chart'
import { accountsIn, type WrittenAccount } from '../template/account-namespaces'
import { definitionsIn } from '../template/definitions'
import { actionsOf } from '../template/template-actions'

/** A subject whose namespace is not made as that of the account. */
interface Parted {
  readonly file: string
  readonly subject: WrittenAccount
  readonly account: WrittenAccount & { readonly file: string }
  /** The value that decides: `namespaceOverride`. */
  readonly value: string
}

/**
 * Bindings of a chart whose subject is in the namespace of the release, while a value can put the ServiceAccount into
 * another one, or the reverse: where a release sets the value, nothing has the permissions.
 */
export async function subjectsElsewhere(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const folders = new Set([...changed].flatMap((file) => chartOfTemplate(file, head.checkout) ?? []))
  const found: Finding[] = []
  for (const folder of folders) {
    const [were, are] = await Promise.all([base, head].map(({ checkout }) => partedIn(folder, checkout)))
    const known = new Set(were?.map(keyOf))
    found.push(...(are ?? []).filter((one) => !known.has(keyOf(one))).map((one) => findingOf(one, folder)))
  }
  return found
}

async function partedIn(folder: string, checkout: Checkout): Promise<Parted[]> {
  const files = checkout.below(path.join(folder, 'templates')).filter((file) => /\.(?:ya?ml|tpl)$/.test(file))
  const texts = await checkout.texts(files)
  const all = [...texts].flatMap(([file, text]) => accountsIn(text).map((one) => ({ ...one, file })))
  const accounts = all.filter(({ kind }) => kind === 'ServiceAccount')
  if (accounts.length === 0 || accounts.length === all.length) return []
  const values = overridesIn(texts.values())
  /** The value that can put something into another namespace than that of the release; empty where none can. */
  const overriding = (expression: string) => {
    if (expression === '' || expression === ofRelease) return ''
    const [word, name = ''] = expression.split(' ')
    return word === 'include' ? values.get(name.slice(1, -1)) : valueIn(expression)
  }
  return all.flatMap((subject): Parted[] => {
    const its = overriding(subject.namespace)
    // Without a namespace, the API server refuses the subject; one that is written may be of another chart.
    if (subject.kind === 'ServiceAccount' || subject.namespace === '' || its === undefined) return []
    const named = accounts.filter(({ name }) => name === subject.name)
    const [account] = named
    const other = account && overriding(account.namespace)
    if (!account || other === undefined || named.some(({ namespace }) => overriding(namespace) !== other)) return []
    if ((its === '') === (other === '')) return []
    return [{ file: subject.file, subject, account, value: its || other }]
  })
}

const ofRelease = '.Release.Namespace'

/** The values by which named templates print another namespace than that of the release, by their names. */
function overridesIn(texts: Iterable<string>): Map<string, string> {
  // Source: https://github.com/bitnami/charts/blob/main/bitnami/common/templates/_names.tpl
  const found = new Map([['common.names.namespace', 'namespaceOverride']])
  for (const text of texts) {
    for (const { name, from, to } of definitionsIn(text)) {
      const value = valueIn(text.slice(from, to))
      if (value !== undefined) found.set(name, value)
    }
  }
  return found
}

/** The value of `default .Release.Namespace .Values.namespaceOverride`. */
function valueIn(text: string): string | undefined {
  if (!text.includes(ofRelease)) return undefined
  const words = actionsOf(text.includes('{{') ? text : `{{ ${text} }}`).flatMap((action) =>
    action.words.map((word) => word.text),
  )
  const named = words.find((word) => word.startsWith(ofValues) || word.startsWith(`$${ofValues}`))
  return named?.slice(named.indexOf(ofValues) + ofValues.length)
}

const ofValues = '.Values.'

function keyOf({ file, subject, value }: Parted): string {
  return JSON.stringify([file, subject.kind, subject.name, value])
}

function findingOf({ file, subject, account, value }: Parted, folder: string): Finding {
  const place = account.file.slice(folder === '' ? 0 : folder.length + 1)
  const into = account.namespace === '' ? 'the namespace of the release' : `{{ ${account.namespace} }}`
  const written = account.namespace === '' ? ofRelease : account.namespace
  return gateFinding('source/value-unread', 'subject', 'warning', {
    side: 'head',
    path: file,
    region: startOf(subject.line),
    keys: [folder, file, subject.kind, value],
    status: 'introduced',
    text: `This ${subject.kind} names a ServiceAccount in the namespace {{ ${subject.namespace} }}, and ${place} puts that account into ${into}. Where a release sets ${value}, these are two namespaces: the account that is named is not there, and the Pods of the chart have no permissions. Write namespace: {{ ${written} }} here.`,
  })
}
