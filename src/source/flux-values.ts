import { stringify } from 'yaml'
import type { Manifest } from '../manifest/manifest'
import type { Values } from './source'
import { type Fields, fieldsOf, listOf, textOf, wordOf } from './untyped'

/** The names of the ConfigMaps and Secrets that a Flux object takes values of. */
export function namesOfHolders({ root }: Manifest): string[] {
  const spec = fieldsOf(root.at('spec').value)
  const references = [...listOf(spec.valuesFrom), ...listOf(fieldsOf(spec.postBuild).substituteFrom)]
  return references.map((reference) => textOf(fieldsOf(reference).name)).filter(Boolean)
}

/** The ConfigMap or Secret of a namespace that an object refers to; it may be written without its namespace. */
export function holderOf(reference: Fields, namespace: string, all: readonly Manifest[]): Manifest | undefined {
  const named = all.filter(({ ref }) => ref.kind === textOf(reference.kind) && ref.name === textOf(reference.name))
  return (
    named.find(({ ref }) => ref.namespace === namespace) ??
    named.find(({ ref }) => ref.namespace === '' || namespace === '')
  )
}

/** What a ConfigMap or Secret holds; nothing of what SOPS has encrypted. */
export function dataOf(holder: Manifest): Readonly<Record<string, string>> {
  const { root, ref } = holder
  if (root.at('sops').exists) return {}
  const texts = (field: string) =>
    Object.entries(fieldsOf(root.at(field).value)).map(([key, value]) => [key, textOf(value)] as const)
  if (ref.kind !== 'Secret') return Object.fromEntries(texts('data'))
  const decoded = texts('data').map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const)
  return Object.fromEntries([...decoded, ...texts('stringData')])
}

/** What an entry of `valuesFrom` gives: values, or one value at a path in them. */
export function valuesFrom(reference: Fields, holder: Manifest): Values | undefined {
  const held = dataOf(holder)[textOf(reference.valuesKey) || 'values.yaml']
  if (held === undefined) return undefined
  const name = `${holder.ref.kind} ${holder.ref.name} in ${holder.origin.path}`
  const keys = textOf(reference.targetPath).split(/(?<!\\)\./)
  if (keys[0] === '') return { text: held, name }
  return { text: stringify(nested(keys, wordOf(held.replace(/\n$/, '')))), name }
}

function nested([key = '', ...rest]: readonly string[], value: unknown): Fields {
  return { [key.replaceAll('\\.', '.')]: rest.length > 0 ? nested(rest, value) : value }
}
