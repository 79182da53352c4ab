import type { ObjectRef } from '../manifest/manifest'
import { placeOf } from '../sources/source'
import type { RenderedSide } from './rendered-side'
import type { SideOfChange } from './side'

/**
 * Whether an object of the base came from a discovered source, and now comes from one that is declared or named: it is
 * then in another namespace or cluster than was guessed, and was not removed.
 */
export function claimedByExplicitSource(
  base: SideOfChange | undefined,
  head: SideOfChange,
  rendered: readonly RenderedSide[],
): (id: string, ref: ObjectRef) => boolean {
  const tried = new Map(
    base?.discovery.sources.flatMap((source) => (source.origin === 'discovered' ? [[source.id, placeOf(source)]] : [])),
  )
  for (const { id } of head.discovery.sources) tried.delete(id)
  // A chart that was only rendered with its own values is rendered with its sets of values as soon as it has some.
  const alone = new Set(
    base?.discovery.sources.flatMap((one) => (one.kind === 'helm' && one.values.length === 0 ? [placeOf(one)] : [])),
  )
  const objects = new Set(
    rendered.flatMap(({ source, objects: its }) =>
      source.baseSourceId !== undefined || (source.origin === 'discovered' && !alone.has(placeOf(source)))
        ? []
        : its.map(({ object: { ref } }) => JSON.stringify([placeOf(source), ref.kind, ref.name])),
    ),
  )
  const charts = new Set(
    head.discovery.sources.flatMap((one) =>
      one.kind === 'helm' && (one.origin === 'named' || one.origin === 'declared') && one.baseSourceId === undefined
        ? [one.chart]
        : [],
    ),
  )
  return (id, { kind, name }) => {
    const place = tried.get(id)
    return place !== undefined && (charts.has(place) || objects.has(JSON.stringify([place, kind, name])))
  }
}
