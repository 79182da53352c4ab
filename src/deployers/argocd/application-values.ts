import { type ApplicationSource, inlineValuesOf, sourceNamed, valueFilesOf } from '../../gitops/application'
import { decryptedFile } from '../../gitops/helm-secrets'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { asciiJson } from '../../sources/ascii-json'
import { inside } from '../../sources/kustomization'
import type { Values } from '../../sources/source'
import { type ArgoFiles, isDirectoryFile } from '../common/argocd-files'
import type { GitOpsSources } from '../common/gitops-sources'
import { type BuildEnvironment, parametersOf } from './argocd-parameters'

/** Reads values files, and records those that are missing. */
export interface ValuesSurroundings extends Pick<GitOpsSources, 'skip' | 'isHere' | 'siteOf'> {
  readonly repositoryIndex: { readonly checkout: Checkout; readonly argoFiles?: ArgoFiles }
}

/** The folders that values files are named from. */
interface ValuesPlaces {
  readonly chart: string
  readonly sources: readonly ApplicationSource[]
  /** The root of the repository that the chart is in; empty for this one. */
  readonly root?: string
}

/** The values of a source. */
export interface ApplicationValues {
  readonly values: readonly Values[]
  /** The files that only helm-secrets can read, if it reads any values of the source. */
  readonly encrypted?: readonly string[]
}

/** The options of helm that a source sets. */
export function helmOptionsOf(source: ApplicationSource, application: BuildEnvironment) {
  const { helm } = source
  const apiVersions = helm.at('apiVersions')
  return {
    set: {},
    parameters: parametersOf(source, application),
    ...(helm.at('kubeVersion').value ? { kubeVersion: textAt(helm.at('kubeVersion')) } : {}),
    ...(apiVersions.isList ? { apiVersions: [...apiVersions.items()].map(textAt) } : {}),
    ...(helm.at('skipCrds').value === true ? { skipCrds: true } : {}),
  }
}

/**
 * The values laid over a chart's own, later ones over earlier ones.
 *
 * The order is parameters > valuesObject > values > valueFiles, and valuesObject replaces values:
 * https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
 *
 * @returns undefined when some of them are not in this repository
 */
export function valuesOf(
  manifest: Manifest,
  source: ApplicationSource,
  { chart, sources, root = '' }: ValuesPlaces,
  named: ValuesSurroundings,
): ApplicationValues | undefined {
  const { helm } = source
  const values: Values[] = []
  const { checkout, argoFiles } = named.repositoryIndex
  const ignoresMissing = helm.at('ignoreMissingValueFiles').value === true
  let encrypted: string[] | undefined
  const atFiles = named.siteOf(manifest, helm.at('valueFiles'))
  for (const { entry: file, ref, path: written } of valueFilesOf(source)) {
    const secret = argoFiles && decryptedFile(file)
    if (secret) {
      encrypted ??= []
      // A path from the root is one where Argo CD runs.
      const place = secret.path.startsWith('/') || secret.path.includes('$') ? undefined : inside(chart, secret.path)
      const isUnread = place === undefined || !isDirectoryFile(place) || argoFiles.decrypted?.has(place) !== false
      if (place !== undefined && !checkout.has(place)) {
        if (!secret.mayBeMissing && !ignoresMissing) values.push({ path: place })
      } else if (isUnread) encrypted.push(place ?? file)
      else values.push({ path: place })
      continue
    }
    const owner = ref === undefined ? undefined : sourceNamed(ref, sources)
    const isOfChart = root !== '' && owner !== undefined && isSameTree(owner, source)
    const elsewhere =
      ref === undefined
        ? /^[a-z0-9+]+:\/\//i.test(file)
        : owner === undefined || !(isOfChart || named.isHere(textAt(owner.repoURL), written))
    if (elsewhere) {
      named.skip(manifest, 'values-elsewhere', `its values ${file} are not in this repository`, { at: atFiles })
      return undefined
    }
    // A path from the root starts with a slash, or behind the name of another source.
    const top = ref === undefined || isOfChart ? root : ''
    const isFromRoot = ref !== undefined || written.startsWith('/')
    const place = isFromRoot ? inside(top, ref === undefined ? written.slice(1) : written) : inside(chart, written)
    if (place === undefined) {
      named.skip(manifest, 'values-outside', `its values ${file} are outside this repository`, { at: atFiles })
      return undefined
    }
    if (ignoresMissing && !checkout.has(place)) continue
    values.push({ path: place })
  }
  if (helm.at('fileParameters', 0).exists) {
    named.skip(manifest, 'file-parameters', 'its fileParameters are not supported', {
      at: named.siteOf(manifest, helm.at('fileParameters')),
    })
    return undefined
  }
  const { place, map, isText } = inlineValuesOf(source)
  const inline = isText ? textAt(place) : asciiJson(map?.value ?? {})
  if (inline.trim()) values.push({ text: inline, name: `the values in ${manifest.origin.path}` })
  return { values, ...(encrypted ? { encrypted } : {}) }
}

function isSameTree(one: ApplicationSource, other: ApplicationSource): boolean {
  const textsOf = ({ repoURL, targetRevision }: ApplicationSource) =>
    [textAt(repoURL), textAt(targetRevision)].join(' ')
  return textsOf(one) === textsOf(other)
}
