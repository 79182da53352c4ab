import path from 'node:path/posix'
import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { placeInArtifact } from '../../sources/kustomization'
import { FluxArtifact } from '../common/flux-artifact'
import type { GitOpsSources } from '../common/gitops-sources'
import {
  type ArtifactContent,
  type ArtifactPart,
  ComposedArtifact,
  type FoundFolder,
  type NotFollowed,
  type PlainContent,
  restOf,
} from './composed-artifact'
import { artifactsOf, type GeneratedArtifact, partOf } from './generated-artifacts'

/** No real artifact is put together from more parts, or over more levels. */
const most = { parts: 100, levels: 5 }

/** A source of Flux as an object names it. */
export interface NamedSource {
  /** The reference with its `kind`, if it has one, and its `name`. */
  readonly reference: Cursor
  readonly kind: string
  readonly namespace: string
  readonly by: Manifest
}

/** The objects and artifacts that these are put together from. */
interface PlainSources {
  readonly artifacts: { of(source: Manifest | undefined): FluxArtifact }
  sourceNamed(source: NamedSource): Manifest | undefined
  /** Adds the GitRepository by which an object takes this repository. */
  track(reference: Cursor, namespace: string, by: Manifest, kind: string): void
  /** The ArtifactGenerators that an object may mean, the nearest first. */
  generatorsFor(by: Manifest): readonly Manifest[]
}

/** The artifacts of Flux that are put together from others. */
export class ComposedArtifacts {
  private readonly known = new Map<object, ComposedArtifact | NotFollowed>()
  private readonly generated = new Map<Manifest, ReturnType<typeof artifactsOf>>()

  constructor(
    private readonly sources: PlainSources,
    private readonly named: GitOpsSources,
  ) {}

  /**
   * The folder of this repository that is a folder of an artifact, or why it is not followed; undefined for an artifact
   * that is not put together from others.
   */
  folderOf(reference: Cursor, namespace: string, by: Manifest, folder: string): FoundFolder | NotFollowed | undefined {
    const kind = textAt(reference.at('kind'))
    const composed = this.composedBy({ reference, kind, namespace, by }, 0)
    return composed && 'folderAt' in composed ? composed.folderAt(folder) : composed
  }

  /** The folder of the chart in an artifact, which may be its root or the folder in it. */
  chartOf(reference: Cursor, namespace: string, by: Manifest): FoundFolder | NotFollowed | undefined {
    const composed = this.composedBy({ reference, kind: textAt(reference.at('kind')), namespace, by }, 0)
    if (!composed || 'reason' in composed) return composed
    const found = ['', ...composed.tops].map((folder) => composed.folderAt(folder))
    const { checkout } = this.named.repositoryIndex
    return found.find((one) => 'place' in one && checkout.has(path.join(one.place, 'Chart.yaml'))) ?? found[0]
  }

  private composedBy(source: NamedSource, level: number): ComposedArtifact | NotFollowed | undefined {
    if (source.kind === 'ExternalArtifact') {
      const artifact = this.generatedBy(source)
      if (!artifact || 'reason' in artifact) return artifact
      return this.once(artifact, `ExternalArtifact ${artifact.name}`, level, (name) =>
        this.copied(artifact, name, level),
      )
    }
    const manifest = this.sources.sourceNamed(source)
    if (manifest?.ref.kind !== 'GitRepository' || !readFluxSource(manifest.root).include.exists) return undefined
    const name = `GitRepository ${manifest.ref.name}`
    return this.once(manifest, name, level, () => this.withIncludes(manifest, name, level))
  }

  /** Puts an artifact together once, if it does not lead to itself. */
  private once(
    key: object,
    name: string,
    level: number,
    make: (name: string) => ComposedArtifact | NotFollowed,
  ): ComposedArtifact | NotFollowed {
    const known = this.known.get(key)
    if (known) return known
    if (level > most.levels) return { reason: `${name} is included over more than ${most.levels} levels` }
    this.known.set(key, { reason: `${name} includes itself` })
    const made = make(name)
    this.known.set(key, made)
    return made
  }

  /** The artifact of an ArtifactGenerator that a reference names. */
  private generatedBy({ reference, namespace: own, by }: NamedSource): GeneratedArtifact | NotFollowed | undefined {
    const name = textAt(reference.at('name'))
    const namespace = textAt(reference.at('namespace')) || own
    const all = this.sources.generatorsFor(by)
    const near = all.filter(({ ref }) => ref.namespace === namespace)
    let unread: NotFollowed | undefined
    for (const generator of near.length > 0 ? near : all) {
      const made = this.generated.get(generator) ?? artifactsOf(generator, () => this.folders())
      this.generated.set(generator, made)
      if ('reason' in made) unread = { reason: `ArtifactGenerator ${generator.ref.name}: ${made.reason}` }
      const found = 'reason' in made ? undefined : made.find((one) => one.name === name)
      if (found) return found
    }
    return unread
  }

