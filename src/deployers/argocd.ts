import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { stringify } from 'yaml'
import { isOwnCluster } from '../kubernetes/object/argo-cluster'
import type { Manifest } from '../manifest/manifest'
import { inside } from '../sources/kustomization'
import { componentsOf, overlayOf } from '../sources/overlay'
import type { Target, Values } from '../sources/source'
import { type Fields, fieldsOf, listOf, textOf, wordOf } from '../sources/untyped'
import { declarationSite, type GitOpsSources } from './gitops-sources'

/** Reads an Application: https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml */
export function readApplication(manifest: Manifest, name: string, value: unknown, named: GitOpsSources): void {
  const spec = fieldsOf(value)
  // Hydrated manifests are committed elsewhere; they are all rendered from the dry source.
  const { drySource } = fieldsOf(spec.sourceHydrator)
  const sources = [drySource, spec.source, ...listOf(spec.sources)]
    .map(fieldsOf)
    .filter((source) => source.repoURL !== undefined)
  const destination = fieldsOf(spec.destination)
  const cluster = textOf(destination.name) || textOf(destination.server)
  const target: Target = isOwnCluster(cluster) ? { path: manifest.origin.path } : { cluster }
  const namespace = textOf(destination.namespace) || 'default'
  for (const [index, source] of sources.entries()) {
    // A source with `ref` alone lends its files to the others.
    if (source.ref !== undefined && source.path === undefined && source.chart === undefined) continue
    const url = textOf(source.repoURL)
    if (source.chart !== undefined) {
      named.skip(manifest, `the chart ${textOf(source.chart)} of ${url} is not in this repository`)
      continue
    }
    const written = textOf(source.path)
    const place = inside('', written.replace(/^\/+/, '') || '.')
    if (place === undefined || !named.isHere(url, place)) {
      named.skip(manifest, `${[url, written].filter(Boolean).join(' ')} is not in this repository`)
      continue
    }
    // A config management plugin usually runs helm or kustomize, plus some additional steps.
    const isPlugin = source.plugin !== undefined
    if (isPlugin) named.skip(manifest, `a plugin generates its manifests from ${written}, so they are unknown`)
    const common = {
      id: `argocd:${manifest.origin.path}:${name}:${place}${index > 0 ? `:${index}` : ''}${isPlugin ? ':plugin' : ''}`,
      origin: 'named' as const,
      target,
      declaredAt: declarationSite(manifest),
    }
    const { checkout } = named.repositoryIndex
    if (checkout.has(path.join(place, 'Chart.yaml'))) {
      const helm = fieldsOf(source.helm)
      const values = valuesOf(manifest, helm, place, sources, named)
      if (!values) continue
      named.sources.push({
        ...common,
        // The source may not render without values that only the plugin knows.
        ...(isPlugin ? { origin: 'discovered' as const } : {}),
        kind: 'helm',
        chart: place,
        values,
        set: parametersOf(helm),
        release: textOf(helm.releaseName) || name,
        namespace: textOf(helm.namespace) || namespace,
        ...(helm.kubeVersion ? { kubeVersion: textOf(helm.kubeVersion) } : {}),
        ...(Array.isArray(helm.apiVersions) ? { apiVersions: helm.apiVersions.map(textOf) } : {}),
        ...(helm.skipCrds === true ? { skipCrds: true } : {}),
      })
    } else if (!named.isIgnored(place) && named.kustomization(place)) {
      const kustomize = fieldsOf(source.kustomize)
      const overlay = overlayOf(kustomize)
      const components = componentsOf(kustomize, place, checkout)
      named.sources.push({
        ...common,
        kind: 'kustomize',
        root: place,
        namespace,
        ...(overlay ? { overlay } : {}),
        ...(components.length > 0 ? { components } : {}),
      })
    } else if (named.isIgnored(place)) {
      named.skip(manifest, `${written || '.'} is excluded by \`ignore\``)
    } else if (checkout.tree.at(place).length > 0) {
      plainFiles(place, fieldsOf(source.directory), name, named)
    } else if (!isPlugin) {
      // Rendering reports the missing folder, at the object that names it.
      named.sources.push({ ...common, kind: 'helm', chart: place, values: [], set: {}, release: name, namespace })
    }
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
function valuesOf(
  manifest: Manifest,
  helm: Fields,
  chart: string,
  sources: readonly Fields[],
  named: GitOpsSources,
): Values[] | undefined {
  const values: Values[] = []
  const { checkout } = named.repositoryIndex
  for (const file of listOf(helm.valueFiles).map(textOf)) {
    const [, ref, behind = ''] = file.match(/^\$([^/]+)\/(.*)$/) ?? []
    const owner = ref && sources.find((source) => textOf(source.ref) === ref)
    const elsewhere = ref ? !owner || !named.isHere(textOf(owner.repoURL), behind) : /^[a-z0-9+]+:\/\//i.test(file)
    if (elsewhere) {
      named.skip(manifest, `its values ${file} are not in this repository`)
      return undefined
    }
    // A path from the root starts with a slash, or behind the name of another source.
    const place = ref ? inside('', behind) : file.startsWith('/') ? inside('', file.slice(1)) : inside(chart, file)
    if (place === undefined) {
      named.skip(manifest, `its values ${file} are outside this repository`)
      return undefined
    }
    if (helm.ignoreMissingValueFiles === true && !checkout.has(place)) continue
    values.push({ path: place })
  }
  if (listOf(helm.fileParameters).length > 0) {
    named.skip(manifest, 'its fileParameters are not supported')
    return undefined
  }
  const inline = helm.valuesObject !== undefined ? stringify(helm.valuesObject) : textOf(helm.values)
  if (inline.trim()) values.push({ text: inline, name: `the values in ${manifest.origin.path}` })
  return values
}

function parametersOf(helm: Fields): Record<string, unknown> {
  return Object.fromEntries(
    listOf(helm.parameters)
      .map(fieldsOf)
      .map((one) => [textOf(one.name), one.forceString === true ? textOf(one.value) : wordOf(one.value)]),
  )
}

/**
 * A folder of plain manifests is judged file by file; its owner matters only when a change removes the last one.
 * Source: https://argo-cd.readthedocs.io/en/stable/user-guide/directory/#including-only-certain-files
 */
function plainFiles(place: string, directory: Fields, application: string, named: GitOpsSources): void {
  const { plain, unfollowedLinks } = named
  const { checkout } = named.repositoryIndex
  const start = place === '' ? 0 : place.length + 1
  const [include, exclude] = [textOf(directory.include), textOf(directory.exclude)]
  for (const file of checkout.below(place)) {
    const inPlace = file.slice(start)
    if (directory.recurse !== true && inPlace.includes('/')) continue
    if ((exclude && takesFile(exclude, inPlace)) || (include && !takesFile(include, inPlace))) continue
    const to = checkout.tree.resolved.get(file)
    plain.set(file, `the Application ${application}`)
    if (to === undefined) continue
    // It reads a file through a link, and does not go into a folder by one.
    if (checkout.tree.entries.has(to)) plain.set(to, `the Application ${application}`)
    else unfollowedLinks.set(file, `the Application ${application} does not follow ${file} to a folder`)
  }
}

/** In the globs of Argo CD a star takes slashes too. */
function takesFile(glob: string, file: string): boolean {
  const [pattern, text] = [glob, file].map((one) => one.replaceAll('/', ':')) as [string, string]
  return minimatch(text, pattern, { dot: true, nocomment: true, nonegate: true })
}
