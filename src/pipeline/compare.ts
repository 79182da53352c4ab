import type { ClusterMap } from '../cluster/clusters'
import { movedHelmfiles } from '../deployers/fleet-helmfile/moved-helmfiles'
import { BlindSpots } from '../gaps/blind-spots'
import { idsOutOfSight } from '../gaps/out-of-sight'
import { idsOutOfSight as releasesOutOfSight } from '../gaps/releases-out-of-sight'
import { readApplication } from '../gitops/application'
import { gitOpsKind } from '../gitops/kinds'
import { type Change, type Changes, changesBetween, renamedClusters } from '../manifest/change'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import type { ActiveRule } from '../policy/policy'
import { claimedByExplicitSource } from '../sides/explicit-sources'
import type { SideOfChange } from '../sides/side'
import { supposedReleases } from '../values/supposed-releases'
import { alignedWith } from './after-rendering/aligned-namespaces'
import { withoutMadeAgain } from './after-rendering/deleted-objects'
import { type LapseOf, Lapses } from './after-rendering/lapses'
import { Placement } from './after-rendering/placement'
import { protectedBy } from './after-rendering/protected-by'
import { type RemovedCharts, removedCharts } from './after-rendering/removed-charts'
import { RenderedReleases } from './after-rendering/rendered-releases'
import type { Sides } from './opening/open-sides'
import type { Reach } from './reach'
import type { ChangedFiles } from './read-changed'
import { descriptionsOf, type Rest } from './read-rest'
import type { ChangedRenderings } from './render-changed'

/** The objects of both sides in their clusters, and the changes between them. */
export interface Comparison extends Changes {
  readonly placement: Placement
  /** The objects that differ. */
  readonly before: readonly Manifest[]
  readonly after: readonly Manifest[]
  /** The renderings that this change does not touch, as manifests of each side. */
  readonly rest: { readonly base: readonly Manifest[]; readonly head: readonly Manifest[] }
  /** The descriptions of the base's clusters, and the changes to descriptions. */
  readonly describing: readonly Manifest[]
  readonly described: readonly Change[]
  /** The cluster of the release whose objects with another answer are in a cluster of their own, by that one's name. */
  readonly among: ReadonlyMap<string, string>
  readonly blind: BlindSpots
  readonly lapseOf: LapseOf
  readonly removedCharts: RemovedCharts['assumed']
  /** Why a file's objects may be in something that was not rendered. */
  readonly hiddenAt: (path: string) => string | undefined
}

/** Compares the objects of both sides. An object that may be in something unreadable is unknown, not removed. */
export async function compare(
  sides: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  rest: Rest,
  clusters: ClusterMap,
  reach: Reach,
  rules: readonly ActiveRule[],
): Promise<Comparison> {
  const { base, head } = sides
  const placement = placementOf(sides, read, rendered, rest, clusters)
  const { valuesFiles, takenFiles } = read.values
  const supposed =
    base && sides.changed
      ? await supposedReleases(base, head, sides.changed, new Set([...valuesFiles, ...takenFiles]))
      : { base: [], head: [] }
  const old = [
    ...placement.ofFiles('base', read.before.loaded),
    ...placement.ofRenderings('base', rendered.before),
    ...supposed.base,
  ]
  const now = [
    ...placement.ofFiles('head', read.after.loaded),
    ...placement.ofRenderings('head', rendered.after),
    ...supposed.head,
  ]
  const { before, after } = withoutMadeAgain(
    alignedWith(now, old),
    alignedWith(old, now),
    protectedBy(rules),
    ({ side, origin }) => optionsOf(sides[side], origin),
  )
  const hiddenAt = await unrenderedAt(head, rendered)
  const blind = new BlindSpots(read.before, read.after, head.tree, hiddenAt)
  const removed = base && removedCharts(base, head)
  // Objects in a rendering are unknown too if that rendering failed, or if the release is still there without its chart.
  const failed = new Set([
    ...rendered.after.flatMap(({ source: { id, baseSourceId = id }, failure }) => (failure ? [id, baseSourceId] : [])),
    ...(base ? releasesOutOfSight(base, head) : []),
    ...(base ? unseenIn({ base, head }, rendered, placement) : []),
    ...(removed?.elsewhere ?? []),
  ])
  const bringers = base?.discovery.bringers ?? new Map<string, string>()
  const isLost = (id: string): boolean => {
    const bringer = bringers.get(id)
    return failed.has(id) || (bringer !== undefined && bringer !== id && isLost(bringer))
  }
  const adopted = claimedByExplicitSource(base, head, rendered.after)
  const changes: Changes = base
    ? changesBetween(before, after, ({ origin, ref }) =>
        origin.kind === 'file'
          ? blind.reasonFor(origin.path) !== undefined
          : isLost(origin.id) || adopted(origin.id, ref),
      )
    : { changes: [], moves: [], unknown: [] }
  const lapses = new Lapses(sides, before, after, reach.isKnown)
  const descriptions = descriptionsOf(sides)
  const describing = placement.ofDescriptions(descriptions.base.manifests)
  return {
    ...changes,
    changes: [...changes.changes, ...lapses.changes(changes.changes)],
    placement,
    before,
    after,
    rest: {
      base: placement.ofRenderings('base', rest.rendered),
      head: placement.ofRenderings('head', rest.rendered),
    },
    describing,
    among: new Map(
      [...rendered.answered.among].flatMap(([name, target]) =>
        placement
          .placeOf(target)
          .clusters.slice(0, 1)
          .map((of) => [name, of] as const),
      ),
    ),
    described: base ? changesBetween(describing, descriptions.head.manifests).changes : [],
    blind,
    lapseOf: (manifest, of) => lapses.of(manifest, of),
    removedCharts: removed?.assumed ?? new Map(),
    hiddenAt,
  }
}

