import { append } from '../append'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { abridged } from '../listing'
import type { SideOfChange } from '../sides/side'
import { remoteEntries } from '../sources/kustomization'
import { isKnown } from './known-remotes'

/**
 * Reports `source/unrendered` for remote bases that the base uses and the head does not: their objects are not in this
 * repository, so the removals cannot be checked. A Kustomization that includes something new in their place most likely
 * includes a copy.
 */
export async function removedRemoteBases(base: SideOfChange, head: SideOfChange): Promise<Finding[]> {
  const { kustomizations } = head.discovery
  const changed = [...base.discovery.kustomizations.values()].filter(
    ({ file, made }) => !made && base.checkout.idOf(file) !== head.checkout.idOf(file),
  )
  const entries = changed.flatMap((before) => {
    const known = new Set(before.includes.map(({ text }) => text))
    const after = kustomizations.get(before.folder)?.includes.filter(({ text }) => !known.has(text)) ?? []
    // Removals from fetched bases are judged by the rules.
    const left = remoteEntries(before, base.checkout).filter(({ text }) => !base.fetched.includes(text))
    return after.length > 0 ? [] : left
  })
  if (entries.length === 0) return []
  const knownRemotes = await head.remotePlaces()
  const gone = new Map<string, (typeof entries)[number][]>()
  for (const entry of entries) if (!isKnown(entry.text, knownRemotes)) append(gone, entry.path, entry)
  return [...gone].flatMap(([path, its]) => {
    const texts = its.map(({ text }) => text)
    const [what, whose] = texts.length === 1 ? ['the remote base', 'that base'] : ['the remote bases', 'these bases']
    return its.slice(0, 1).map(({ region }) =>
      gateFinding('source/unrendered', 'dropped', 'warning', {
        side: 'base',
        path,
        region,
        status: 'introduced',
        keys: [path, ...texts],
        text: `This change drops ${what} ${abridged(texts)}. The objects are not in this repository, so the removals cannot be checked. Review ${whose}, and vendor the objects that must stay.`,
      }),
    )
  })
}
