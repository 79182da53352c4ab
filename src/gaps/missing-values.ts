import { isMainRevision } from '../deployers/common/missing-folder'
import type { MissingValues } from '../deployers/common/missing-values'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { ignoredByGit } from '../revision/ignored-by-git'
import type { SideOfChange } from '../sides/side'

/** What becomes of the release, and what to do. */
const outcomes: Readonly<Record<MissingValues['deployer'], readonly [effect: string, remedy: string]>> = {
  helmfile: [
    'helmfile fails and installs nothing',
    'Correct the path, which is relative to this file, or add the file.',
  ],
  Fleet: [
    'Fleet cannot read the bundle, and deploys nothing of it',
    'Correct the path, which is relative to this file, or add the file.',
  ],
  'Argo CD': [
    'Argo CD fails to sync it, and the cluster keeps what it has',
    'Correct the path, add the file, or set `ignoreMissingValueFiles: true` if it may be missing.',
  ],
  Flux: [
    'Flux cannot package its chart, and does not upgrade the release',
    'Correct the path, which starts at the root of the repository, add the file, or set `ignoreMissingValuesFiles: true` if it may be missing.',
  ],
}

/**
 * Argo CD takes such a file for a URL, so its own option does not matter.
 * Source: argo-cd v3.4.0, reposerver/repository/repository.go, getResolvedValueFiles; helm-secrets, docs/Values.md
 */
const ofDecrypted = [
  'helm-secrets fails, Argo CD cannot sync it, and the cluster keeps what it has',
  'Correct the path, add the file, or write a question mark before the path (`secrets://?`) if it may be missing.',
] as const

/**
 * Values files that releases name and that are not there: their deployer fails.
 *
 * @param branch the branch that the change is merged to; undefined if its name is unknown
 */
export async function missingValues(
  base: SideOfChange | undefined,
  head: SideOfChange,
  branch: string | undefined,
): Promise<Finding[]> {
  const known = new Set(base?.discovery.missing.flatMap(keysOf))
  const isNew = (one: MissingValues) => base !== undefined && !keysOf(one).some((key) => known.has(key))
  const { missing } = head.discovery
  const isKept = missing.some(({ deployer }) => deployer === 'helmfile')
    ? await ignoredByGit(head.checkout)
    : () => false
  const found = new Map<string, Finding>()
  for (const one of missing) {
    const { deployer, path, region, release, place, written, list } = one
    const isRemoved = base?.checkout.has(place) === true
    // Secrets, and what Git ignores, are made or copied where helmfile runs.
    if ((list === 'secrets' || (deployer === 'helmfile' && isKept(place))) && !isRemoved) continue
    // Another branch may have it.
    if (one.branch !== undefined && one.branch !== branch && !isMainRevision(one.branch)) continue
    const what = written === place ? place : `${written} (${place})`
    const cause = isRemoved ? 'this change removes the file' : 'there is no such file in this repository'
    const [effect, remedy] = list === 'decrypted' ? ofDecrypted : outcomes[deployer]
    const who = ['helmfile', 'Fleet'].includes(deployer) ? `The release ${release}` : release
    const finding = gateFinding('source/unrendered', 'file-missing', 'error', {
      side: 'head',
      path,
      region,
      status: isNew(one) ? 'introduced' : 'existing',
      keys: [path, release, place],
      text: `${who} names ${what}, but ${cause}, so ${effect}. ${remedy}`,
    })
    found.set(finding.fingerprint, finding)
  }
  return [...found.values()]
}

/** The same file of a release in another file, or named by another path, is no news. */
function keysOf({ path, release, place, written }: MissingValues): readonly string[] {
  return [JSON.stringify([release, place]), JSON.stringify([path, release, written])]
}