/** The sources of the base that are out of sight at the head, but for those of charts that were fetched. */
function unseenIn(
  sides: Parameters<typeof idsOutOfSight>[0],
  { after }: Pick<ChangedRenderings, 'after'>,
  placement: Placement,
): string[] {
  const rendered = new Set(after.map(({ source }) => source.id))
  const ids = idsOutOfSight(sides, (side, path) => placement.clustersOf(side, path))
  return [...ids].filter((id) => !rendered.has(id))
}

/** The options of the Application that deploys an object. */
function optionsOf(side: SideOfChange | undefined, origin: Manifest['origin']): readonly string[] {
  const { deployers, plain } = side?.discovery ?? {}
  const deployer = origin.kind === 'rendered' ? deployers?.get(origin.id) : plain?.get(origin.path)?.manifest
  if (!deployer) return []
  const { root, ref } = deployer
  const isSet = groupKindOf(ref) === gitOpsKind.applicationSet
  return readApplication(isSet ? root.at('spec', 'template') : root).syncOptions
}

/** Gives clusters that only changed their name one name. */
function placementOf(
  sides: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  rest: Rest,
  clusters: ClusterMap,
): Placement {
  const releases = {
    base: new RenderedReleases([...rendered.before, ...rest.rendered]),
    head: new RenderedReleases([...rendered.after, ...rest.rendered]),
  }
  const { base, head } = sides
  // A helmfile of any name is a cluster of its own.
  const moved = base
    ? movedHelmfiles(base.discovery.fileDeployments, head.discovery.fileDeployments)
    : new Map<string, string>()
  const placement = new Placement(sides, clusters, releases, moved)
  if (!rest.needed) return placement
  const kept = () =>
    new Set([
      ...[...rest.texts.keys()].flatMap((path) => placement.clustersOf('head', path)),
      ...placement.ofRenderings('head', rest.rendered).flatMap((manifest) => manifest.clusters),
    ])
  const before = [...placement.ofFiles('base', read.before.loaded), ...placement.ofRenderings('base', rendered.before)]
  const after = [...placement.ofFiles('head', read.after.loaded), ...placement.ofRenderings('head', rendered.after)]
  const tests = { base: base ? testValues(base, rendered.before) : new Map(), head: testValues(head, rendered.after) }
  const mayBe = (from: string, to: string) => tests.base.get(from) === tests.head.get(to)
  return placement.withRenames(new Map([...moved, ...renamedClusters(before, after, kept, mayBe)]))
}

/** The content of the values with which a chart is tested, by cluster: other values are another test, not a new name for one. */
function testValues({ checkout }: SideOfChange, rendered: ChangedRenderings['before']): Map<string, string> {
  const values = new Map<string, string>()
  for (const { source } of rendered) {
    if (source.kind !== 'helm' || source.origin !== 'probed' || !('cluster' in source.target)) continue
    for (const one of source.values) if ('path' in one) values.set(source.target.cluster, checkout.idOf(one.path))
  }
  return values
}

/** The reasons why the objects of files may be in a source that could not be rendered, by path. */
async function unrenderedAt(
  head: SideOfChange,
  { after, others }: Pick<ChangedRenderings, 'after' | 'others'>,
): Promise<(path: string) => string | undefined> {
  const seen = new Set<string>()
  // Another shard reports what it cannot render.
  const known = [...after.flatMap(({ source, failure }) => (failure ? [] : [source])), ...others.after]
  for (const source of known) for (const file of await head.files(source)) seen.add(file)
  return (path) => {
    const claim = head.discovery.ownership.get(path)
    return claim?.deployed && !seen.has(path) ? claim.reason : undefined
  }
}
