import path from 'node:path/posix'
import { type Snapshot, snapshotsOf } from '../cluster/snapshot'
import { gitOpsKind } from '../gitops/kinds'
import { controllersHere } from '../kubernetes/controllers/controller'
import { componentsIn, isMain } from '../kubernetes/versions/component'
import type { Platform, PlatformCluster } from '../ledger/platform'
import { type GroupKind, groupKindOf } from '../manifest/manifest'
import type { AccountInput } from './account-for-files'
import { descriptionsOf } from './read-rest'

/** The deployers, with the kinds of their objects. */
const deployers: readonly (readonly [string, readonly GroupKind[]])[] = [
  ['Argo CD', [gitOpsKind.application, gitOpsKind.applicationSet]],
  ['Flux', [gitOpsKind.fluxKustomization, gitOpsKind.helmRelease]],
  ['the Helm controller of K3s', [gitOpsKind.k3sChart]],
]

/** Finds the deployers of the head and the components of its clusters. */
export function platformOf({ sides, compared }: Pick<AccountInput, 'sides' | 'compared'>): Platform {
  const { tree } = sides.head.checkout
  const { sources, kustomizations, fileDeployments, objects } = sides.head.discovery
  const charts = [...tree.entries.keys()]
    .filter((file) => path.basename(file) === 'Chart.yaml' && !tree.ignores(file))
    .map((file) => path.dirname(file))
    .sort()
  const alone = sources.flatMap((source) =>
    source.kind === 'helm' && source.origin === 'discovered' ? [source.chart || '.'] : [],
  )
  const kinds = objects.map(({ ref }) => groupKindOf(ref))
  const files = [...fileDeployments.files].map((file) => path.basename(file))
  const ofFleet = files.filter((name) => name.startsWith('fleet.')).length
  const snapshots = snapshotsOf(compared.after, descriptionsOf(sides).head.manifests)
  return {
    charts,
    kustomizations: [...kustomizations.keys()].map((folder) => folder || '.').sort(),
    idleCharts: [...new Set(alone)].sort(),
    deployers: [
      ...deployers.map(([name, its]) => ({ name, number: kinds.filter((kind) => its.includes(kind)).length })),
      { name: 'Fleet', number: ofFleet },
      { name: 'helmfile', number: files.length - ofFleet },
    ].filter(({ number }) => number > 0),
    clusters: [...snapshots].map(([name, snapshot]) => clusterOf(name, snapshot)).sort(byName),
  }
}

function clusterOf(name: string, snapshot: Snapshot): PlatformCluster {
  const kubernetes = snapshot.facts.kubernetes?.value
  const controllers = controllersHere(snapshot).map(({ facts, release }) => named(facts.title, release))
  const components = componentsIn(snapshot)
    .filter(isMain)
    .map(({ facts, release }) => named(facts.title, release))
  return {
    name,
    ...(kubernetes === undefined ? {} : { kubernetes }),
    components: [...new Set([...controllers, ...components])].sort(),
  }
}

function named(title: string, release: string | undefined): string {
  return release === undefined ? title : `${title} ${release}`
}

function byName(a: PlatformCluster, b: PlatformCluster): number {
  return a.name < b.name ? -1 : 1
}
