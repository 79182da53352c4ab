import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { readK3sChart } from '../../gitops/helm-chart'
import type { Manifest } from '../../manifest/manifest'
import { type ChartRelease, chartFactsNamed, versionAt } from './chart-release'
import { hiddenIf, layersOf, ReleaseValues } from './release-values'

/** A chart that a distribution of Kubernetes installs by itself. */
interface Bundled {
  readonly chart: string
  /** The paths of the values that differ from those of the chart, as the distribution sets them or changed the chart. */
  readonly set: readonly string[]
}

/**
 * Sources: https://github.com/k3s-io/k3s/blob/master/manifests/traefik.yaml and
 * https://github.com/rancher/rke2-charts/tree/main/charts
 */
const bundledCharts: Readonly<Record<string, Bundled>> = {
  traefik: { chart: 'traefik', set: ['image', 'providers.kubernetesIngress.publishedService'] },
  'rke2-traefik': {
    chart: 'traefik',
    set: [
      'deployment.kind',
      'image',
      'ingressClass',
      'ports',
      'providers.kubernetesIngress.publishedService',
      'service',
    ],
  },
  'rke2-ingress-nginx': {
    chart: 'ingress-nginx',
    set: [
      'controller.admissionWebhooks',
      'controller.extraArgs',
      'controller.hostNetwork',
      'controller.hostPort',
      'controller.image',
      'controller.ingressClassResource.default',
      'controller.kind',
      'controller.publishService',
      'controller.service',
      'controller.watchIngressWithoutClass',
    ],
  },
}

/**
 * The release that K3s or RKE2 brings itself, by the HelmChartConfig with a user's values for it; its chart and version are those of
 * the cluster. https://docs.k3s.io/add-ons/helm#customizing-packaged-components-with-helmchartconfig
 */
export function bundledReleasesOf(manifest: Manifest, snapshot: Snapshot | undefined): ChartRelease[] {
  const { ref, root } = manifest
  const bundled = ref.namespace === 'kube-system' ? entryOf(bundledCharts, ref.name) : undefined
  const facts = bundled && chartFactsNamed(bundled.chart, '')
  const isReplaced = (snapshot?.get({ ...ref, kind: 'HelmChart' }) ?? []).length > 0
  if (!facts || isReplaced) return []
  const { valuesContent, valuesSecrets, set, version } = readK3sChart(root)
  const layers = [...hiddenIf(valuesSecrets.exists), ...layersOf([valuesContent.nested])]
  const single = [...set.entries()].map(([path]) => path)
  const values = new ReleaseValues(valuesContent, layers, [...bundled.set, ...single])
  return [
    {
      facts,
      manifest,
      name: ref.name,
      namespace: ref.namespace,
      cluster: '',
      ...versionAt(facts, version),
      values,
      parts: [],
    },
  ]
}
