import { isOwnCluster, readApplication } from '../gitops/application'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { readHelmRelease } from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../manifest/manifest'
import type { Tree } from '../revision/tree'
import type { Source } from '../sources/source'
import { isInArchive } from './archive'
import type { Discovery } from './discover'
import { type Applier, applierOf } from './pruned'

/** The Argo CD and Flux objects of one side, and what they deploy. */
export interface DeployingObjects
  extends Pick<Discovery, 'objects' | 'deployers' | 'bringers' | 'appliers' | 'plain'>,
    Pick<Tree, 'aliases'> {}

/**
 * Finds the objects that are deleted although the head still writes them, as nothing applies them there: the Argo CD or
 * Flux object that has them now is idle, or is itself deleted with all that it deployed.
 */
export class IdleDeployers {
  private readonly base: DeployersOfSide | undefined
  private readonly head: DeployersOfSide
  private readonly pruned = new Map<Manifest, string | undefined>()

  constructor(base: DeployingObjects | undefined, head: DeployingObjects) {
    this.base = base && new DeployersOfSide(base)
    this.head = new DeployersOfSide(head)
  }

  /** The plain files of Argo CD whose deployer is deleted with all that it deployed, and why. */
  *lostFiles(): Iterable<[file: string, why: string]> {
    for (const [file, { manifest }] of this.head.plain) {
      const why = this.whyDeleted(manifest)
      if (why !== undefined) yield [file, why]
    }
  }

  /**
   * Whether a source has the same description on both sides, and its deployer is deleted with all that it deployed: no
   * rendering of it would differ.
   */
  isLost({ id }: Source): boolean {
    const [now, was] = [this.head.deployers.get(id), this.base?.deployers.get(id)]
    return now !== undefined && was !== undefined && this.whyDeleted(now) !== undefined
  }

  private whyDeleted(manifest: Manifest): string | undefined {
    const was = this.base?.twinOf(manifest)
    return was && this.prunedWith(applierOf(manifest), applierOf(was))
  }

  /** The reason why an object of the head does not keep that of the base; undefined if it does, as far as is known. */
  reasonFor(manifest: Manifest, before: Manifest): string | undefined {
    const [now, was] = [this.head.deployerOf(manifest), this.base?.deployerOf(before)]
    if (!was) return undefined
    if (!now) return this.archived(manifest, was)
    const isSame = now.identity === was.identity
    const why = isSame ? this.prunedWith(now, was) : this.notTakenBy(now, [was])
    if (why === undefined || isSame) return why && `${why}.`
    return `It remains only in ${manifest.origin.path}: ${why}.`
  }

  /** The reason why an object that nothing deploys any more, and that is in an archive, is deleted with its deployer. */
  private archived({ origin }: Manifest, was: Applier): string | undefined {
    if (!isInArchive(origin.path) || this.head.has(was.identity) || !this.deletes(was)) return undefined
    return `It remains only in ${origin.path}, an archive, and ${was.name}, which deployed it, is deleted with its objects.`
  }

  /** The reason why a deployer that both sides have is deleted, and all that it deployed with it. */
  private prunedWith(now: Applier, was: Applier): string | undefined {
    if (this.pruned.has(now.manifest)) return this.pruned.get(now.manifest)
    // Of objects that apply each other, none is deleted for the sake of another.
    this.pruned.set(now.manifest, undefined)
    const why = was.cascades ? this.notApplied(now, was) : undefined
    this.pruned.set(now.manifest, why)
    return why
  }

  private notApplied(now: Applier, was: Applier): string | undefined {
    const [above, former] = [this.head.above(now.manifest), this.base?.above(was.manifest) ?? []]
    if (former.length === 0) return undefined
    const deleted = new Set<string>()
    const reasons: string[] = []
    for (const one of above) {
      const twin = former.find(({ identity }) => identity === one.identity)
      const why = twin ? this.prunedWith(one, twin) : this.notTakenBy(one, former)
      if (why === undefined) return undefined
      reasons.push(twin ? why : `${was.name}, which deployed it, is deleted with all its objects: ${why}`)
      if (twin) deleted.add(twin.identity)
    }
    return former.every((one) => deleted.has(one.identity) || this.deletes(one)) ? reasons[0] : undefined
  }

  /** Whether a deployer of the base deletes what it no longer has, or what it had when it is gone. */
  private deletes({ identity, prunes, cascades, manifest }: Applier): boolean {
    if (this.base?.idle(manifest) !== undefined) return false
    return this.head.has(identity) ? prunes : cascades
  }

  /** The reason why a deployer does not apply what others had, which are not idle themselves. */
  private notTakenBy(now: Applier, former: readonly Applier[]): string | undefined {
    const active = former.filter(({ manifest }) => this.base?.idle(manifest) === undefined)
    if (active.length === 0) return undefined
    const idle = this.head.idle(now.manifest)
    // What a person syncs is also pruned by a person.
    if (idle?.kind === 'unsynced' && !active.every(({ prunes }) => prunes)) return undefined
    if (idle) return idle.why
    const cluster = clusterOf(now.manifest)
    const isElsewhere = cluster !== undefined && active.every((one) => isOther(clusterOf(one.manifest), cluster))
    return isElsewhere ? `${now.name} deploys to another cluster, ${namedCluster(now.manifest, cluster)}` : undefined
  }
}

