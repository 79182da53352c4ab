import type { LoadedObject } from '../../manifest/load'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { Taking } from './source-files'

/** One side of a change, with the facts about the changed files there. */
export interface AccountedSide {
  readonly side: SideOfChange
  /** Its sources that differ. */
  readonly rendered: readonly RenderedSide[]
  /** The sources that take a changed file, by path. */
  readonly takings: ReadonlyMap<string, readonly Taking[]>
  /** The texts of changed files with the name of a manifest, by path. */
  readonly texts: ReadonlyMap<string, string>
  /** The objects that are written in them. */
  readonly objects: ReadonlyMap<string, readonly LoadedObject[]>
  /** The kinds of the objects that are judged by the values of releases of charts from elsewhere, by kind and name. */
  readonly assumed: ReadonlyMap<string, readonly string[]>
}
