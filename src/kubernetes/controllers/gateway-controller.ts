import * as Type from 'typebox'
import rows from '../../../facts/gateway-controllers.yaml'
import { parseImage } from '../../cluster/image'
import { isStopped, lastingKinds, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { releaseKinds } from '../charts/chart-release'
import { comingReleases, isInstalled } from '../charts/coming-release'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { staysInCluster } from './controller-loss'

/** `facts/gateway-controllers.yaml` */
export const GatewayControllersFile = factsFile({
  controllers: Type.Array(Type.Object({ controller: text, images: texts, charts: texts, ...proof }, strict)),
})

const controllers = factsIn(GatewayControllersFile, rows).controllers.map((row) => ({
  ...row,
  pattern: new RegExp(row.images.join('|')),
}))
type GatewayController = (typeof controllers)[number]

const group = 'gateway.networking.k8s.io'
/** The kinds that say which controllers are needed. */
export const gatewayKinds = [
  `GatewayClass.${group}`,
  `Gateway.${group}`,
  'OCIRepository.source.toolkit.fluxcd.io',
] as const

/** The controller of a GatewayClass that a change takes away from Gateways which stay. */
export interface GatewayLoss {
  /** The object that runs or installs it. */
  readonly was: Manifest
  readonly how: 'gateways' | 'gatewaysStopped'
  readonly at: Cursor
  readonly className: string
  /** By name. */
  readonly users: readonly Manifest[]
  /** A release or workload that the change adds and that may bring the controller back. */
  readonly instead: Manifest | undefined
}

/** The losses by one change, for each GatewayClass. */
export function gatewayLosses(change: Change, base: Snapshot, head: Snapshot): GatewayLoss[] {
  if (change.kind === 'added' || (change.kind === 'removed' && staysInCluster(change.before))) return []
  const stopped = change.kind === 'changed' && isStopped(change.after) ? change.after : undefined
  if (change.kind === 'changed' && !stopped) return []
  return runBy(change.before, base).flatMap((run) => {
    if (runners(head).some((one) => isInstalled(one, base) && runBy(one, head).includes(run))) return []
    const instead = newRunners(base, head).find(({ object }) =>
      mentionsOneOf(object.content, ['gateway', ...run.charts]),
    )
    return classesOf(run, head).flatMap((className): GatewayLoss[] => {
      const gateways = head.ofKind(gatewayKinds[1]).filter((one) => head.get(one.ref)[0] === one)
      const users = gateways.filter(({ root }) => root.at('spec', 'gatewayClassName').string === className)
      if (users.length === 0) return []
      users.sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
      const at = stopped ? stopped.root.at('spec', 'replicas') : change.before.root
      return [{ was: change.before, how: stopped ? 'gatewaysStopped' : 'gateways', at, className, users, instead }]
    })
  })
}

/** The workloads that run the controller of a name; none where a release that is not rendered installs it. */
export function workloadsRunning(controller: string, snapshot: Snapshot): Manifest[] {
  const runs = (one: Manifest) => runBy(one, snapshot).some((row) => row.controller === controller)
  return lastingKinds.flatMap((kind) => snapshot.ofKind(kind)).filter(runs)
}

/** The strings by which the other objects are found that the loss of an object is compared with. */
export function* marksOfGateways(manifest: Manifest): Iterable<string> {
  for (const { controller, charts } of runBy(manifest)) yield* [controller, 'gatewayClassName', ...charts]
}

function classesOf({ controller }: GatewayController, head: Snapshot): string[] {
  const classes = head
    .ofKind(gatewayKinds[0])
    .filter(({ root }) => root.at('spec', 'controllerName').string === controller)
  return [...new Set(classes.map(({ ref }) => ref.name))].sort()
}

function runners(snapshot: Snapshot): Manifest[] {
  return [...lastingKinds, ...releaseKinds].flatMap((kind) => snapshot.ofKind(kind))
}

/** The workloads that a change adds, and the releases whose objects are not seen. */
function newRunners(base: Snapshot, head: Snapshot): Manifest[] {
  const workloads = lastingKinds.flatMap((kind) => head.ofKind(kind))
  const added = workloads.filter((one) => base.get(one.ref).length === 0 && !isStopped(one))
  return [...added, ...comingReleases(base, head).flatMap(({ manifest, isNew }) => (isNew ? [manifest] : []))]
}

/** The controllers that a workload runs, or a release that is not rendered installs. */
function runBy(manifest: Manifest, snapshot?: Snapshot): GatewayController[] {
  if (releaseKinds.includes(groupKindOf(manifest.ref))) {
    const charts = manifest.object.context?.rendered?.size ? [] : chartsOf(manifest, snapshot)
    return controllers.filter((row) => row.charts.some((chart) => charts.includes(chart)))
  }
  if (!lastingKinds.includes(groupKindOf(manifest.ref)) || isStopped(manifest)) return []
  const containers = [...podOf(manifest).at('spec', 'containers').items()]
  const images = containers.map((container) => parseImage(container.at('image').string ?? '').repository)
  return controllers.filter(({ pattern }) => images.some((image) => pattern.test(image)))
}

/** The names of the charts that a release object installs. */
function chartsOf({ root, ref }: Manifest, snapshot: Snapshot | undefined): string[] {
  const spec = root.at('spec')
  const sources = [spec.at('source'), ...spec.at('sources').items()].map((source) => source.at('chart'))
  const chartRef = spec.at('chartRef', 'name').string
  const repositories = (chartRef && snapshot?.ofKind(gatewayKinds[2])) || []
  const urls = repositories
    .filter((one) => one.ref.name === chartRef && [one.ref.namespace, ''].includes(ref.namespace))
    .map((one) => one.root.at('spec', 'url'))
  const named = [spec.at('chart'), spec.at('chart', 'spec', 'chart'), ...sources, ...urls]
  return named.flatMap(({ string }) => string?.split('/').at(-1) ?? [])
}
