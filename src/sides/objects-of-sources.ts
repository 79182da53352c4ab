import type { FileObjects } from '../cluster/clusters'
import type { Side } from '../manifest/manifest'
import type { RenderedSide } from './rendered-side'

/** The objects of renderings, at the files that decide their clusters. */
export function objectsOfSources(rendered: readonly RenderedSide[], sides: readonly Side[]): FileObjects[] {
  return rendered.flatMap(({ source: { target }, objects }) =>
    'path' in target ? [{ path: target.path, sides, refs: objects.map(({ object }) => object.ref) }] : [],
  )
}
