import { actionsOf } from './template-actions'

/** A ServiceAccount of a template, or a subject that names one, with its namespace as it is written. */
export interface WrittenAccount {
  readonly kind: string
  /** Its name: `include "web.serviceAccountName" .`. */
  readonly name: string
  /** Its namespace, without what only quotes it: `.Release.Namespace`; empty where none is written. */
  readonly namespace: string
  /** The first line is 1: that of the namespace, or of the name where there is none. */
  readonly line: number
}

const bindings = ['RoleBinding', 'ClusterRoleBinding']

/** The ServiceAccounts that a template makes, and those that its bindings name. */
export function accountsIn(template: string): WrittenAccount[] {
  const found: WrittenAccount[] = []
  let kind = ''
  let block = ''
  let open: { kind: string; name: string; namespace: string; line: number } | undefined
  const close = () => {
    if (open && open.name !== '' && open.kind !== '') found.push(open)
    open = undefined
  }
  template.split('\n').forEach((text, index) => {
    const line = text.trimEnd()
    const content = line.trim()
    const isTop = content !== '' && line === content && !content.startsWith('{{') && !content.startsWith('- ')
    if (isTop) {
      close()
      const key = content.split(':')[0] ?? ''
      if (content.startsWith('---')) kind = ''
      if (key === 'kind') kind = plain(content.slice('kind:'.length))
      block = key
      if (kind === 'ServiceAccount' && key === 'metadata') open = { kind, name: '', namespace: '', line: index + 1 }
      return
    }
    const isSubject = block === 'subjects' && bindings.includes(kind)
    if (isSubject && content.startsWith('- ')) {
      close()
      open = { kind: '', name: '', namespace: '', line: index + 1 }
    }
    if (!open || (!isSubject && !isDirect(line))) return
    const entry = content.startsWith('- ') ? content.slice(2).trim() : content
    if (isSubject && entry.startsWith('kind:') && plain(entry.slice(5)) === 'ServiceAccount') open.kind = kind
    if (entry.startsWith('name:')) open = { ...open, name: expressionIn(entry.slice(5)) }
    if (entry.startsWith('namespace:')) open = { ...open, namespace: expressionIn(entry.slice(10)), line: index + 1 }
  })
  close()
  return found
}

/** Whether a line of `metadata` is one of its own keys, not one of its labels. */
function isDirect(line: string): boolean {
  return line.startsWith('  ') && !line.startsWith('   ')
}

function plain(text: string): string {
  return text.trim().replaceAll('"', '').replaceAll("'", '')
}

/** Functions that leave a name as it is. */
const quoting = new Set(['quote', 'squote', 'trim', 'toString'])

/** The expression that writes a value: `include "web.namespace" .`; the value itself where none does. */
function expressionIn(value: string): string {
  const actions = actionsOf(value)
  const [only] = actions
  if (!only || actions.length > 1) return plain(value)
  const words = only.words.map(({ text }) => text)
  while (words.at(-2) === '|' && quoting.has(words.at(-1) ?? '')) words.splice(-2)
  const first = words[0] ?? ''
  if (quoting.has(first)) words.shift()
  const named = words[0] === 'template' ? ['include', ...words.slice(1)] : words
  return named.map((word) => (word.startsWith('$.') || word === '$' ? `.${word.slice(2)}` : word)).join(' ')
}
