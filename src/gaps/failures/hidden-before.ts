import { type Failure, isUnparsable } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { failureOf } from '../failure-of'

/**
 * The sources of the head that fail for a text which this change does not touch, and which they had at the base, where
 * another fault hid it: a tool names one fault at a time, so that the repair of one shows the next.
 */
export async function hiddenBefore(
  base: SideOfChange,
  head: SideOfChange,
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
): Promise<ReadonlySet<string>> {
  // What fails here alone, for a part from elsewhere, is deployed, so that it hides nothing.
  const broken = new Map(
    before.flatMap((side) => {
      const fault = failureOf(side)
      return fault && isOfText(fault) ? [[side.source.id, side.source] as const] : []
    }),
  )
  const found = new Set<string>()
  for (const side of after) {
    const { source } = side
    const old = broken.get(source.baseSourceId ?? source.id)
    const fault = failureOf(side)
    if (!old || !fault || !isOfText(fault)) continue
    const [was, is] = await Promise.all([base, head].map(({ checkout }) => checkout.text(fault.path)))
    if (was !== undefined && was === is && (await base.files(old)).includes(fault.path)) found.add(source.id)
  }
  return found
}

/** Whether a text is at fault by itself, whatever the other files contain. */
function isOfText(failure: Failure): boolean {
  return ofText.has(failure.cause) || isUnparsable(failure)
}

const ofText: ReadonlySet<Failure['cause']> = new Set<Failure['cause']>([
  'kustomization-unreadable',
  'kustomization-invalid',
])
