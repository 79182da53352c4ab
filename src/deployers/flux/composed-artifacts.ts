import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { inside } from '../../sources/kustomization'
import { FluxArtifact } from '../common/flux-artifact'
import type { GitOpsSources } from '../common/gitops-sources'
import {
  type ArtifactContent,
  type ArtifactPart,
  ComposedArtifact,
  type FoundFolder,
  type NotFollowed,
  restOf,
} from './composed-artifact'

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
  readonly artifacts: { of(source: Manifest): FluxArtifact }
  sourceNamed(source: NamedSource): Manifest | undefined
  /** Adds the GitRepository by which an object takes this repository. */
  track(reference: Cursor, namespace: string, by: Manifest, kind: string): void
}

/** The artifacts of Flux that are put together from others. */
export class ComposedArtifacts {
  private readonly known = new Map<Manifest, ComposedArtifact | NotFollowed>()

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

  private composedBy(source: NamedSource, level: number): ComposedArtifact | NotFollowed | undefined {
    const manifest = this.sources.sourceNamed(source)
    if (manifest?.ref.kind !== 'GitRepository' || !readFluxSource(manifest.root).include.exists) return undefined
    const known = this.known.get(manifest)
    if (known) return known
    const name = `GitRepository ${manifest.ref.name}`
    if (level > most.levels) return { reason: `${name} is included over more than ${most.levels} levels` }
    this.known.set(manifest, { reason: `${name} includes itself` })
    const made = this.withIncludes(manifest, name, level)
    this.known.set(manifest, made)
    return made
  }

  /** https://fluxcd.io/flux/components/source/gitrepositories/#include */
  private withIncludes(source: Manifest, name: string, level: number): ComposedArtifact | NotFollowed {
    const includes = [...readFluxSource(source.root).include.items()]
    if (includes.length > most.parts) return { reason: `${name} has more than ${most.parts} includes` }
    const parts = includes.map((one): ArtifactPart => {
      const repository = one.at('repository')
      const to = inside('', textAt(one.at('toPath')).replace(/^\/+/, '') || textAt(repository.at('name')))
      const from = inside('', textAt(one.at('fromPath')).replace(/^\/+/, '') || '.')
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
    if (!manifest || kind !== 'GitRepository')
      return { reason: `${kind} ${textAt(reference.at('name'))} is not in this repository` }
    const content = this.plainContent(manifest, folder)
    if ('files' in content) this.sources.track(reference, namespace, by, kind)
    return content
  }

  /** The content of a GitRepository itself. */
  private plainContent(source: Manifest, folder: string): { readonly files: FluxArtifact } | NotFollowed {
    const url = textAt(readFluxSource(source.root).url)
    return this.named.isHere(url, folder)
      ? { files: this.sources.artifacts.of(source) }
      : { reason: `GitRepository ${source.ref.name}, ${url}, is not in this repository` }
  }
}

/** The files that say what an artifact is put together from. */
function definedIn({ origin }: Manifest, parts: readonly ArtifactPart[]): string[] {
  const further = parts.flatMap(({ content }) => ('definedIn' in content ? content.definedIn : []))
  return [...new Set([origin.path, ...further])]
}
