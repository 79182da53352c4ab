import { identityOf } from '../../manifest/manifest'
import type { Files } from '../../revision/files'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { pairsOf } from '../opening/read-in-part'
import { allOf, answeredRelease, certainObjects, type Uncertain, uncertainObjects } from './uncertain-objects'

const nothingElse = { otherBefore: new Map(), otherAfter: new Set<string>() }

/** The objects of the releases that differ which other answers of the cluster change, on both sides. */
export async function uncertainIn(
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
  files: { readonly before: Files; readonly after: Files },
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
): Promise<Uncertain> {
  const releases = await Promise.all(
    pairsOf(before, after).flatMap(({ before: was, after: is }) =>
      is
        ? [answeredRelease({ before: was, after: is }, { base, head }).then((answered) => ({ was, is, answered }))]
        : [],
    ),
  )
  const inFiles = (its: Files) =>
    [...its.loaded].flatMap(([path, { objects }]) =>
      objects.map((object) => ({ object, origin: { kind: 'file' as const, path } })),
    )
  const filesAfter = inFiles(files.after).map(({ object: { ref } }) => identityOf(ref))
  const certain = new Map(releases.map(({ is, answered }) => [is, certainObjects(is, answered)]))
  return allOf(
    releases.map(({ was, is, answered }) => {
      if (answered.pairs.length === 0) return uncertainObjects({ before: was, after: is }, answered, nothingElse)
      const othersBefore = before.filter((side) => side !== was).flatMap(({ objects }) => objects)
      const othersAfter = [...certain].flatMap(([side, ids]) => (side === is ? [] : ids))
      const all = [...inFiles(files.before), ...othersBefore]
      return uncertainObjects({ before: was, after: is }, answered, {
        otherBefore: new Map(all.map((one) => [identityOf(one.object.ref), one])),
        otherAfter: new Set([...filesAfter, ...othersAfter]),
      })
    }),
  )
}
