import type { LoadedObject } from '../manifest/load'
import type { Origin } from '../manifest/manifest'
import type { Failure } from '../render/tools/rendering'
import type { InflatedChart } from '../sources/inflated-chart'
import type { RemoteEntry } from '../sources/kustomization'
import type { Lack } from '../sources/lack'
import type { Source } from '../sources/source'

/** A source as one side of a change has it, rendered. */
export interface RenderedSide {
  readonly source: Source
  readonly objects: readonly { readonly object: LoadedObject; readonly origin: Origin }[]
  readonly unreadable: readonly {
    readonly cause: 'unreadable-output'
    readonly path: string
    /** The object, as far as it can be known: `Ingress/web`. */
    readonly about: string
    readonly reason: string
  }[]
  readonly failure: Failure | undefined
  /** Remote entries that were left out of the build. */
  readonly remote: readonly RemoteEntry[]
  /** The charts it inflates; those that are not in the repository were left out. */
  readonly charts: readonly InflatedChart[]
  /** Remote files of its ConfigMaps and Secrets, which were left out. */
  readonly data: readonly RemoteEntry[]
  /** The way in which it was read, if it is not rendered whole on both sides. */
  readonly partial?: PartialReading
}

/** The way in which a source was read that is not rendered whole, on this side or on the other. */
export interface PartialReading {
  /** Rendered without its missing parts, or read from its files. */
  readonly manner: 'reduced' | 'written'
  /** The reason why it is not rendered whole; undefined if only the other side is not. */
  readonly failure: Failure | undefined
  readonly lacks: readonly Lack[]
}
