import path from 'node:path/posix'
import { type ApplicationSource, isOwnCluster, isReferenceOnly, readApplication } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { inside } from '../../sources/kustomization'
import { componentsOf, overlayOf } from '../../sources/overlay'
import type { DeclarationSite } from '../../sources/source'
import { fieldsOf } from '../../sources/untyped'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'
import { isMainRevision, missingFolder } from '../common/missing-folder'
import { argoRevision } from '../common/tracked-revision'
import { chartOfApplication, idOfChart } from './application-chart'
import { helmOptionsOf, valuesOf } from './application-values'
import { namePlainFiles } from './argocd-directory'
import { findMissingValues } from './missing-values'
import type { NamedApplication } from './named-application'
import { pluginValues } from './plugin-values'
import { siteOfPath } from './site-of-path'
import { type OverriddenSource, overridden } from './source-override'
import { discoveredType, type ExplicitType, explicitTypes, type SourceType } from './source-type'

/**
 * Adds the sources of an Application.
 *
 * @param manifest the Application, or the ApplicationSet that generates it
 */
export function nameSourcesOf(manifest: Manifest, root: Cursor, named: GitOpsSources): void {
  const { name: written, destination, sources, hydratedBranch } = readApplication(root)
  const own = named.bringerOf(manifest)?.source.target ?? { path: manifest.origin.path }
  const application: NamedApplication = {
    manifest,
    name: textAt(written),
    target: isOwnCluster(destination.cluster) ? own : { cluster: destination.cluster },
    namespace: textAt(destination.namespace) || 'default',
    project: textAt(root.at('spec', 'project')),
    sources: sources.filter(({ repoURL }) => repoURL.exists),
  }
  for (const [index, source] of application.sources.entries()) {
    if (!isReferenceOnly(source)) nameSource(source, index, application, named)
    else if (named.isThisRepository(textAt(source.repoURL))) trackRevision(source, application, named)
  }
  if (hydratedBranch.exists && application.sources.some(({ repoURL }) => named.isThisRepository(textAt(repoURL))))
    named.track(manifest, application.name, argoRevision(textAt(hydratedBranch)), hydratedBranch)
}

function nameSource(
  given: ApplicationSource,
  index: number,
  application: NamedApplication,
  named: GitOpsSources,
): void {
  const { manifest, name, namespace, target } = application
  const bringer = named.bringerOf(manifest)
  const { checkout, argoFiles } = named.repositoryIndex
  const url = textAt(given.repoURL)
  const id = idOfChart(manifest, given, { index, name, named })
  const release = () => chartOfApplication(manifest, given, { id, application, named })
  if (given.chart.exists) {
    findMissingValues(manifest, given, application.sources, named)
    const reason = `the chart ${textAt(given.chart)} of ${url} is not in this repository`
    named.skipRelease(manifest, id, release, reason, { at: named.siteOf(manifest, given.chart) })
    return
  }
  const written = textAt(given.path)
  const place = inside('', written.replace(/^\/+/, '') || '.')
  // A chart of Applications gets its own repository from what installs it.
  const isGiven =
    url === '' && bringer?.source.origin === 'discovered' && place !== undefined && checkout.tree.at(place).length > 0
  if (place === undefined || !(isGiven || named.isHere(url, place))) {
    const where = [url, written].filter(Boolean).join(' ')
    const at = named.siteOf(manifest, place === undefined ? given.path : given.repoURL)
    const reason = `${where} is not in this repository`
    findMissingValues(manifest, given, application.sources, named)
    if (place === undefined || named.isThisRepository(url)) named.skip(manifest, 'source-elsewhere', reason, { at })
    else named.skipRelease(manifest, id, release, reason, { cause: 'source-elsewhere', at })
    return
  }
  trackRevision(given, application, named)
  const override = overridden(given, place, { name, namespace: manifest.ref.namespace }, argoFiles)
  const { source } = override
  if (override.fault) {
    const { reason, ...at } = override.fault
    named.skip(manifest, 'source-override', `Argo CD cannot read ${at.path}: ${reason}`, { at })
    return
  }
  // A config management plugin usually runs helm or kustomize, plus some additional steps.
  const isPlugin = source.plugin.isMap
  if (isPlugin)
    named.skip(manifest, 'plugin', `a plugin generates its manifests from ${written}, so they are unknown`, {
      at: siteOfBlock('plugin', override, manifest, named),
    })
  const definitionFiles = [...new Set([...(bringer?.definitionFiles ?? []), ...override.mayChange])]
  const common = {
    id: `argocd:${manifest.origin.path}:${name}:${place}${index > 0 ? `:${index}` : ''}${isPlugin ? ':plugin' : ''}${bringer ? `:${bringer.source.id}` : ''}`,
    origin: 'named' as const,
    target,
    declaredAt: declarationSite(manifest),
    definitionFiles,
  }
  const type = typeOf(override, place, application, named)
  if (type === undefined) return
  if (type === 'helm') {
    const { helm } = source
    findMissingValues(manifest, source, application.sources, named, place)
    const values = valuesOf(manifest, source, { chart: place, sources: application.sources }, named)
    if (!values) return
    const { encrypted } = values
    if (encrypted?.length) {
      const reason = `it is rendered without ${encryptedValues(encrypted)}`
      named.skip(manifest, 'values-encrypted', reason, { at: named.siteOf(manifest, helm.at('valueFiles')) })
    }
    named.add(
      {
        ...common,
        // The source may not render without values that only the plugin knows.
        ...(isPlugin ? { origin: 'discovered' as const, byPlugin: true as const } : {}),
        kind: 'helm',
        chart: place,
        values: [...values.values, ...pluginValues(source.plugin, place, checkout)],
        ...(encrypted ? { encrypted } : {}),
        ...(encrypted?.length ? { lacking: encryptedValues(encrypted), incomplete: true as const } : {}),
        release: textAt(helm.at('releaseName')) || name,
        namespace: textAt(helm.at('namespace')) || namespace,
        ...helmOptionsOf(source, application),
      },
      manifest,
    )
  } else if (type === 'kustomize' && !named.isIgnored(place) && named.kustomization(place)) {
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
        ...(overlay || components.length > 0
          ? { overlaidAt: siteOfBlock('kustomize', override, manifest, named) }
          : {}),
      },
      manifest,
    )
  } else if (type === 'kustomize' && named.isIgnored(place)) {
    named.skip(manifest, 'ignored', `${written || '.'} is excluded by \`ignore\``)
  } else if (checkout.tree.at(place).length > 0) {
    const owner = { manifest, name: `the Application ${name}`, namespace, definitionFiles }
    namePlainFiles(place, source, owner, named)
  } else if (!isMainRevision(textAt(source.targetRevision))) {
    const reason = `${[url, written].filter(Boolean).join(' ')} of ${textAt(source.targetRevision)} is not in this revision`
    named.skip(manifest, 'source-elsewhere', reason)
  } else if (!isPlugin) {
    named.skip(manifest, 'folder-missing', missingFolder(place))
    // Rendering reports the missing folder, at the line that names it.
    const declaredAt = siteOfPath(manifest, source.path, named)
    const missing = { ...common, declaredAt, chart: place, values: [], set: {}, release: name, namespace }
    named.add({ ...missing, kind: 'helm' }, manifest)
  }
}

