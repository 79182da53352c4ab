import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { inside, isRemote, type Kustomization, type Mention } from '../sources/kustomization'
import { realPlace } from '../sources/places'

/**
 * Entries of Kustomizations for files and folders that this change removes, or that were never there, where the build
 * does not show it: what is elsewhere, such as a base by its URL, is left out of it, and so is what cannot be read.
 *
 * @param known the failures that are reported already
 */
export async function missingEntries(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const kustomization of head.discovery.kustomizations.values()) {
    const { file, folder, made } = kustomization
    const missing = made ? [] : kustomization.includes.filter((entry) => isMissing(entry, folder, head))
    if (missing.length === 0) continue
    const before = base.discovery.kustomizations.get(folder)
    const fresh = missing.filter((entry) => !before || !isListed(entry, before) || !isMissing(entry, folder, base))
    const fileText = fresh.length > 0 ? await head.checkout.text(file) : undefined
    for (const { text, region } of fresh) {
      const isRemoved = isGone(text, folder, changed)
      if (!(isRemoved || changed.has(file)) || known.some((one) => tells(one, file, text))) continue
      const does = isRemoved ? 'this change removes it' : 'it is not in this repository'
      found.push(
        gateFinding('source/unrendered', 'entry-missing', 'error', {
          side: 'head',
          path: file,
          region,
          status: 'introduced',
          keys: [file, text],
          text: `This Kustomization lists ${text}, and ${does}, so kustomize cannot build it, and nothing that is built with it is applied. Correct the path, add the file, or remove the entry.`,
          ...(fileText === undefined ? {} : { fileText }),
        }),
      )
    }
  }
  return found
}

function isMissing({ text }: Mention, folder: string, { checkout }: SideOfChange): boolean {
  const place = isRemote(text) || /[${}\n]/.test(text) ? undefined : inside(folder, text)
  if (place === undefined || place === '' || checkout.inPlaceOf.has(text)) return false
  return checkout.tree.at(realPlace(checkout.tree, place)).length === 0
}

function isListed({ text }: Mention, { includes }: Kustomization): boolean {
  return includes.some((one) => one.text === text)
}

/** Whether a change touches an entry or something below it. */
function isGone(text: string, folder: string, changed: ReadonlySet<string>): boolean {
  const place = inside(folder, text)
  return place !== undefined && [...changed].some((file) => file === place || file.startsWith(`${place}/`))
}

/** Whether a finding is about an entry already. */
function tells({ rule, text: words, location }: Finding, file: string, entry: string): boolean {
  return rule.startsWith('source/') && (location.path === file || words.includes(entry)) && words.includes('build')
}
