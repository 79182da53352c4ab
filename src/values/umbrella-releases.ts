import path from 'node:path/posix'
import { inflatedChart } from '../kubernetes/charts/chart-release'
import { Lines } from '../manifest/lines'
import type { LoadedObject, ValuesFile } from '../manifest/load'
import { Manifest, ownGroup } from '../manifest/manifest'
import { findPair } from '../manifest/map-pairs'
import { isAlias, isMap, nodeOf } from '../manifest/nodes'
import type { Checkout } from '../revision/checkout'
import type { RenderedSide } from '../sides/rendered-side'
import { type Chart, type Dependency, localFolderOf, readChart, vendored } from '../sources/chart'
import type { InflatedChart } from '../sources/inflated-chart'
import type { HelmSource } from '../sources/source'
import type { ReleaseFiles } from './release-files'

/** A remote chart that a chart of the repository includes, as a release of its own. */
interface UmbrellaRelease {
  readonly object: LoadedObject
  /** The file that asks for it. */
  readonly path: string
}

/** The name of values that are not read. */
const unread = '<values from elsewhere>'

/**
 * The remote charts that a chart includes and that keep it from being rendered whole. Each gets the values below its
 * name or alias: https://helm.sh/docs/chart_template_guide/subcharts_and_globals/
 */
export async function umbrellaReleases(
  { source, failure, partial }: RenderedSide,
  checkout: Checkout,
  files: ReleaseFiles,
): Promise<UmbrellaRelease[]> {
  if ((!failure && !partial) || source.kind !== 'helm' || source.origin === 'probed') return []
  if (!checkout.has(path.join(source.chart, 'Chart.yaml'))) return []
  const chart = await readChart(checkout, source.chart)
  const remote = chart.dependencies.filter(
    (one) => !vendored(checkout, chart, one) && localFolderOf(chart, one) === undefined && one.repository !== '',
  )
  const found: UmbrellaRelease[] = []
  for (const dependency of remote) {
    const whole = await files.release(await releaseOf(dependency, source, chart, checkout))
    const its = new Map([...(whole.context?.files ?? [])].map(([name, of]) => [name, of.map(below(dependency.as))]))
    if (isOff(dependency, whole)) continue
    found.push({ object: { ...whole, context: { ...whole.context, files: its } }, path: dependency.at.path })
  }
  return found
}

async function releaseOf(
  { name, as, repository, version, at }: Dependency,
  source: HelmSource,
  chart: Chart,
  checkout: Checkout,
): Promise<InflatedChart> {
  const own = path.join(chart.folder, 'values.yaml')
  const paths = [...Object.keys(source.set), ...(source.parameters ?? []).map(({ assignment }) => assignment)]
  const isSet = paths.some((key) => key === as || key.startsWith(`${as}.`) || key.startsWith(`${as}=`))
  const values = source.values.flatMap((one) => ('path' in one ? one.path : one.text.includes(as) ? unread : []))
  const entry = {
    name,
    repo: repository,
    version,
    releaseName: source.release,
    additionalValuesFiles: [...(checkout.has(own) ? [own] : []), ...values, ...(isSet ? [unread] : [])],
  }
  const [kind = ''] = inflatedChart.split('.')
  const fileText = (await checkout.text(at.path)) ?? ''
  const object: LoadedObject = {
    ref: { group: ownGroup, kind, namespace: source.namespace, name: nameOfDependency(source, as) },
    apiVersion: '',
    node: nodeOf(entry),
    content: JSON.stringify(entry),
    fileText,
    lines: new Lines(fileText),
    region: at.region,
    duplicateKeys: [],
    regionOf: () => at.region,
    resolve: () => undefined,
  }
  return {
    name,
    repo: repository,
    version,
    folder: '',
    vendored: false,
    path: at.path,
    region: at.region,
    from: '',
    object,
  }
}

/** The name of a dependency of a release, which is an object of its own: `shop/ingress-nginx`. */
export function nameOfDependency({ release }: Pick<HelmSource, 'release'>, as: string): string {
  return `${release}/${as}`
}

/** The values that an included chart gets from a file of values. */
function below(key: string): (file: ValuesFile) => ValuesFile {
  return (file) => {
    const value = isMap(file.node) ? findPair(file.node, key, file.resolve)?.value : undefined
    const node = isAlias(value) ? file.resolve(value) : value
    return { ...file, node: node ?? nodeOf(null) }
  }
}

/** Whether the values disable an included chart: the first path of its condition that is set decides. */
function isOff({ condition }: Dependency, { context, ...object }: LoadedObject): boolean {
  const files = [...(context?.files.values() ?? [])].flat().toReversed()
  const roots = files.map((file) => new Manifest({ ...object, ...file }, 'head', { kind: 'file', path: '' }, []).root)
  for (const one of condition.split(',')) {
    const values = roots.map((root) => root.at(...one.trim().split('.')).value)
    const set = values.find((value) => typeof value === 'boolean')
    if (set !== undefined) return !set
  }
  return false
}
