import { isMap, isScalar, isSeq, parseDocument, type Scalar } from 'yaml'
import { splitDocuments } from '../manifest/documents'
import { mentions } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { closureOf, type Kustomization } from './kustomization'
import { inside, realPlace } from './places'
import { dataIn, type Fields, fieldsOf, listOf, textOf } from './untyped'

/** The replacements of an entry of `replacements`: the entry itself, or those of the file that it names. */
export async function replacementsOf(entry: unknown, folder: string, checkout: Checkout): Promise<readonly Fields[]> {
  const place = inside(folder, textOf(fieldsOf(entry).path))
  const text = place === undefined ? undefined : await checkout.text(realPlace(checkout.tree, place))
  const written = text === undefined ? entry : dataIn(text)
  return (Array.isArray(written) ? written : [written]).map(fieldsOf)
}

/** The replacements of a Kustomization and of all that it includes, by folder: those of a component are its includer's, too. */
export async function replacementsIn(
  root: string,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<ReadonlyMap<string, readonly Fields[]>> {
  const own = new Map<string, readonly Fields[]>()
  const taken = closureOf(root, all)
  for (const { folder, file, made, words } of taken) {
    const entries = made || !words.has('replacements') ? [] : await entriesIn(file, checkout)
    own.set(folder, (await Promise.all(entries.map((entry) => replacementsOf(entry, folder, checkout)))).flat())
  }
  const withComponents = (folder: string): readonly Fields[] => [
    ...(own.get(folder) ?? []),
    ...componentsIn(folder, all).flatMap((one) => own.get(one.folder) ?? []),
  ]
  return new Map(taken.map(({ folder }) => [folder, withComponents(folder)]))
}

async function entriesIn(file: string, checkout: Checkout): Promise<readonly unknown[]> {
  const text = await checkout.text(file)
  return text === undefined ? [] : listOf(fieldsOf(dataIn(text)).replacements)
}

/** The components that a Kustomization includes, with those of theirs. */
function componentsIn(folder: string, all: ReadonlyMap<string, Kustomization>): readonly Kustomization[] {
  const found = new Set<Kustomization>()
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const from = next
    for (const { text } of all.get(from)?.includes ?? []) {
      const place = inside(from, text)
      const one = place === undefined ? undefined : all.get(place)
      if (!one?.component || found.has(one)) continue
      found.add(one)
      open.push(one.folder)
    }
  }
  return [...found]
}

/** A field of an object in a text that a replacement fills in. */
interface ReplacedField {
  readonly start: number
  readonly end: number
  /** With a placeholder for what the replacement puts there. */
  readonly value: string
}

/**
 * A text with placeholders, which rules take for unknown, in the fields that replacements fill in: its lines stay the same.
 * A name and a namespace stay, too, as other objects refer to them.
 */
export function withPlaceholders(text: string, replacements: readonly Fields[]): string {
  let written = text
  // From the end, where no edit moves another one.
  for (const { start, end, value } of replacedFields(text, replacements))
    written = written.slice(0, start) + JSON.stringify(value) + written.slice(end)
  return written
}

