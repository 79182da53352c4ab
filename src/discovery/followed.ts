import { type Bringer, declarationSite, type GitOpsSources } from '../deployers/common/gitops-sources'
import { holderKinds, namesOfHolders } from '../deployers/flux/flux-values'
import { gitOpsGroups, isGitOps } from '../deployers/gitops-objects'
import { deployerKinds } from '../gitops/kinds'
import { identify } from '../manifest/identity'
import { type LoadedFile, type LoadedObject, loadFile } from '../manifest/load'
import { groupKindOf, Manifest, type Side } from '../manifest/manifest'
import { mentionsOneOf } from '../manifest/mentions'
import { startOf } from '../region'
import type { Piece } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import { closureOf, type Kustomization } from '../sources/kustomization'
import { placeOf, type Source } from '../sources/source'
import { Brings } from './brings'
import { keyOf, nameIn } from './object-keys'
import { SelfPatched } from './self-patched'

/** Renders a source; undefined where that fails. */
export type Render = (
  source: Source,
  kustomizations: ReadonlyMap<string, Kustomization>,
) => Promise<readonly Piece[] | undefined>

/** One round: the sources as far as they are known. */
export interface Round {
  readonly gitOps: GitOpsSources
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly sources: readonly Source[]
}

/** The depth to which renderings with further sources are followed, and their number. */
export interface FollowLimits {
  readonly depth: number
  readonly renderings: number
  readonly objects: number
}

const followLimits: FollowLimits = { depth: 8, renderings: 500, objects: 20_000 }

/** A rendering that was followed. */
interface FollowedRendering {
  readonly source: Source
  readonly depth: number
  /** The objects that led to it. */
  readonly above: ReadonlySet<string>
  /** The files that it includes; none if it does not render. */
  files: ReadonlySet<string>
  children: readonly Manifest[]
  /** Whether it could not be rendered. */
  isUnknown: boolean
  /** Whether its own deployer differs in it, so that it has to be rendered for that one. */
  isOutdated?: true
}

/**
 * Finds the Argo CD and Flux objects in renderings: of a chart of Applications, of a Kustomization that completes its
 * resources. Each source is rendered for them once; their sources are followed in the same way, up to a limit.
 */
export class Followed {
  readonly broughtBy = new Map<Manifest, Bringer>()
  /** The objects in files from which these are made. */
  readonly writtenAs = new Map<Manifest, Manifest>()
  private readonly asked = new Map<string, FollowedRendering>()
  private readonly selfPatched = new SelfPatched()
  /** The objects of files, by kind and name. */
  private readonly written = new Map<string, Manifest[]>()
  private readonly limited: { readonly manifest: Manifest; readonly cause: 'too-deep' | 'too-many' }[] = []

  /** @param all the Argo CD and Flux objects of the files, patches as well */
  constructor(
    private readonly all: readonly Manifest[],
    private readonly seen: {
      readonly checkout: Checkout
      readonly side: Side
      /** The paths that differ between the sides of a change. */
      readonly changed: ReadonlySet<string>
      /** Parses a rendered text; both sides and all trials share nearly all of theirs. */
      readonly load?: ((text: string) => LoadedFile) | undefined
    },
    private readonly render: Render | undefined,
    private readonly limits: FollowLimits = followLimits,
  ) {
    for (const manifest of all) {
      const there = this.written.get(nameIn(manifest))
      if (there) there.push(manifest)
      else this.written.set(nameIn(manifest), [manifest])
    }
  }

  /** The objects in files, except those that some rendering contains, and all objects in renderings. */
  objects(ofFiles: readonly Manifest[]): Manifest[] {
    const children = [...this.asked.values()].flatMap((one) => one.children)
    const taken = new Set([...this.asked.values()].flatMap(({ files }) => [...files]))
    if (taken.size === 0) return [...ofFiles.map((manifest) => this.selfPatched.asRendered(manifest)), ...children]
    const above = new Set([...this.asked.values()].flatMap(({ above }) => [...above]))
    // Where a rendering was followed further, the object that led to it is read from the rendering that brought it.
    const brought = new Set(children.map(keyOf))
    const isTaken = (manifest: Manifest) =>
      taken.has(manifest.origin.path) &&
      (brought.has(keyOf(manifest)) || (isDeployer(manifest) && !above.has(keyOf(manifest))))
    const kept = ofFiles.filter((manifest) => !isTaken(manifest))
    return [...kept.map((manifest) => this.selfPatched.asRendered(manifest)), ...children]
  }

