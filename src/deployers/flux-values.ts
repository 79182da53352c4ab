import path from 'node:path/posix'
import { stringify } from 'yaml'
import { entryOf } from '../entry'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { type HelmReleaseChart, readHelmRelease, type ValuesReference } from '../gitops/helm-release'
import { textAt } from '../gitops/text'
import type { Manifest } from '../manifest/manifest'
import { inside } from '../sources/kustomization'
import type { Values } from '../sources/source'
import { type Fields, wordOf } from '../sources/untyped'
import type { GitOpsSources } from './gitops-sources'

/** The names of the ConfigMaps and Secrets that a Flux object takes values of. */
export function namesOfHolders({ root }: Manifest): string[] {
  const references = [...readHelmRelease(root).valuesFrom, ...readFluxKustomization(root).substituteFrom]
  return references.map(({ name }) => textAt(name)).filter(Boolean)
}

/** The ConfigMap or Secret of a namespace that an object refers to; it may be written without its namespace. */
export function holderOf(
  { kind, name }: Pick<ValuesReference, 'kind' | 'name'>,
  namespace: string,
  all: readonly Manifest[],
): Manifest | undefined {
  const named = all.filter(({ ref }) => ref.kind === textAt(kind) && ref.name === textAt(name))
  return (
    named.find(({ ref }) => ref.namespace === namespace) ??
    named.find(({ ref }) => ref.namespace === '' || namespace === '')
  )
}

/** The data of a ConfigMap or Secret; nothing of data that SOPS has encrypted. */
export function dataOf(holder: Manifest): Readonly<Record<string, string>> {
  const { root, ref } = holder
  if (root.at('sops').exists) return {}
  const texts = (field: string) => [...root.at(field).entries()].map(([key, value]) => [key, textAt(value)] as const)
  if (ref.kind !== 'Secret') return Object.fromEntries(texts('data'))
  const decoded = texts('data').map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const)
  return Object.fromEntries([...decoded, ...texts('stringData')])
}

/** Where the values of a release are sought. */
interface Release {
  /** The chart: its own, or that of the object it refers to. */
  readonly chart: HelmReleaseChart
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
  const { checkout } = named.repositoryIndex
  const values: Values[] = []
  for (const file of [...chart.valuesFiles.items()].map(textAt)) {
    // They are written from the root of the source; the first releases of Flux read them from the chart's folder.
    const [fromRoot, fromChart] = [inside('', file), inside(place, file)]
    const found = [fromRoot, fromChart].find((one) => one !== undefined && checkout.has(one)) ?? fromRoot
    if (found === undefined) {
      named.skip(manifest, 'values-outside', `its values ${file} are outside this repository`)
      return undefined
    }
    if (chart.ignoreMissingValuesFiles.value === true && !checkout.has(found)) continue
    values.push({ path: found })
  }
  const defaults = path.join(place, 'values.yaml')
  if (values.length > 0 && !values.some((one) => 'path' in one && one.path === defaults))
    named.skip(manifest, 'values-replaced', `its valuesFiles replace ${defaults}, but are merged over it here`)
  const own = ownValuesOf(manifest, holders, named)
  return own && [...values, ...own]
}

/**
 * The values of a release besides the files of its chart.
 *
 * @returns undefined when some of it is not in this repository
 */
export function ownValuesOf(
  manifest: Manifest,
  holders: Release['holders'],
  named: Pick<GitOpsSources, 'skip'>,
): Values[] | undefined {
  const release = readHelmRelease(manifest.root)
  const values: Values[] = []
  for (const [index, reference] of release.valuesFrom.entries()) {
    const holder = holders[index]
    const held = holder && valuesFrom(reference, holder)
    if (held) values.push(held)
    else if (reference.optional.value !== true) {
      const what = `${textAt(reference.kind)} ${textAt(reference.name)}`
      named.skip(manifest, 'values-elsewhere', `its values from ${what} are not in this repository`)
      return undefined
    }
  }
  const { value: inline } = release.values
  if (inline !== undefined && inline !== null)
    values.push({ text: stringify(inline), name: `the values in ${manifest.origin.path}` })
  return values
}

/** The content of an entry of `valuesFrom`: values, or one value at a path in them. */
function valuesFrom({ key, targetPath }: ValuesReference, holder: Manifest): Values | undefined {
  const held = entryOf(dataOf(holder), key)
  if (held === undefined) return undefined
  const name = `${holder.ref.kind} ${holder.ref.name} in ${holder.origin.path}`
  const keys = textAt(targetPath).split(/(?<!\\)\./)
  if (keys[0] === '') return { text: held, name }
  return { text: stringify(nested(keys, wordOf(held.replace(/\n$/, '')))), name }
}

function nested([key = '', ...rest]: readonly string[], value: unknown): Fields {
  return { [key.replaceAll('\\.', '.')]: rest.length > 0 ? nested(rest, value) : value }
}