/** The fields of the objects in a text that replacements fill in, the last one first. */
function replacedFields(text: string, replacements: readonly Fields[]): readonly ReplacedField[] {
  const found = new Map<number, ReplacedField>()
  const targets = replacements.flatMap(({ source, targets: all }) =>
    listOf(all).map((target) => ({ source: fieldsOf(source), target: fieldsOf(target) })),
  )
  const named = targets.filter(({ target }) => mentions(text, nameIn(fieldsOf(target.select))))
  for (const { text: own, offset } of named.length === 0 ? [] : splitDocuments(text)) {
    const { contents, errors } = parseDocument(own, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
    if (errors.length > 0) continue
    for (const { source, target } of named) {
      if (!isSelected(contents, target)) continue
      for (const path of listOf(target.fieldPaths).map((one) => stepsOf(textOf(one)))) {
        if (isIdentity(path)) continue
        for (const scalar of scalarsAt(contents, path)) {
          const [start = 0, end = start] = scalar.range ?? []
          // An edit of several lines would move the lines after it, and one of no text has no place of its own.
          if (scalar.tag !== undefined || start === end || own.slice(start, end).includes('\n')) continue
          const at = offset + start
          const value = replaced(found.get(at)?.value ?? textOf(scalar.value), source, fieldsOf(target.options))
          found.set(at, { start: at, end: offset + end, value })
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => b.start - a.start)
}

/** The word that a text with a selected object contains; empty for any. */
function nameIn(select: Fields): string {
  return textOf(select.name) || textOf(select.kind)
}

/** Whether a replacement selects its targets by group, kind and name alone. Other conditions and patterns are not tried. */
export function isExact({ targets }: Fields): boolean {
  return listOf(targets).every((target) => isExactTarget(fieldsOf(target)))
}

function isExactTarget({ select, reject }: Fields): boolean {
  const conditions = Object.entries(fieldsOf(select))
  const isPattern = (text: string) => [...'*+?[](){}|^$\\'].some((sign) => text.includes(sign))
  return (
    listOf(reject).length === 0 &&
    conditions.every(([key, value]) => ['group', 'kind', 'name'].includes(key) && !isPattern(textOf(value)))
  )
}

function isSelected(object: unknown, target: Fields): boolean {
  const { group, kind, name } = fieldsOf(target.select)
  if (!isMap(object) || !isExactTarget(target)) return false
  return (
    (group === undefined || textOf(object.get('apiVersion')).split('/')[0] === group) &&
    (kind === undefined || object.get('kind') === kind) &&
    (name === undefined || object.getIn(['metadata', 'name']) === name)
  )
}

/** `spec.hosts.[name=web].a\.b` as its steps; `[a.b]` is one. */
function stepsOf(path: string): readonly string[] {
  const steps = ['']
  let isBracketed = false
  for (const [at, sign] of [...path].entries()) {
    const last = steps.length - 1
    if (sign === '[' && steps[last] === '') isBracketed = true
    else if (sign === ']') isBracketed = false
    if (sign === '.' && !isBracketed && path[at - 1] !== '\\') steps.push('')
    else steps[last] += sign
  }
  return steps.map((step) => step.replaceAll('\\.', '.'))
}

function isIdentity([first, second]: readonly string[]): boolean {
  return (
    ['apiVersion', 'kind'].includes(first ?? '') ||
    (first === 'metadata' && ['name', 'namespace'].includes(second ?? ''))
  )
}

function scalarsAt(node: unknown, [step, ...rest]: readonly string[]): readonly Scalar[] {
  if (step === undefined) return isScalar(node) ? [node] : []
  const inner = step.startsWith('[') && step.endsWith(']') ? step.slice(1, -1) : undefined
  if (isMap(node)) {
    const values = step === '*' ? node.items.map(({ value }) => value) : [node.get(inner ?? step, true)]
    return values.flatMap((value) => scalarsAt(value, rest))
  }
  if (!isSeq(node)) return []
  const [key = '', ...value] = (inner ?? '').split('=')
  const items = node.items.filter((item, index) => {
    if (value.length === 0) return step === '*' || step === String(index)
    return isMap(item)
      ? textOf(item.get(key)) === value.join('=')
      : key === '' && isScalar(item) && item.value === value.join('=')
  })
  return items.flatMap((item) => scalarsAt(item, rest))
}

/** https://github.com/kubernetes-sigs/kustomize/blob/api/v0.21.1/api/filters/replacement/replacement.go, setFieldValue */
function replaced(written: string, source: Fields, { delimiter, index }: Fields): string {
  const placeholder = placeholderFor(source)
  if (textOf(delimiter) === '') return placeholder
  const parts = written.split(textOf(delimiter))
  const at = Number(index ?? 0)
  if (at < 0) parts.unshift(placeholder)
  else if (at >= parts.length) parts.push(placeholder)
  else parts[at] = placeholder
  return parts.join(textOf(delimiter))
}

/** The same for the same value, so that names with it are compared by the rest of them; no delimiter divides it. */
function placeholderFor({ kind, name, namespace, fieldPath, options }: Fields): string {
  const { delimiter, index } = fieldsOf(options)
  const part = textOf(delimiter) === '' ? [] : ['part', textOf(index) || '0']
  const words = [kind, namespace, name, fieldPath, ...part].map(textOf).filter((word) => word !== '')
  return `<${words.join(' ').replaceAll('/', ' ').replaceAll('.', ' ')}>`
}
