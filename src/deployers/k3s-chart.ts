import { readK3sChart } from '../gitops/helm-chart'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import { loadFile } from '../manifest/load'
import { groupKindOf, Manifest, type Side } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import type { Parameter, Values } from '../sources/source'
import type { ChartElsewhere, WantedChart } from './common/chart-elsewhere'
import { declarationSite } from './common/gitops-sources'

const group = 'helm.cattle.io'

/**
 * The releases that HelmCharts of K3s install, by their ids. https://docs.k3s.io/add-ons/helm
 *
 * @param isPlain whether a file is applied as it is
 */
export async function k3sReleases(
  checkout: Checkout,
  side: Side,
  isPlain: (file: string) => boolean,
): Promise<Map<string, () => ChartElsewhere>> {
  const texts = await checkout.mentioning([...checkout.tree.files.keys()].filter(isPlain), [group])
  const objects = [...texts].flatMap(([path, text]) =>
    loadFile({ text }, (document) => mentions(document, group)).objects.map(
      (object) => new Manifest(object, side, { kind: 'file', path }, []),
    ),
  )
  const ofKind = (kind: string) => objects.filter(({ ref }) => groupKindOf(ref) === kind)
  const configs = ofKind(gitOpsKind.k3sChartConfig)
  return new Map(
    ofKind(gitOpsKind.k3sChart).map((manifest) => {
      const { name, namespace } = manifest.ref
      const id = `k3s:${manifest.origin.path}:${namespace}/${name}`
      return [
        id,
        () =>
          releaseOf(
            manifest,
            id,
            configs.filter(({ ref }) => ref.name === name && ref.namespace === namespace),
          ),
      ]
    }),
  )
}

function releaseOf(manifest: Manifest, id: string, configs: readonly Manifest[]): ChartElsewhere {
  const { ref, root, object, origin } = manifest
  const chart = readK3sChart(root)
  const namespace = textAt(chart.targetNamespace) || ref.namespace || 'default'
  const target = { path: origin.path }
  const parts = [manifest, ...configs]
  return {
    id,
    manifest,
    release: ref.name,
    namespace,
    wanted: () => (parts.every(({ root: at }) => isKnown(at)) ? wantedBy(root) : undefined),
    version: chart.version.exists ? chart.version : chart.chart,
    place: chart.repo.exists ? chart.repo : chart.chart,
    inputs: [object.content, ...configs.map((config) => config.object.content)],
    sources: (folder) => [
      {
        kind: 'helm',
        id,
        origin: 'named',
        target,
        declaredAt: declarationSite(manifest),
        definitionFiles: configs.map((config) => config.origin.path),
        chart: folder,
        values: parts.flatMap(valuesOf),
        set: {},
        parameters: parts.flatMap(({ root: at }) => parametersOf(at)),
        release: ref.name,
        namespace,
      },
    ],
  }
}

/** Whether all of its values are in the repository. */
function isKnown(root: Cursor): boolean {
  const { valuesSecrets, chartContent } = readK3sChart(root)
  const hasMore = root.at('spec', 'values').exists
  // K3s replaces `%{KUBERNETES_API}%` and the like by addresses of the cluster.
  return (
    !valuesSecrets.exists && !chartContent.exists && !hasMore && !JSON.stringify(root.at('spec').value).includes('%{')
  )
}

function wantedBy(root: Cursor): WantedChart | undefined {
  const { chart, repo, version } = readK3sChart(root)
  const [name, url] = [textAt(chart), textAt(repo)]
  const request = (repository: string, its: string) => ({
    request: { kind: 'chart' as const, repository, chart: its, version: textAt(version) },
    folder: '',
  })
  if (name.startsWith('oci://')) return request(name, '')
  return name === '' || url === '' || name.includes('/') ? undefined : request(url, name)
}

function valuesOf({ root, origin, ref }: Manifest): Values[] {
  const text = textAt(readK3sChart(root).valuesContent)
  return text === '' ? [] : [{ text, name: `${ref.kind} ${ref.name} in ${origin.path}` }]
}

/**
 * As the controller passes them to helm:
 * https://github.com/k3s-io/helm-controller/blob/master/pkg/controllers/chart/chart.go
 */
function parametersOf(root: Cursor): Parameter[] {
  const { set } = readK3sChart(root)
  return [...set.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { value }]) => {
      const isText = typeof value === 'string' && !['', 'true', 'false', 'null'].includes(value)
      const written = typeof value === 'string' && isText ? value.replaceAll(',', '\\,') : String(value)
      return { assignment: `${key}=${written}`, isText }
    })
}
