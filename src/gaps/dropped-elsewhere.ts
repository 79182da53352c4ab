import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { remoteEntries } from '../sources/kustomization'
import { isKnown } from './unrendered'

/**
 * `source/unrendered` for what Kustomizations of the base take from elsewhere and none of the head does: nobody sees what goes
 * with it. A Kustomization that takes in something new in its place has most likely a copy of it.
 */
export async function droppedElsewhere(base: SideOfChange, head: SideOfChange): Promise<Finding[]> {
  const { kustomizations } = head.discovery
  const changed = [...base.discovery.kustomizations.values()].filter(
    ({ file, made }) => !made && base.checkout.idOf(file) !== head.checkout.idOf(file),
  )
  const entries = changed.flatMap((before) => {
    const known = new Set(before.includes.map(({ text }) => text))
    const after = kustomizations.get(before.folder)?.includes.filter(({ text }) => !known.has(text)) ?? []
    return after.length > 0 ? [] : remoteEntries(before, base.checkout)
  })
  if (entries.length === 0) return []
  const taken = await head.takenFromElsewhere()
  return entries
    .filter(({ text }) => !isKnown(text, taken))
    .map(({ path, region, text }) =>
      gateFinding('source/unrendered', 'dropped', 'warning', {
        side: 'base',
        path,
        region,
        status: 'introduced',
        keys: [path, text],
        text: `This change drops the remote base ${text}. Its objects are not in this repository, so the removals cannot be checked. Review that base, and vendor the objects that must stay.`,
      }),
    )
}
