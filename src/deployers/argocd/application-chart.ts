import path from 'node:path/posix'
import { type ApplicationSource, valueFilesOf } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { heldFolderOf } from '../../revision/held-files'
import { inside } from '../../sources/kustomization'
import { overlayOf } from '../../sources/overlay'
import type { KustomizeSource, Values } from '../../sources/source'
import { fieldsOf } from '../../sources/untyped'
import type { ChartElsewhere, NotRendered, WantedChart } from '../common/chart-elsewhere'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'
import { helmOptionsOf, valuesOf } from './application-values'
import type { NamedApplication } from './named-application'
import { discoveredType, explicitTypes } from './source-type'

/** A placeholder for the folder of a chart or of a tree that is not fetched yet. */
const unknownFolder = '.git/charts/unknown'

/** Files by which the folder itself changes the source. */
const overrides = ['.argocd-source.yaml', '.argocd-source-']

/** The fields of an Application besides the source that installs the chart. */
interface ApplicationContext {
  readonly id: string
  readonly application: NamedApplication
  readonly named: GitOpsSources
}

/** The id of the release of a source of an Application, the same for each version of its chart. */
export function idOfChart(
  manifest: Manifest,
  { chart, path: folder }: ApplicationSource,
  { index, name, named }: Pick<ApplicationContext, 'named'> & { readonly index: number; readonly name: string },
): string {
  const bringer = named.bringerOf(manifest)
  const which = `${index > 0 ? `:${index}` : ''}${bringer ? `:${bringer.source.id}` : ''}`
  const what = chart.exists ? `chart ${textAt(chart)}` : `folder ${textAt(folder)}`
  return `argocd:${manifest.origin.path}:${name}:${what}${which}`
}

/**
 * The release of a source of an Application whose chart is not in this repository: a `chart`, or a `path` of another
 * Git repository.
 */
export function chartOfApplication(
  manifest: Manifest,
  source: ApplicationSource,
  { id, application, named }: ApplicationContext,
): ChartElsewhere {
  const { name, namespace: destination, target, sources } = application
  const { helm } = source
  const { checkout } = named.repositoryIndex
  const bringer = named.bringerOf(manifest)
  const release = textAt(helm.at('releaseName')) || name
  const namespace = textAt(helm.at('namespace')) || destination
  const values = (folder: string, held: Checkout): readonly Values[] | undefined => {
    let isKnown = true
    const skip = () => {
      isKnown = false
    }
    const isHere = (url: string, file: string) => named.isHere(url, file)
    const siteOf: GitOpsSources['siteOf'] = (...of) => named.siteOf(...of)
    const where = { isHere, siteOf, skip, repositoryIndex: { checkout: held } }
    const root = source.chart.exists ? '' : heldFolderOf(folder)
    const found = source.plugin.exists ? undefined : valuesOf(manifest, source, { chart: folder, sources, root }, where)
    return isKnown ? found?.values : undefined
  }
  const wanted = (): WantedChart | undefined => {
    if (source.chart.exists) return values(unknownFolder, checkout) ? wantedBy(source) : undefined
    const folder = inside('', textAt(source.path).replace(/^\/+/, '') || '.')
    const its = folder === undefined ? undefined : values(path.join(unknownFolder, folder), checkout)
    return folder !== undefined && its ? wantedTree(source, folder, its) : undefined
  }
  return {
    id,
    manifest,
    release,
    namespace,
    wanted,
    version: [source.targetRevision, source.chart, source.path].find(({ exists }) => exists) ?? source.repoURL,
    place: source.repoURL,
    inputs: [
      source.repoURL.manifest.object.content,
      JSON.stringify(target),
      ...valueFilesOf(source).map(({ path }) => checkout.idOf(path.replace(/^\/+/, ''))),
    ],
    ...(source.chart.exists ? {} : { mayBeNoChart: true as const }),
    sources(folder, held) {
      const type = source.chart.exists ? 'helm' : typeOfFolder(source, folder, held)
      if (typeof type === 'object') return type
      if (type === 'kustomize' && source.kustomize.at('components', 0).exists)
        return { reason: 'the Application adds components to its Kustomization, which are not read' }
      if (type === 'kustomize') return [kustomizationOf(source, folder, { id, application, named })]
      const its = values(folder, held)
      const isOverridden = (file: string) =>
        overrides.some((name) => path.basename(file).startsWith(name)) && path.dirname(file) === folder
      if (held.below(folder).some(isOverridden))
        return { reason: 'a file .argocd-source.yaml in the folder overrides the Application, and is not read' }
      if (!its?.every((one) => !('path' in one) || held.has(one.path))) return undefined
      return [
        {
          kind: 'helm',
          id,
          origin: 'named',
          target,
          declaredAt: declarationSite(manifest),
          ...(bringer ? { definitionFiles: bringer.definitionFiles } : {}),
          chart: folder,
          values: its,
          release,
          namespace,
          ...helmOptionsOf(source, application),
        },
      ]
    },
  }
}

/** A repository without a scheme is one of a registry: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ */
function wantedBy({ chart, repoURL, targetRevision, tagPrefix }: ApplicationSource): WantedChart | undefined {
  const [name, url] = [textAt(chart), textAt(repoURL)]
  if (name === '' || url === '' || textAt(tagPrefix) !== '') return undefined
  const repository = url.includes('://') ? url : `oci://${url}`
  return { request: { kind: 'chart', repository, chart: name, version: textAt(targetRevision) }, folder: '' }
}

/** Only charts and Kustomizations are rendered: what else is in a folder may be no manifest. */
function typeOfFolder(source: ApplicationSource, folder: string, held: Checkout): 'helm' | 'kustomize' | NotRendered {
  const [first, second] = explicitTypes(source, new Map())
  const type = first === undefined ? discoveredType(folder, held) : first
  if (second === undefined && type !== 'directory' && type !== 'plugin') return type
  return { reason: 'it is no chart and no Kustomization, and plain files of another repository are not read' }
}

function kustomizationOf(source: ApplicationSource, root: string, context: ApplicationContext): KustomizeSource {
  const { id, application, named } = context
  const { manifest, namespace, target } = application
  const bringer = named.bringerOf(manifest)
  const overlay = overlayOf(fieldsOf(source.kustomize.value))
  return {
    kind: 'kustomize',
    id,
    origin: 'named',
    target,
    declaredAt: declarationSite(manifest),
    ...(bringer ? { definitionFiles: bringer.definitionFiles } : {}),
    root,
    namespace,
    ...(overlay ? { overlay, overlaidAt: named.siteOf(manifest, source.kustomize) } : {}),
  }
}

/** The tree of a chart: the folder with its neighbors, which it may include, and the values files beside it. */
function wantedTree(
  { repoURL, targetRevision }: ApplicationSource,
  folder: string,
  values: readonly Values[],
): WantedChart | undefined {
  const [repository, revision] = [textAt(repoURL), textAt(targetRevision)]
  if (repository === '' || ['$', '{{'].some((mark) => `${repository}${revision}`.includes(mark))) return undefined
  const files = values.flatMap((one) =>
    'path' in one && one.path.startsWith(`${unknownFolder}/`) ? [one.path.slice(unknownFolder.length + 1)] : [],
  )
  const folders = [...new Set([folder, ...files].map((place) => place.split('/', 1)[0] ?? ''))]
  const some = folders.includes('') ? {} : { folders: folders.sort() }
  return { request: { kind: 'tree', repository, ...(revision ? { revision } : {}), ...some }, folder }
}
