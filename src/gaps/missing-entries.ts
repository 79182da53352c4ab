import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { inside, isRemote, type Kustomization, type Mention } from '../sources/kustomization'
import { realPlace } from '../sources/places'

/**
 * Entries of Kustomizations for files and folders that this change removes, where the build does not show it, as
 * something else in the Kustomization keeps it from being built here. It may be built elsewhere.
 *
 * @param known the failures that are reported already
 */
export async function missingEntries(
  base: SideOfChange,
  head: SideOfChange,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { folder, file, made, includes } of head.discovery.kustomizations.values()) {
    const before = made ? undefined : base.discovery.kustomizations.get(folder)
    const gone = before
      ? includes.filter(
          (entry) => isMissing(entry, folder, head) && isListed(entry, before) && !isMissing(entry, folder, base),
        )
      : []
    const fileText = gone.length > 0 ? await head.checkout.text(file) : undefined
    for (const { text, region } of gone) {
      if (known.some((one) => names(one, text))) continue
      found.push(
        gateFinding('source/unrendered', 'entry-missing', 'warning', {
          side: 'head',
          path: file,
          region,
          status: 'introduced',
          keys: [file, text],
          text: `This Kustomization lists ${text}, and this change removes it, so kustomize cannot build it, and nothing that is built with it is applied. Correct the path, restore the file, or remove the entry.`,
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

/** Whether a finding names an entry already: kustomize puts it in quotes, and a short one may be a part of other words. */
function names({ rule, text: words }: Finding, entry: string): boolean {
  return rule === 'source/unrendered' && words.includes(`'${entry}'`)
}
