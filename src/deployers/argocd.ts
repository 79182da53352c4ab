import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { type ApplicationSource, isOwnCluster, isReferenceOnly, readApplication } from '../gitops/application'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import type { Manifest } from '../manifest/manifest'
import { inside } from '../sources/kustomization'
import { componentsOf, overlayOf } from '../sources/overlay'
import type { Target } from '../sources/source'
import { fieldsOf } from '../sources/untyped'
import { chartOfApplication, idOfChart } from './application-chart'
import { helmOptionsOf, valuesOf } from './application-values'
import { declarationSite, type GitOpsSources } from './gitops-sources'
import { isMainRevision, missingFolder, siteOfFolder } from './missing-folder'

/**
 * Adds the sources of an Application.
 *
 * @param manifest the Application, or the ApplicationSet that generates it
 */
export function nameSourcesOf(manifest: Manifest, root: Cursor, named: GitOpsSources): void {
  const { name: written, destination, sources: all } = readApplication(root)
  const name = textAt(written)
  const sources = all.filter(({ repoURL }) => repoURL.exists)
  const { cluster } = destination
  const bringer = named.bringerOf(manifest)
  const own = bringer?.source.target ?? { path: manifest.origin.path }
  const target: Target = isOwnCluster(cluster) ? own : { cluster }
  const namespace = textAt(destination.namespace) || 'default'
  const { checkout } = named.repositoryIndex
  for (const [index, source] of sources.entries()) {
    if (isReferenceOnly(source)) continue
    const url = textAt(source.repoURL)
    if (source.chart.exists) {
      const reason = `the chart ${textAt(source.chart)} of ${url} is not in this repository`
      const id = idOfChart(manifest, source, { index, name, named })
      const release = () => chartOfApplication(manifest, source, { id, name, namespace, target, sources, named })
      named.skipRelease(manifest, id, release, reason)
      continue
    }
    const written = textAt(source.path)
    const place = inside('', written.replace(/^\/+/, '') || '.')
    // A chart of Applications gets its own repository from what installs it.
    const isGiven =
      url === '' && bringer?.source.origin === 'discovered' && place !== undefined && checkout.tree.at(place).length > 0
    if (place === undefined || !(isGiven || named.isHere(url, place))) {
      const where = [url, written].filter(Boolean).join(' ')
      named.skip(manifest, 'source-elsewhere', `${where} is not in this repository`)
      continue
    }
    // A config management plugin usually runs helm or kustomize, plus some additional steps.
    const isPlugin = source.plugin.exists
    if (isPlugin)
      named.skip(manifest, 'plugin', `a plugin generates its manifests from ${written}, so they are unknown`)
    const common = {
      id: `argocd:${manifest.origin.path}:${name}:${place}${index > 0 ? `:${index}` : ''}${isPlugin ? ':plugin' : ''}${bringer ? `:${bringer.source.id}` : ''}`,
      origin: 'named' as const,
      target,
      declaredAt: declarationSite(manifest),
      ...(bringer ? { definitionFiles: bringer.definitionFiles } : {}),
    }
    if (checkout.has(path.join(place, 'Chart.yaml'))) {
      const { helm } = source
      const values = valuesOf(manifest, source, { chart: place, sources }, named)
      if (!values) continue
      named.add(
        {
          ...common,
          // The source may not render without values that only the plugin knows.
          ...(isPlugin ? { origin: 'discovered' as const } : {}),
          kind: 'helm',
          chart: place,
          values,
          release: textAt(helm.at('releaseName')) || name,
          namespace: textAt(helm.at('namespace')) || namespace,
          ...helmOptionsOf(source),
        },
        manifest,
      )
    } else if (!named.isIgnored(place) && named.kustomization(place)) {
      const kustomize = fieldsOf(source.kustomize.value)
      const overlay = overlayOf(kustomize)
      const components = componentsOf(kustomize, place, checkout)
      named.add(
        {
          ...common,
          kind: 'kustomize',
          root: place,
          namespace,
          ...(overlay ? { overlay } : {}),
          ...(components.length > 0 ? { components } : {}),
        },
        manifest,
      )
    } else if (named.isIgnored(place)) {
      named.skip(manifest, 'ignored', `${written || '.'} is excluded by \`ignore\``)
    } else if (checkout.tree.at(place).length > 0) {
      plainFiles(place, source, name, named)
    } else if (!isMainRevision(textAt(source.targetRevision))) {
      const reason = `${[url, written].filter(Boolean).join(' ')} of ${textAt(source.targetRevision)} is not in this revision`
      named.skip(manifest, 'source-elsewhere', reason)
    } else if (!isPlugin) {
      named.skip(manifest, 'folder-missing', missingFolder(place))
      // Rendering reports the missing folder, at the line that names it.
      const declaredAt = siteOfFolder(manifest, source.path)
      const missing = { ...common, declaredAt, chart: place, values: [], set: {}, release: name, namespace }
      named.add({ ...missing, kind: 'helm' }, manifest)
    }
  }
}

/**
 * A folder of plain manifests is judged file by file; its owner matters only when a change removes the last one.
 * Source: https://argo-cd.readthedocs.io/en/stable/user-guide/directory/#including-only-certain-files
 */
function plainFiles(place: string, { directory }: ApplicationSource, application: string, named: GitOpsSources): void {
  const { plain, unfollowedLinks } = named
  const { checkout } = named.repositoryIndex
  const start = place === '' ? 0 : place.length + 1
  const [include, exclude] = [textAt(directory.at('include')), textAt(directory.at('exclude'))]
  const recurses = directory.at('recurse').value === true
  for (const file of checkout.below(place)) {
    const inPlace = file.slice(start)
    if (!recurses && inPlace.includes('/')) continue
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
