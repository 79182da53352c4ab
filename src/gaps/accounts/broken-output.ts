import type { Region } from '../../region'
import { lineRegion } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { isSwitchedOn } from '../switched-on'
import { firstEdit } from './edited-lines'

/** The first changed lines of the templates whose output with these values is no YAML: helm names no line of a template. */
export async function editsOfBroken(
  base: SideOfChange,
  head: SideOfChange,
  after: readonly RenderedSide[],
): Promise<ReadonlyMap<string, Region>> {
  const broken = after.flatMap((side) =>
    isSwitchedOn(side) && side.failure?.reason.includes('YAML parse error on ') ? [side.failure.path] : [],
  )
  const edits = new Map<string, Region>()
  for (const file of new Set(broken)) {
    const [was, is] = await Promise.all([base, head].map(({ checkout }) => checkout.text(file)))
    const line = is === undefined ? undefined : firstEdit(is, was ?? '')
    if (line !== undefined) edits.set(file, lineRegion(line))
  }
  return edits
}