  /** The folders that were taken for roots at first, before an object was found that deploys them. */
  get roots(): string[] {
    return [...this.asked.values()].flatMap(({ source }) => (source.origin === 'discovered' ? [placeOf(source)] : []))
  }

  /** The sources that may bring objects and could not be rendered. */
  get unknown(): Source[] {
    return [...this.asked.values()].flatMap(({ source, isUnknown }) => (isUnknown ? [source] : []))
  }

  /** The sources whose renderings bring the objects of others, by the ids of those others. */
  bringers({ deployers }: GitOpsSources): Map<string, string> {
    return new Map(
      [...deployers].flatMap(([id, deployer]) => {
        const bringer = this.broughtBy.get(deployer)
        return bringer ? [[id, bringer.source.id] as const] : []
      }),
    )
  }

  /** Lists the objects that lead further than the limits. */
  reportLimits(named: GitOpsSources): void {
    for (const { manifest, cause } of this.limited) {
      const reason =
        cause === 'too-deep'
          ? `its rendering deploys further renderings, more than ${this.limits.depth} levels deep; deeper ones are not followed`
          : `its rendering is not searched for further deployers, as ${this.limits.renderings} renderings were`
      named.skip(manifest, cause, reason)
    }
  }

  /**
   * Renders the sources of a round that may bring objects and were not rendered yet.
   *
   * @returns whether there is more to read now
   */
  async ask(round: Round): Promise<boolean> {
    if (!this.render) return false
    if (this.dropReplaced(round)) return true
    let isNew = false
    const { checkout, changed } = this.seen
    const brings = new Brings(checkout, round.gitOps, this.all, changed)
    // Other sources that include the files which the change touches.
    const touched = [...this.asked.values()].filter(({ source, files }) =>
      [...files, ...this.kustomizationFiles(source, round)].some((file) => changed.has(file)),
    )
    const taken = new Set(touched.flatMap(({ files }) => [...files]))
    const unasked = round.sources.filter(({ id, baseSourceId }) => !this.asked.has(id) && baseSourceId === undefined)
    const mayBring = await Promise.all(
      unasked.map(async (source) => {
        const isShared = taken.size > 0 && (await brings.hasReleaseOf(taken, source, round.kustomizations))
        return isShared || brings.has(source, round.kustomizations)
      }),
    )
    const open = unasked.filter((_, index) => mayBring[index])
    const first = this.topmost(open, round)
    this.limited.length = 0
    const next: FollowedRendering[] = []
    for (const source of first) next.push(...(this.admitted(source, round, this.asked.size + next.length) ?? []))
    const pieces = await Promise.all(next.map(({ source }) => this.render?.(source, round.kustomizations)))
    for (const [index, asked] of next.entries()) {
      if (this.take(asked, pieces[index], round)) isNew = true
      if (asked.isOutdated !== true) this.asked.set(asked.source.id, asked)
    }
    return isNew || (next.length > 0 && next.length < open.length)
  }

  /** A source whose object another one may complete comes after that one, unless they form a circle. */
  private topmost(open: readonly Source[], round: Round): readonly Source[] {
    const takers = new Map<string, Set<string>>()
    for (const source of open) {
      for (const file of this.filesOf(source, round.kustomizations)) {
        const its = takers.get(file)
        if (its) its.add(source.id)
        else takers.set(file, new Set([source.id]))
      }
    }
    const first = open.filter((source) => {
      const deployer = round.gitOps.deployers.get(source.id)
      if (!deployer || this.broughtBy.has(deployer)) return true
      const its = takers.get(deployer.origin.path)
      return !its || (its.size === 1 && its.has(source.id))
    })
    return first.length > 0 ? first : open
  }

  /** @param before the renderings that were followed already, and those of this round */
  private admitted(source: Source, { gitOps }: Round, before: number): [FollowedRendering] | undefined {
    const deployer = gitOps.deployers.get(source.id)
    const bringer = deployer && this.broughtBy.get(deployer)
    const parent = bringer && this.asked.get(bringer.source.id)
    const depth = parent ? parent.depth + 1 : 0
    const above = new Set([...(deployer ? [keyOf(deployer)] : []), ...(parent?.above ?? [])])
    if (deployer && depth > this.limits.depth) this.limited.push({ manifest: deployer, cause: 'too-deep' })
    else if (deployer && (before >= this.limits.renderings || this.broughtBy.size >= this.limits.objects))
      this.limited.push({ manifest: deployer, cause: 'too-many' })
    else return [{ source, depth, above, files: new Set(), children: [], isUnknown: false }]
    return undefined
  }

