import type { MissingValues } from '../deployers/common/file-deployments'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { ignorePatternsIn, takes } from '../revision/ignore-patterns'
import type { SideOfChange } from '../sides/side'

/** Values files that releases of helmfiles name and that are not there: helmfile fails before it installs anything. */
export async function missingValues(base: SideOfChange | undefined, head: SideOfChange): Promise<Finding[]> {
  const known = new Set(base?.discovery.fileDeployments.missing.flatMap(keysOf))
  const isNew = (one: MissingValues) => base !== undefined && !keysOf(one).some((key) => known.has(key))
  const { missing } = head.discovery.fileDeployments
  const isKept = missing.length > 0 ? await ignoredIn(head) : () => false
  const found = new Map<string, Finding>()
  for (const one of missing) {
    const { path, region, release, place, written, list } = one
    const isRemoved = base?.checkout.has(place) === true
    // Secrets, and what Git ignores, are made or copied where helmfile runs.
    if ((list === 'secrets' || isKept(place)) && !isRemoved) continue
    const what = written === place ? place : `${written} (${place})`
    const cause = isRemoved ? 'this change removes the file' : 'there is no such file in this repository'
    const finding = gateFinding('source/unrendered', 'file-missing', 'error', {
      side: 'head',
      path,
      region,
      status: isNew(one) ? 'introduced' : 'existing',
      keys: [path, release, place],
      text: `The release ${release} names ${what}, but ${cause}, so helmfile fails and installs nothing. Correct the path, which is relative to this file, or add the file.`,
    })
    found.set(finding.fingerprint, finding)
  }
  return [...found.values()]
}

/** The same file of a release in another helmfile, or named by another path, is no news. */
function keysOf({ path, release, place, written }: MissingValues): readonly string[] {
  return [JSON.stringify([release, place]), JSON.stringify([path, release, written])]
}

async function ignoredIn({ checkout }: SideOfChange): Promise<(file: string) => boolean> {
  const files = [...checkout.tree.entries.keys()].filter((file) => /(?:^|\/)\.gitignore$/.test(file))
  const depthOf = (file: string) => file.split('/').length
  const texts = [...(await checkout.texts(files))].sort(([a], [b]) => depthOf(a) - depthOf(b))
  const patterns = texts.flatMap(([file, text]) => ignorePatternsIn(text, file))
  return (file) => patterns.findLast((one) => takes(one, file.split('/')))?.includes === false
}
