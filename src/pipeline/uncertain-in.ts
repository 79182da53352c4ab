import { identityOf } from '../manifest/manifest'
import type { Files } from '../revision/files'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { pairsOf } from './read-in-part'
import { allOf, type Uncertain, uncertainObjects } from './uncertain-objects'

/** The objects of the releases that differ which other answers of the cluster change, on both sides. */
export async function uncertainIn(
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
  files: { readonly before: Files; readonly after: Files },
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
): Promise<Uncertain> {
  const certain = await certainSides(head, after)
  const found = await Promise.all(
    pairsOf(before, after).map(async ({ before: was, after: is }) => {
      if (!is) return allOf([])
      const others = (sides: readonly RenderedSide[], own: RenderedSide | undefined, its: Files) => [
        ...[...its.loaded].flatMap(([path, { objects }]) =>
          objects.map((object) => ({ object, origin: { kind: 'file' as const, path } })),
        ),
        ...sides.filter((side) => side !== own).flatMap(({ objects }) => objects),
      ]
      const surroundings = {
        base,
        head,
        otherBefore: new Map(others(before, was, files.before).map((one) => [identityOf(one.object.ref), one])),
        otherAfter: new Set(others(certain, is, files.after).map(({ object: { ref } }) => identityOf(ref))),
      }
      return uncertainObjects({ before: was, after: is }, surroundings)
    }),
  )
  return allOf(found)
}

/** The releases of the head that ask nothing of their cluster: what they make does not depend on an answer. */
async function certainSides(head: SideOfChange, after: readonly RenderedSide[]): Promise<RenderedSide[]> {
  const asks = await Promise.all(
    after.map(async ({ source }) => source.kind === 'helm' && (await head.wordsOf(source)).mayAsk),
  )
  return after.filter((_, index) => !asks[index])
}
