import { Manifest, type Side } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { asciiJson } from '../../sources/ascii-json'
import type { HelmSource, Values } from '../../sources/source'
import type { ChartElsewhere, WantedChart } from '../common/chart-elsewhere'
import type { FileDeployments, ReleaseElsewhere } from '../common/file-deployments'
import { declarationSite } from '../common/gitops-sources'

/** The releases of charts from elsewhere that files of Fleet and helmfile declare, by their ids. */
export function releasesOfFiles(
  { releases }: FileDeployments,
  checkout: Checkout,
  side: Side,
): Map<string, () => ChartElsewhere> {
  return new Map(releases.map((release) => [release.id, () => chartOf(release, checkout, side)]))
}

function chartOf(release: ReleaseElsewhere, checkout: Checkout, side: Side): ChartElsewhere {
  const { id, path, name, object, files, parameters = [], postRenderers, patches, place } = release
  const manifest = new Manifest(object, side, { kind: 'file', path }, [])
  const { cluster = '', layers = [], version = [] } = object.context?.release ?? {}
  const namespace = object.ref.namespace || 'default'
  const target = cluster === '' ? { path } : { cluster }
  const values = layers.flatMap((layer): Values[] => {
    if ('file' in layer) return [{ path: layer.file }]
    if (!('keys' in layer) || layer.parameters) return []
    return [{ text: asciiJson(manifest.root.at(...layer.keys).value), name: `the values in ${path}` }]
  })
  const isWhole = release.parameters !== undefined && layers.every((layer) => !('hidden' in layer))
  const wanted = () => (isWhole && files.every((file) => checkout.has(file)) ? wantedBy(release, manifest) : undefined)
  const written = manifest.root.at(...version)
  return {
    id,
    manifest,
    release: name,
    namespace,
    wanted,
    version: written.exists ? written : place,
    place,
    inputs: [
      JSON.stringify([wantedBy(release, manifest), target, namespace, values, parameters, postRenderers?.renderers]),
      ...files.map((file) => checkout.idOf(file)),
    ],
    sources: (folder): HelmSource[] => [
      {
        kind: 'helm',
        id,
        origin: 'named',
        target,
        declaredAt: declarationSite(manifest),
        chart: folder,
        values,
        set: {},
        parameters,
        ...(postRenderers ? { postRenderers, definitionFiles: patches } : {}),
        release: name,
        namespace,
      },
    ],
  }
}

/** A chart of an HTTP repository or a registry; archives and folders of Git are not followed. */
function wantedBy({ chart, repository, object }: ReleaseElsewhere, { root }: Manifest): WantedChart | undefined {
  const version = String(root.at(...(object.context?.release?.version ?? [])).value ?? '')
  if (!/^(?:https?|oci):\/\//.test(repository) || /\{\{|\$/.test(`${chart}${repository}${version}`)) return undefined
  if (repository === chart && !repository.startsWith('oci:')) return undefined
  const isWhole = repository === chart || (repository.startsWith('oci:') && repository.endsWith(`/${chart}`))
  return { request: { kind: 'chart', repository, chart: isWhole ? '' : chart, version }, folder: '' }
}

/** The releases of a side that are not rendered with a fetched chart. */
export function unfetched(
  { releases }: Pick<FileDeployments, 'releases'>,
  sources: readonly { readonly id: string }[],
): ReleaseElsewhere[] {
  const ids = new Set(sources.map(({ id }) => id))
  return releases.filter(({ id }) => !ids.has(id))
}
