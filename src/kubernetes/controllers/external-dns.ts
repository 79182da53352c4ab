import { parseImage } from '../../cluster/image'
import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { inlineValuesOf, readApplication } from '../../gitops/application'
import { readK3sChart } from '../../gitops/helm-chart'
import { readHelmRelease } from '../../gitops/helm-release'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { releaseKinds } from '../charts/chart-release'
import { Arguments } from '../workload/arguments'

/** The external-dns of a cluster that deletes a record as soon as its Ingress has no address. */
export function pruningDnsIn(snapshot: Snapshot): Manifest | undefined {
  const workload = workloadKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .find((one) => [...podOf(one).at('spec', 'containers').items()].some(prunesForIngresses))
  return workload ?? releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).find(installsPruning)
}

/**
 * Whether a release of its remote chart is configured to prune: by default it is not, in the charts of kubernetes-sigs
 * and of Bitnami. Source:
 * https://github.com/kubernetes-sigs/external-dns/blob/external-dns-helm-chart-1.15.0/charts/external-dns/values.yaml
 */
function installsPruning({ root }: Manifest): boolean {
  return chartsIn(root).some(
    ([chart, values]) =>
      chart.string?.split('/').at(-1) === 'external-dns' &&
      values?.at('policy').string === 'sync' &&
      looksAtIngresses(values.at('sources')),
  )
}

/** The charts that an object installs, each with the values that are written in the object. */
function chartsIn(root: Cursor): (readonly [chart: Cursor, values: Cursor | undefined])[] {
  const { chart, values } = readHelmRelease(root)
  const k3s = readK3sChart(root)
  const sources = [root, root.at('spec', 'template')].flatMap((one) => readApplication(one).sources)
  return [
    [chart.chart, values],
    [k3s.chart, k3s.valuesContent.nested],
    ...sources.map((source) => [source.chart, inlineValuesOf(source).map] as const),
  ]
}

/** Ingresses are among the sources unless these are given without them. */
function looksAtIngresses(sources: Cursor): boolean {
  return !sources.exists || [...sources.items()].some(({ string }) => string === 'ingress')
}

/**
 * Whether it prunes, with the policy `sync`, which was the default while there was one, and reads Ingresses as one of
 * its sources. Source: https://github.com/kubernetes-sigs/external-dns/blob/master/docs/flags.md
 */
function prunesForIngresses(container: Cursor): boolean {
  const { repository } = parseImage(container.at('image').string ?? '')
  if (!/(?:^|\/)external-dns$/.test(repository)) return false
  const args = new Arguments(container)
  const variable = [...container.at('env').items()].find((one) => one.at('name').string === 'EXTERNAL_DNS_POLICY')
  const policy = args.get('policy')?.value ?? variable?.at('value').string ?? 'sync'
  const sources = args.all('source').map(({ value }) => value)
  return policy === 'sync' && (sources.length === 0 || sources.includes('ingress'))
}
