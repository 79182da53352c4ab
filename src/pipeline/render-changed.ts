import { failLostCharts } from '../gaps/missing-charts'
import type { ActiveRule } from '../policy/policy'
import type { RenderedSide, SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'
import { withoutDeleted } from './deleted-objects'
import type { Sides } from './open-sides'
import { protectedBy } from './protected-by'
import type { ChangedFiles } from './read-changed'
import { readInPart } from './read-in-part'
import { uncertainIn } from './uncertain-in'

/** The sources that differ, rendered at the sides that have them. */
export interface ChangedRenderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** Whether a source renders to the same on both sides. */
  readonly isSame: (source: Source) => boolean
}

/** Renders the sources whose files or definition differ. */
export async function renderChanged(
  { base, head }: Sides,
  { values, reached, ...files }: ChangedFiles,
  rules: readonly ActiveRule[],
): Promise<ChangedRenderings> {
  const isSame = ({ id }: Source) => base !== undefined && base.keys.get(id) === head.keys.get(id) && !reached.has(id)
  const renderAll = (side: SideOfChange) =>
    Promise.all(side.discovery.sources.filter((source) => !isSame(source)).map((source) => side.render(source)))
  const whole = await Promise.all([base ? renderAll(base) : [], renderAll(head)])
  const readable = await readInPart({ base, head }, ...whole)
  const [before, after] = await Promise.all([
    values.complete('base', readable.before),
    values.complete('head', failLostCharts(readable.before, readable.after)),
  ])
  if (!base) return { before, after, isSame }
  const uncertain = await uncertainIn({ base, head }, files, before, after)
  const left = withoutDeleted(before, after, protectedBy(rules))
  return { before: [...left.before, ...uncertain.before], after: [...left.after, ...uncertain.after], isSame }
}
