import { Snapshot } from '../cluster/snapshot'
import type { RawFinding } from '../finding/finding'
import type { Manifest } from '../manifest/manifest'

/** Decides whether a finding about an object that nothing deploys is kept. */
interface Judging {
  readonly isDeployed: (manifest: Manifest) => boolean
  readonly snapshot: Snapshot
  /** The rule's findings about an object in a snapshot. */
  readonly judged: (manifest: Manifest, snapshot: Snapshot) => readonly RawFinding[]
}

/**
 * Drops what a rule states by comparing an object that nothing deploys with others: an archived Ingress takes no host
 * from a deployed one. Findings about such an object alone are kept.
 */
export function withoutUndeployed(
  drafts: readonly RawFinding[],
  { isDeployed, snapshot, judged }: Judging,
): readonly RawFinding[] {
  return drafts.filter((draft) => {
    const manifests = new Set(draft.ends.map(({ manifest }) => manifest))
    const [manifest] = manifests
    if (!manifest || [...manifests].every(isDeployed)) return true
    if (manifests.size > 1) return false
    const alone = new Snapshot(snapshot.cluster, [manifest], snapshot.descriptions, () => true)
    return judged(manifest, alone).some(
      ({ message, keys }) => message === draft.message && String(keys) === String(draft.keys),
    )
  })
}