  /** @returns whether there are objects in it */
  private take(asked: FollowedRendering, pieces: readonly Piece[] | undefined, round: Round): boolean {
    asked.isUnknown = pieces === undefined
    if (!pieces) return false
    const { source, above } = asked
    const files = this.filesOf(source, round.kustomizations)
    const bringer: Bringer = {
      source,
      definitionFiles: [
        ...new Set([
          source.declaredAt.path,
          ...(source.definitionFiles ?? []),
          ...this.kustomizationFiles(source, round),
          // For example, a patch of the release.
          ...[...files].filter((file) => this.seen.changed.has(file)),
        ]),
      ],
    }
    const all = this.piecesWith(gitOpsGroups, pieces)
      .filter(({ object }) => isGitOps(object))
      .map(({ object, path }) => this.placed(namespaced(object, source), path, files))
    if (this.selfPatched.take(all, round.gitOps.deployers.get(source.id), this)) {
      asked.isOutdated = true
      return true
    }
    // An object that deploys this very source is read from its file.
    const found = all.filter((manifest) => !above.has(keyOf(manifest)))
    const names = [...new Set(found.flatMap(namesOfHolders))]
    const holders = names.length === 0 ? [] : this.piecesWith(names, pieces)
    asked.children = [
      ...found,
      ...holders
        .filter(({ object: { ref } }) => holderKinds.includes(ref.kind) && names.includes(ref.name))
        .map(({ object, path }) => this.placed(namespaced(object, source), path, files)),
    ]
    for (const child of asked.children) this.broughtBy.set(child, bringer)
    asked.files = files
    return true
  }

  /** A rendered object, at the place of the object in a file from which it is made, if there is one. */
  private placed(object: LoadedObject, path: string, files: ReadonlySet<string>): Manifest {
    const written = this.written.get(nameIn({ ref: object.ref }))?.find(({ origin }) => files.has(origin.path))
    const at = written ? declarationSite(written) : { path, region: startOf(1) }
    const made = new Manifest({ ...object, region: at.region }, this.seen.side, { kind: 'file', path: at.path }, [])
    if (written) this.writtenAs.set(made, written)
    return made
  }

  /**
   * Drops the objects of a root that turns out to be deployed by one of them, except that object: when Flux is
   * bootstrapped, the root contains it. From then on the object decides which sources are rendered.
   */
  private dropReplaced({ gitOps, sources }: Round): boolean {
    let isNew = false
    for (const asked of this.asked.values()) {
      if (asked.source.origin !== 'discovered' || asked.children.length === 0) continue
      const own = sources.filter((one) => placeOf(one) === placeOf(asked.source) && one.origin !== 'discovered')
      if (own.length === 0) continue
      const deployers = new Set(own.flatMap(({ id }) => gitOps.deployers.get(id) ?? []))
      const kept = asked.children.filter((child) => deployers.has(child))
      if (kept.length === asked.children.length) continue
      asked.children = kept
      asked.files = new Set()
      isNew = true
    }
    return isNew
  }

  private piecesWith(words: readonly string[], pieces: readonly Piece[]) {
    const { load = (text: string) => loadFile({ text }) } = this.seen
    return pieces
      .filter(({ text }) => mentionsOneOf(text, words))
      .flatMap(({ text, path }) => load(text).objects.map((object) => ({ object, path })))
  }

  private filesOf(source: Source, kustomizations: ReadonlyMap<string, Kustomization>): Set<string> {
    if (source.kind === 'helm') return new Set()
    const starts = [source.root, ...(source.components ?? [])]
    return new Set(starts.flatMap((start) => closureOf(start, kustomizations)).flatMap(({ leadsTo }) => leadsTo))
  }

  private kustomizationFiles(source: Source, { kustomizations }: Round): string[] {
    return source.kind === 'helm' ? [] : closureOf(source.root, kustomizations).map(({ file }) => file)
  }
}

function isDeployer({ ref }: Manifest): boolean {
  return deployerKinds.includes(groupKindOf(ref))
}

/** A rendering gives its namespace to the objects that name none. */
function namespaced(object: LoadedObject, { namespace }: Source): LoadedObject {
  if (namespace === undefined || object.ref.namespace !== '') return object
  return {
    ...object,
    ref: { ...object.ref, ...identify(object.apiVersion, object.ref.kind, namespace, object.ref.name) },
  }
}
