import { type ApplicationSource, valueFilesOf } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import type { Values } from '../../sources/source'
import type { ChartElsewhere, WantedChart } from '../common/chart-elsewhere'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'
import { helmOptionsOf, valuesOf } from './application-values'
import type { NamedApplication } from './named-application'

/** A placeholder for the folder of a chart that is not fetched yet. */
const unknownFolder = '.git/charts/unknown'

/** The fields of an Application besides the source that installs the chart. */
interface ApplicationContext {
  readonly id: string
  readonly application: NamedApplication
  readonly named: GitOpsSources
}

/** The id of the release of a source of an Application, the same for each version of its chart. */
export function idOfChart(
  manifest: Manifest,
  { chart }: ApplicationSource,
  { index, name, named }: Pick<ApplicationContext, 'named'> & { readonly index: number; readonly name: string },
): string {
  const bringer = named.bringerOf(manifest)
  const which = `${index > 0 ? `:${index}` : ''}${bringer ? `:${bringer.source.id}` : ''}`
  return `argocd:${manifest.origin.path}:${name}:chart ${textAt(chart)}${which}`
}

/** The release of a source of an Application that has a `chart`. */
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
  const values = (folder: string, held: Checkout): Values[] | undefined => {
    let isKnown = true
    const skip = () => {
      isKnown = false
    }
    const isHere = (url: string, file: string) => named.isHere(url, file)
    const siteOf: GitOpsSources['siteOf'] = (...of) => named.siteOf(...of)
    const where = { isHere, siteOf, skip, repositoryIndex: { checkout: held } }
    const found = source.plugin.exists ? undefined : valuesOf(manifest, source, { chart: folder, sources }, where)
    return isKnown ? found : undefined
  }
  return {
    id,
    manifest,
    release,
    namespace,
    wanted: () => (values(unknownFolder, checkout) ? wantedBy(source) : undefined),
    version: source.targetRevision.exists ? source.targetRevision : source.chart,
    place: source.repoURL,
    inputs: [
      source.chart.manifest.object.content,
      JSON.stringify(target),
      ...valueFilesOf(source).map(({ path }) => checkout.idOf(path.replace(/^\/+/, ''))),
    ],
    sources(folder, held) {
      const its = values(folder, held)
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
