import type { ClusterMap } from '../../cluster/clusters'
import type { LoadedFile, LoadedObject } from '../../manifest/load'
import { type ClusterEvidence, Manifest, manifestsOf, type Side } from '../../manifest/manifest'
import { inGivenNamespace } from '../../sides/given-namespace'
import { withApplicationsMade } from '../../sides/made-applications'
import type { RenderedSide } from '../../sides/rendered-side'
import type { Target } from '../../sources/source'
import type { Sides } from '../opening/open-sides'
import type { RenderedReleases } from './rendered-releases'

/** Makes manifests of files and renderings: objects with the clusters they are deployed to. */
export class Placement {
  /** The clusters that sources of the base are rendered into again at the head, as the base describes them. */
  private readonly asBefore: ReadonlyMap<string, string>

  /**
   * @param rendered the releases of each side whose charts were fetched
   * @param renames the head's names of clusters that the base calls otherwise
   */
  constructor(
    private readonly sides: Sides,
    private readonly clusters: ClusterMap,
    private readonly rendered: Readonly<Record<Side, RenderedReleases>>,
    private readonly renames: ReadonlyMap<string, string> = new Map(),
  ) {
    this.asBefore = new Map(
      sides.head.discovery.sources.flatMap(({ baseSourceId, target }) =>
        baseSourceId && 'cluster' in target ? [[baseSourceId, target.cluster]] : [],
      ),
    )
  }

  withRenames(renames: ReadonlyMap<string, string>): Placement {
    return new Placement(this.sides, this.clusters, this.rendered, renames)
  }

  /** The clusters of a file and of every link to it. */
  clustersOf(side: Side, path: string): string[] {
    const aliases = this.sides[side]?.tree.aliases.get(path) ?? []
    return [...new Set([path, ...aliases].flatMap((alias) => this.clusters.of(alias).clusters))]
  }

  /** The clusters that a source goes to, without the names that only one side has. */
  placeOf(target: Target): { readonly clusters: readonly string[]; readonly evidence: ClusterEvidence } {
    return 'cluster' in target ? { clusters: [target.cluster], evidence: 'declared' } : this.clusters.of(target.path)
  }

  ofFiles(side: Side, files: Iterable<[string, LoadedFile]>): Manifest[] {
    return [...files].flatMap(([path, file]) => {
      const names = this.named(side, this.clustersOf(side, path))
      const { evidence } = this.clusters.of(path)
      const marked = file.objects.map((object) =>
        this.inRenamed(side, this.marked(side, inGivenNamespace(object, side, path, this.sides), path)),
      )
      return marked.flatMap((object) => manifestsOf(object, side, { kind: 'file', path }, names, evidence))
    })
  }

  ofRenderings(side: Side, rendered: readonly RenderedSide[]): Manifest[] {
    return rendered.flatMap(({ source: { id, target }, objects }) => {
      const place = this.placeOf(target)
      const before = side === 'base' ? this.asBefore.get(id) : undefined
      const names = [...this.named(side, place.clusters), ...(before === undefined ? [] : [before])]
      return objects.flatMap(({ object, origin }) =>
        manifestsOf(this.marked(side, object, origin.path), side, origin, names, place.evidence),
      )
    })
  }

  /** Descriptions of the base, in the clusters as the head calls them. */
  ofDescriptions(manifests: readonly Manifest[]): Manifest[] {
    return manifests.map(
      ({ object, side, origin, clusters, evidence }) =>
        new Manifest(object, side, origin, this.named(side, clusters), evidence),
    )
  }

  /** An object with its releases that are rendered, and with the Applications that it makes. */
  private marked(side: Side, object: LoadedObject, path: string): LoadedObject {
    return withApplicationsMade(this.rendered[side].marked(object), path, this.sides[side]?.discovery)
  }

  /** A release of a file, in its cluster as the head calls it. */
  private inRenamed(side: Side, object: LoadedObject): LoadedObject {
    const { context } = object
    const cluster = side === 'base' ? this.renames.get(context?.release?.cluster ?? '') : undefined
    return context?.release && cluster !== undefined
      ? { ...object, context: { ...context, release: { ...context.release, cluster } } }
      : object
  }

  private named(side: Side, names: readonly string[]): string[] {
    return names.map((name) => (side === 'base' ? (this.renames.get(name) ?? name) : name))
  }
}
