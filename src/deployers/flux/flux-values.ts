import path from 'node:path/posix'
import { entryOf } from '../../entry'
import {
  type FluxKustomization,
  type GivenVariables,
  readFluxKustomization,
  type VariablesReference,
  variablesGivenBy,
} from '../../gitops/flux-kustomization'
import { type HelmReleaseChart, readHelmRelease, type ValuesReference } from '../../gitops/helm-release'
import { textAt } from '../../gitops/text'
import { abridged } from '../../listing'
import { readYaml } from '../../manifest/document-reader'
import { splitDocuments } from '../../manifest/documents'
import { groupKindOf, Manifest, nameOf } from '../../manifest/manifest'
import { asciiJson } from '../../sources/ascii-json'
import { inside, placeInArtifact } from '../../sources/kustomization'
import type { PackedFiles, Values } from '../../sources/source'
import type { GitOpsSources } from '../common/gitops-sources'
import { mayBeThere } from '../common/missing-values'
import { assign, type Growing, isGrowing, merged } from '../common/typed-text'

/** The kinds that values are taken of. */
export const holderKinds = ['ConfigMap', 'Secret']

/** The names of the ConfigMaps and Secrets that a Flux object takes values of. */
export function namesOfHolders(manifest: Manifest): string[] {
  const { root } = manifest
  const { substituteFrom } = readFluxKustomization(root)
  const given = variablesGivenBy(manifest).substituteFrom
  const references = [...readHelmRelease(root).valuesFrom, ...substituteFrom, ...given]
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

/** The data of a ConfigMap or Secret, without data that SOPS has encrypted. */
export function dataOf(holder: Manifest): Readonly<Record<string, string>> {
  const { root, ref } = holder
  if (root.at('sops').exists) return {}
  const texts = (field: string) => [...root.at(field).entries()].map(([key, value]) => [key, textAt(value)] as const)
  if (ref.kind !== 'Secret') return Object.fromEntries(texts('data'))
  const decoded = texts('data').map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const)
  return Object.fromEntries([...decoded, ...texts('stringData')])
}

/**
 * The variables of a Kustomization: the data of later ConfigMaps and Secrets win over those of earlier ones, and values
 * in the object win over both.
 */
export function substitutionsOf(
  { substitute }: FluxKustomization,
  holders: readonly Manifest[],
): Record<string, string> {
  const held = holders.flatMap((holder) => Object.entries(dataOf(holder)))
  const own = [...substitute.entries()].map(([key, value]) => [key, textAt(value)] as const)
  return Object.fromEntries([...held, ...own])
}

/**
 * The names of all variables that are given, also of those that SOPS has encrypted: it leaves their names. Objects of
 * the same name in other clusters count, too.
 *
 * @param holdersOf the objects of this repository that may be the one that a reference names
 * @returns undefined where one of the objects is not here, or is made by a tool
 */
export function variablesIn(
  { names, substituteFrom }: GivenVariables,
  holdersOf: (reference: VariablesReference) => readonly Manifest[],
): readonly string[] | undefined {
  const all = new Set(names)
  for (const reference of substituteFrom) {
    const holders = holdersOf(reference)
    if (holders.length === 0) return undefined
    for (const { root, ref } of holders) {
      if (!holderKinds.includes(groupKindOf(ref))) return undefined
      for (const field of ['data', 'stringData']) for (const [name] of root.at(field).entries()) all.add(name)
    }
  }
  return [...all]
}

/** The objects that the values of a release may refer to. */
interface ReleaseReferences {
  /** The chart: its own, or that of the object it refers to. */
  readonly chart: HelmReleaseChart
  /** The chart's folder. */
  readonly place: string
  /** The objects that its `valuesFrom` refers to, in order. */
  readonly holders: readonly (Manifest | undefined)[]
  /** The files that Flux has of the repository. */
  readonly artifact: PackedFiles
}

/**
 * Values files first, then `valuesFrom` in its order, then the values of the object itself:
 * https://fluxcd.io/flux/components/helm/helmreleases/#values
 *
 * @returns undefined when some of it is not in this repository
 */
export function valuesOf(
  manifest: Manifest,
  { chart, place, holders, artifact }: ReleaseReferences,
  named: GitOpsSources,
): Values[] | undefined {
  const { checkout } = named.repositoryIndex
  const values: Values[] = []
  for (const at of chart.valuesFiles.items()) {
    const file = textAt(at)
    // The paths start at the root of the source; the first releases of Flux started them at the chart's folder.
    const [fromRoot, fromChart] = [placeInArtifact(file), inside(place, file)]
    const found = [fromRoot, fromChart].find((one) => one !== undefined && checkout.has(one)) ?? fromRoot
    if (found === undefined) {
      named.skip(manifest, 'values-outside', `its values ${file} are outside this repository`)
      return undefined
    }
    if (chart.ignoreMissingValuesFiles.value === true && !(checkout.has(found) && artifact.has(found))) continue
    values.push({ path: found })
    if (mayBeThere(found, checkout)) continue
    const site = named.siteOf(manifest, at)
    const release = nameOf(manifest.ref)
    named.missing.push({ deployer: 'Flux', ...site, release, written: file, place: found, list: 'values' })
  }
  const defaults = path.join(place, 'values.yaml')
  if (values.length > 0 && !values.some((one) => 'path' in one && one.path === defaults))
    named.skip(manifest, 'values-replaced', `its valuesFiles replace ${defaults}, but are merged over it here`)
  const own = ownValuesOf(manifest, holders)
  if (own.lacking !== undefined) {
    named.skip(manifest, 'values-elsewhere', own.lacking)
    return undefined
  }
  if (own.replaced !== undefined) named.skip(manifest, 'values-in-cluster', own.replaced)
  return [...values, ...own.values]
}

