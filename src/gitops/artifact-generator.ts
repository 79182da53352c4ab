import type { Cursor } from '../manifest/cursor'
import { textAt } from './text'

/**
 * An ArtifactGenerator of Flux, which makes artifacts of others.
 * https://fluxcd.io/flux/components/source/artifactgenerators/
 */
export interface ArtifactGenerator {
  /** The sources by their aliases. */
  readonly sources: ReadonlyMap<string, Cursor>
  /** A pattern of folders: the artifacts are made once for each, `@alias/apps/{app}`. */
  readonly pathPattern: string
  readonly artifacts: readonly { readonly name: string; readonly copies: readonly Copy[] }[]
}

/** A step that copies files into an artifact. */
export interface Copy {
  /** `@alias/path`, whose path may be a glob. */
  readonly from: string
  /** `@artifact/path` */
  readonly to: string
  readonly exclude: readonly string[]
  /** `Overwrite` unless it is given. */
  readonly strategy: string
}

export function readArtifactGenerator(root: Cursor): ArtifactGenerator {
  const spec = root.at('spec')
  return {
    sources: new Map([...spec.at('sources').items()].map((one) => [textAt(one.at('alias')), one])),
    pathPattern: textAt(spec.at('pathPattern')),
    artifacts: [...spec.at('artifacts').items()].map((one) => ({
      name: textAt(one.at('name')),
      copies: [...one.at('copy').items()].map((copy) => ({
        from: textAt(copy.at('from')),
        to: textAt(copy.at('to')),
        exclude: [...copy.at('exclude').items()].map(textAt),
        strategy: textAt(copy.at('strategy')) || 'Overwrite',
      })),
    })),
  }
}