  private folders(): ReadonlySet<string> {
    const folders = new Set<string>()
    for (const file of this.named.repositoryIndex.checkout.tree.entries.keys())
      for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end))
    return folders
  }

  private copied(
    { generator, sources, copies }: GeneratedArtifact,
    name: string,
    level: number,
  ): ComposedArtifact | NotFollowed {
    if (copies.length > most.parts) return { reason: `${name} has more than ${most.parts} copies` }
    const parts = copies.map((copy) =>
      partOf(copy, (alias, folder) => {
        const reference = sources.get(alias)
        if (!reference) return { reason: `${name} copies from @${alias}, which is no source` }
        const { namespace } = generator.ref
        return this.contentOf(
          { reference, kind: textAt(reference.at('kind')), namespace, by: generator },
          folder,
          level + 1,
        )
      }),
    )
    const packer = new FluxArtifact(undefined, new Map())
    return new ComposedArtifact(name, definedIn(generator, parts), parts, (file) => packer.has(file))
  }

  /** https://fluxcd.io/flux/components/source/gitrepositories/#include */
  private withIncludes(source: Manifest, name: string, level: number): ComposedArtifact | NotFollowed {
    const includes = [...readFluxSource(source.root).include.items()]
    if (includes.length > most.parts) return { reason: `${name} has more than ${most.parts} includes` }
    const parts = includes.map((one): ArtifactPart => {
      const repository = one.at('repository')
      const to = placeInArtifact(textAt(one.at('toPath')) || textAt(repository.at('name')))
      const from = placeInArtifact(textAt(one.at('fromPath')) || '.')
      const isInside = to !== undefined && from !== undefined
      const named = { reference: repository, kind: 'GitRepository', namespace: source.ref.namespace, by: source }
      return {
        to: to ?? '',
        from: from ?? '',
        content: isInside
          ? this.contentOf(named, from, level + 1)
          : { reason: `an include of ${name} leads out of it` },
        takes: () => true,
      }
    })
    const isOwn = (place: string) => parts.every(({ to }) => restOf(place, to) === undefined)
    const own = this.plainContent(source, '')
    // What the repository leaves out, it leaves out of what it includes, too.
    const packer = 'files' in own ? own.files : new FluxArtifact(source, new Map())
    return new ComposedArtifact(
      name,
      definedIn(source, parts),
      [{ to: '', from: '', content: own, takes: isOwn }, ...parts],
      (file) => packer.has(file),
    )
  }

  private contentOf(source: NamedSource, folder: string, level: number): ArtifactContent {
    const composed = this.composedBy(source, level)
    if (composed) return composed
    const { kind, reference, namespace, by } = source
    const manifest = this.sources.sourceNamed(source)
    const isKnown = manifest !== undefined || this.isThere(folder)
    if (!isKnown || kind !== 'GitRepository')
      return { reason: `${kind} ${textAt(reference.at('name'))} is not in this repository` }
    // Flux's own GitRepository is often created at installation, and is only in the cluster.
    const content = manifest ? this.plainContent(manifest, folder) : this.ownFiles(undefined)
    if ('files' in content) this.sources.track(reference, namespace, by, kind)
    return content
  }

  private isThere(folder: string): boolean {
    return folder !== '' && this.named.repositoryIndex.checkout.tree.at(folder).length > 0
  }

  private ownFiles(source: Manifest | undefined): PlainContent {
    const { checkout } = this.named.repositoryIndex
    return { files: this.sources.artifacts.of(source), isFile: (file) => checkout.has(file) }
  }

  /** The content of a GitRepository itself. */
  private plainContent(source: Manifest, folder: string): PlainContent | NotFollowed {
    const url = textAt(readFluxSource(source.root).url)
    return this.named.isHere(url, folder)
      ? this.ownFiles(source)
      : { reason: `GitRepository ${source.ref.name}, ${url}, is not in this repository` }
  }
}

/** The files that say what an artifact is put together from. */
function definedIn({ origin }: Manifest, parts: readonly ArtifactPart[]): string[] {
  const further = parts.flatMap(({ content }) => ('definedIn' in content ? content.definedIn : []))
  return [...new Set([origin.path, ...further])]
}