/** The values of a release besides the files of its chart, as far as they are in this repository. */
export interface OwnValues {
  readonly values: readonly Values[]
  /** Why values of unknown keys are missing; undefined where none are. */
  readonly lacking?: string
  /** Which single values are placeholders, as only the cluster has them; undefined where none are. */
  readonly replaced?: string
}

/** Reads the values of a release besides the files of its chart; single ones of the cluster become placeholders. */
export function ownValuesOf(manifest: Manifest, holders: ReleaseReferences['holders']): OwnValues {
  const release = readHelmRelease(manifest.root)
  const held: ReferencedValues[] = []
  const open: string[] = []
  for (const [index, reference] of release.valuesFrom.entries()) {
    const holder = holders[index]
    const text = holder && entryOf(dataOf(holder), reference.key)
    if (holder && text !== undefined) held.push({ reference, holder, text })
    else if (reference.optional.value !== true) {
      const what = `${textAt(reference.kind)} ${textAt(reference.name)}`
      const path = textAt(reference.targetPath)
      if (path === '') return { values: [], lacking: `its values from ${what} are not in this repository` }
      // The release has some value there: without the object, Flux does not install it.
      held.push({ reference, text: placeholderFor(reference) })
      open.push(`${path} from ${what}`)
    }
  }
  const replaced =
    open.length === 0
      ? {}
      : { replaced: `it is rendered with placeholders for values that are not in this repository: ${abridged(open)}` }
  const { value: inline } = release.values
  const name = `the values in ${manifest.origin.path}`
  if (held.some(({ reference }) => textAt(reference.targetPath) !== ''))
    return { values: [{ text: asciiJson(composed(held, isGrowing(inline) ? inline : {})), name }], ...replaced }
  // Flux reads the first document of a text, and helm may read all.
  const texts = held.flatMap(({ holder, text }) =>
    holder === undefined
      ? []
      : [
          {
            text: splitDocuments(text)[0]?.text ?? '',
            name: `${holder.ref.kind} ${holder.ref.name} in ${holder.origin.path}`,
          },
        ],
  )
  const own = inline === undefined || inline === null ? [] : [{ text: asciiJson(inline), name }]
  return { values: [...texts, ...own] }
}

/** A variable that nothing sets: rules read it as a text that is filled in before it reaches the cluster. */
function placeholderFor({ kind, name, key }: ValuesReference): string {
  const words = [kind, name].map(textAt)
  return `\${${[...words, key].join('_').replaceAll(/\W/g, '_')}}`
}

/** The content of an entry of `valuesFrom`. */
interface ReferencedValues {
  readonly reference: ValuesReference
  /** None for a placeholder. */
  readonly holder?: Manifest
  readonly text: string
}

/**
 * The values of entries, where some entries give a single value. A value at a path (`targetPath`) is kept if its map
 * comes from the object itself; otherwise the object's values replace it.
 * https://github.com/fluxcd/pkg/blob/main/chartutil/values.go
 */
function composed(held: readonly ReferencedValues[], inline: Growing): Growing {
  let result: Growing = {}
  for (const { reference, holder, text } of held) {
    const path = textAt(reference.targetPath)
    if (path === '') {
      if (holder) result = merged(result, dataIn(text, holder))
      continue
    }
    result = merged(result, inline)
    if (reference.literal.value === true || !holder) {
      const verbatim = text.replace(/[\\,{]/g, '\\$&')
      assign(`${path}=${verbatim}`, result, true)
      continue
    }
    const isText = ['"', "'"].some((quote) => text.startsWith(quote) && text.endsWith(quote))
    assign(`${path}=${isText ? withoutQuotes(text) : text}`, result, isText)
  }
  return merged(result, inline)
}

function withoutQuotes(text: string): string {
  const isQuote = (at: number) => ['"', "'"].includes(text.charAt(at))
  let [from, to] = [0, text.length]
  while (isQuote(from)) from++
  while (to > from && isQuote(to - 1)) to--
  return text.slice(from, to)
}

/** The map in a text, as a YAML file of values. */
function dataIn(text: string, { object, side, origin }: Manifest): Growing {
  const yaml = readYaml(splitDocuments(text)[0]?.text ?? '')
  if (!('contents' in yaml) || !yaml.contents) return {}
  const { value } = new Manifest({ ...object, node: yaml.contents, resolve: yaml.resolve }, side, origin, []).root
  return isGrowing(value) ? value : {}
}
