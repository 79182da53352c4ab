import type { Platform, PlatformCluster } from '../ledger/platform'
import { abridged, enumerated } from '../listing'
import { withCommas } from '../with-commas'
import { visible } from './words/visible'
import { count } from './words/wording'

/** The number of folders and components that are named, and of clusters that are listed. */
const most = { folders: 4, components: 8, clusters: 12 }

/** The parts of a repository, in lines for a terminal. */
export function platformLines({ charts, kustomizations, deployers, clusters }: Platform): string[] {
  const written = [
    ...(charts.length > 0 ? [`${count(charts.length, 'chart')} (${abridged(charts, most.folders)})`] : []),
    ...(kustomizations.length > 0
      ? [`${count(kustomizations.length, 'Kustomization')} (${abridged(kustomizations, most.folders)})`]
      : []),
  ]
  const by = deployers.map(({ name, number }) => `${name} (${withCommas(number)})`)
  const shown = clusters.slice(0, most.clusters)
  return [
    `layout: ${enumerated(written) || 'plain manifests'}`,
    `deployed by: ${enumerated(by) || 'nothing that its files show'}`,
    ...shown.map(clusterLine),
    ...(clusters.length > shown.length ? [`and ${count(clusters.length - shown.length, 'more cluster')}`] : []),
  ].map((line) => visible(line))
}

function clusterLine({ name, kubernetes, components }: PlatformCluster): string {
  const version = kubernetes === undefined ? 'Kubernetes version unknown' : `Kubernetes ${kubernetes}`
  const runs = components.length > 0 ? [`runs ${abridged(components, most.components)}`] : []
  return `${name === '' ? 'cluster' : `cluster ${name}`}: ${[version, ...runs].join('; ')}`
}
