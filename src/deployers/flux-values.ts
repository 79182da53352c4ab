import path from 'node:path/posix'
import { stringify } from 'yaml'
import { entryOf } from '../entry'
import type { Manifest } from '../manifest/manifest'
import { inside } from '../sources/kustomization'
import type { Values } from '../sources/source'
import { type Fields, fieldsOf, listOf, textOf, wordOf } from '../sources/untyped'
import type { GitOpsSources } from './gitops-sources'

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

/** The data of a ConfigMap or Secret; nothing of data that SOPS has encrypted. */
export function dataOf(holder: Manifest): Readonly<Record<string, string>> {
  const { root, ref } = holder
  if (root.at('sops').exists) return {}
  const texts = (field: string) =>
    Object.entries(fieldsOf(root.at(field).value)).map(([key, value]) => [key, textOf(value)] as const)
  if (ref.kind !== 'Secret') return Object.fromEntries(texts('data'))
  const decoded = texts('data').map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const)
  return Object.fromEntries([...decoded, ...texts('stringData')])
}

/** Where the values of a release are sought. */
interface Release {
  /** The fields of the HelmRelease that describe its chart. */
  readonly chart: Fields
  /** The chart's folder. */
  readonly place: string
  /** The objects that its `valuesFrom` refers to, in order. */
  readonly holders: readonly (Manifest | undefined)[]
}

/**
 * Values files first, then `valuesFrom` in its order, then the values of the object itself:
 * https://fluxcd.io/flux/components/helm/helmreleases/#values
 *
 * @returns undefined when some of it is not in this repository
 */
export function valuesOf(
  manifest: Manifest,
  { chart, place, holders }: Release,
  named: GitOpsSources,
): Values[] | undefined {
  const spec = fieldsOf(manifest.root.at('spec').value)
  const { checkout } = named.repositoryIndex
  const values: Values[] = []
  const files = listOf(chart.valuesFiles).map(textOf)
  for (const file of files) {
    // They are written from the root of the source; the first releases of Flux read them from the chart's folder.
    const [fromRoot, fromChart] = [inside('', file), inside(place, file)]
    const found = [fromRoot, fromChart].find((one) => one !== undefined && checkout.has(one)) ?? fromRoot
    if (found === undefined) {
      named.skip(manifest, `its values ${file} are outside this repository`)
      return undefined
    }
    if (chart.ignoreMissingValuesFiles === true && !checkout.has(found)) continue
    values.push({ path: found })
  }
  const defaults = path.join(place, 'values.yaml')
  if (values.length > 0 && !values.some((one) => 'path' in one && one.path === defaults))
    named.skip(manifest, `its valuesFiles replace ${defaults}, but are merged over it here`)
  for (const [index, reference] of listOf(spec.valuesFrom).map(fieldsOf).entries()) {
    const holder = holders[index]
    const held = holder && valuesFrom(reference, holder)
    if (held) values.push(held)
    else if (reference.optional !== true) {
      const what = `${textOf(reference.kind)} ${textOf(reference.name)}`
      named.skip(manifest, `its values from ${what} are not in this repository`)
      return undefined
    }
  }
  if (spec.values !== undefined && spec.values !== null)
    values.push({ text: stringify(spec.values), name: `the values in ${manifest.origin.path}` })
  return values
}

/** The content of an entry of `valuesFrom`: values, or one value at a path in them. */
function valuesFrom(reference: Fields, holder: Manifest): Values | undefined {
  const held = entryOf(dataOf(holder), textOf(reference.valuesKey) || 'values.yaml')
  if (held === undefined) return undefined
  const name = `${holder.ref.kind} ${holder.ref.name} in ${holder.origin.path}`
  const keys = textOf(reference.targetPath).split(/(?<!\\)\./)
  if (keys[0] === '') return { text: held, name }
  return { text: stringify(nested(keys, wordOf(held.replace(/\n$/, '')))), name }
}

function nested([key = '', ...rest]: readonly string[], value: unknown): Fields {
  return { [key.replaceAll('\\.', '.')]: rest.length > 0 ? nested(rest, value) : value }
}