/** The values that only helm-secrets reads, as messages name them. */
function encryptedValues(files: readonly string[]): string {
  return `the values of ${abridged(files, 2)}, which only helm-secrets decrypts`
}

/**
 * Adds the folders that are not there and that a template of Applications names in each of them: which clusters or values
 * they get does not matter for that.
 */
export function nameMissingFolders(manifest: Manifest, template: Cursor, named: GitOpsSources): void {
  const { sources } = readApplication(template)
  for (const { repoURL, path: at, targetRevision, chart, plugin } of sources) {
    const [url, written, revision] = [repoURL, at, targetRevision].map(textAt)
    if (
      chart.exists ||
      plugin.exists ||
      !url ||
      !written ||
      [url, written, revision].some((one) => one?.includes('{{'))
    )
      continue
    const place = inside('', written.replace(/^\/+/, '') || '.')
    if (place === undefined || !named.isThisRepository(url) || !isMainRevision(revision ?? '')) continue
    if (named.repositoryIndex.checkout.tree.at(place).length > 0) continue
    const source = {
      id: `argocd:${manifest.origin.path}:${manifest.ref.name}:${place}`,
      origin: 'named' as const,
      target: named.bringerOf(manifest)?.source.target ?? { path: manifest.origin.path },
      declaredAt: siteOfPath(manifest, at, named),
      definitionFiles: [...(named.bringerOf(manifest)?.definitionFiles ?? [])],
    }
    const { name, namespace } = manifest.ref
    named.skip(manifest, 'folder-missing', missingFolder(place))
    named.add({ ...source, kind: 'helm', chart: place, values: [], set: {}, release: name, namespace }, manifest)
  }
}

function trackRevision(
  { targetRevision }: ApplicationSource,
  { manifest, name }: NamedApplication,
  named: GitOpsSources,
): void {
  named.track(manifest, name, argoRevision(textAt(targetRevision)), targetRevision)
}

/** The type that Argo CD gives a folder; undefined if it refuses the folder. */
function typeOf(
  override: OverriddenSource,
  place: string,
  { manifest }: NamedApplication,
  named: GitOpsSources,
): SourceType | undefined {
  const { checkout } = named.repositoryIndex
  if (checkout.tree.at(place).length === 0) return 'directory'
  const found = discoveredType(place, checkout)
  const explicit = explicitTypes(override.source, override.blocks)
  const [first, second] = explicit
  const refuse = (reason: string, block: ExplicitType | undefined) => {
    const at = block && siteOfBlock(block, override, manifest, named)
    named.skip(manifest, 'source-type', reason, at ? { at } : {})
    return undefined
  }
  if (second)
    return refuse(
      `its source has the blocks ${explicit.join(' and ')}, and Argo CD accepts only one of them`,
      explicit.find((type) => override.blocks.has(type)) ?? second,
    )
  const type = first === undefined || first === 'plugin' ? found : first
  const isChart = checkout.has(path.join(place, 'Chart.yaml'))
  if (type === 'helm' && !isChart) {
    // Argo CD takes every file with a name that ends like this for Helm's.
    const name = checkout.below(place).find((file) => file.endsWith('Chart.yaml'))
    const why = first ? 'its source has the block helm' : `the name of ${name} ends with Chart.yaml`
    return refuse(`${why}, and there is no Chart.yaml in ${place || '.'}, so Argo CD cannot render it`, first)
  }
  if (type === 'kustomize' && found !== 'kustomize' && named.kustomization(place) === undefined)
    return refuse(
      `its source has the block kustomize, and there is no Kustomization in ${place || '.'}, so Argo CD cannot build it`,
      first,
    )
  return type
}

/** The line of a block of a source: in the Application, or in the file that writes it. */
function siteOfBlock(
  block: ExplicitType,
  { source, blocks }: OverriddenSource,
  manifest: Manifest,
  named: GitOpsSources,
): DeclarationSite {
  return blocks.get(block) ?? named.siteOf(manifest, source[block])
}