interface Idle {
  readonly kind: 'suspended' | 'unsynced'
  readonly why: string
}

/** The Argo CD and Flux objects of one side, and those that apply them. */
class DeployersOfSide {
  private readonly there: ReadonlyMap<string, Manifest>
  /** The objects that come in renderings, with the deployers of those renderings. */
  private readonly bringers: ReadonlyMap<Manifest, Manifest | undefined>

  constructor(private readonly side: DeployingObjects) {
    const { objects, deployers, bringers } = side
    this.there = new Map(objects.map((manifest) => [identityOf(manifest.ref), manifest]))
    this.bringers = new Map(
      [...deployers].flatMap(([id, deployer]) => {
        const bringer = bringers.get(id)
        return bringer === undefined ? [] : [[deployer, deployers.get(bringer)] as const]
      }),
    )
  }

  get plain(): DeployingObjects['plain'] {
    return this.side.plain
  }

  get deployers(): DeployingObjects['deployers'] {
    return this.side.deployers
  }

  has(identity: string): boolean {
    return this.there.has(identity)
  }

  twinOf({ ref }: Manifest): Manifest | undefined {
    return this.there.get(identityOf(ref))
  }

  deployerOf({ origin }: Manifest): Applier | undefined {
    const { deployers } = this.side
    const manifest = origin.kind === 'rendered' ? deployers.get(origin.id) : this.ownerOf(origin.path)
    return manifest && applierOf(manifest)
  }

  /** The objects that apply one; none where it is applied by hand. */
  above(manifest: Manifest): readonly Applier[] {
    if (this.bringers.has(manifest)) {
      const bringer = this.bringers.get(manifest)
      return bringer && bringer !== manifest ? [applierOf(bringer)] : []
    }
    const { path } = manifest.origin
    const owner = this.ownerOf(path)
    return [...(this.side.appliers.get(path) ?? []), ...(owner && owner.origin.path !== path ? [applierOf(owner)] : [])]
  }

  /** The reason why an object does not apply what is new in its folder; undefined if it does. */
  idle(manifest: Manifest, seen = new Set<Manifest>()): Idle | undefined {
    const own = idleItself(manifest)
    if (own || seen.has(manifest)) return own
    seen.add(manifest)
    const above = this.above(manifest).map((one) => this.idle(one.manifest, seen))
    return above.every((one) => one !== undefined) ? above[0] : undefined
  }

  private ownerOf(file: string): Manifest | undefined {
    const { plain, aliases } = this.side
    const paths = [file, ...(aliases.get(file) ?? [])]
    return paths.map((one) => plain.get(one)?.manifest).find((one) => one !== undefined)
  }
}

function idleItself({ ref, root }: Manifest): Idle | undefined {
  const name = nameOf(ref)
  const suspended: Idle = {
    kind: 'suspended',
    why: `${name} is suspended, so Flux deletes the object and does not create it again. Resume ${name} in a separate change first`,
  }
  switch (groupKindOf(ref)) {
    case gitOpsKind.fluxKustomization:
      return readFluxKustomization(root).suspended ? suspended : undefined
    case gitOpsKind.helmRelease:
      return readHelmRelease(root).suspended ? suspended : undefined
    default: {
      const template = applicationIn(root, ref)
      if (!template || readApplication(template).syncs) return undefined
      return {
        kind: 'unsynced',
        why: `${name} is not synced automatically, so Argo CD deletes the object and does not create it again. Give ${name} syncPolicy.automated in a separate change first`,
      }
    }
  }
}

/** The fields of an Application; undefined where a patch of its template may change them. */
function applicationIn(root: Cursor, ref: Manifest['ref']): Cursor | undefined {
  if (groupKindOf(ref) !== gitOpsKind.applicationSet) return root
  return root.at('spec', 'templatePatch').exists ? undefined : root.at('spec', 'template')
}

/** The cluster that an object deploys to, empty for its own one; undefined where a template gives it. */
function clusterOf({ ref, root }: Manifest): string | undefined {
  switch (groupKindOf(ref)) {
    case gitOpsKind.fluxKustomization:
    case gitOpsKind.helmRelease:
      return textAt(root.at('spec', 'kubeConfig', 'secretRef', 'name'))
    default: {
      const template = applicationIn(root, ref)
      const cluster = template && readApplication(template).destination.cluster
      if (cluster === undefined || /\{\{|\$\{/.test(cluster)) return undefined
      return isOwnCluster(cluster) ? '' : cluster
    }
  }
}

/** A cluster, as messages name that of an object. */
function namedCluster({ ref }: Manifest, cluster: string): string {
  const isFlux = ref.group.endsWith('.toolkit.fluxcd.io')
  if (cluster === '') return `that of ${isFlux ? 'Flux' : 'Argo CD'}`
  return isFlux ? `that of the kubeconfig in Secret ${cluster}` : cluster
}

/** Whether two clusters differ: one may be named by its URL in one place, and by its name in another. */
function isOther(one: string | undefined, other: string): boolean {
  if (one === undefined || one === other) return false
  const isUrl = (cluster: string) => cluster.includes('://')
  return one === '' || other === '' || isUrl(one) === isUrl(other)
}
