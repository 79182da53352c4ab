import { groupKindOf, type Manifest, ownGroup } from '../manifest/manifest'
import type { ActiveRule } from '../policy/policy'

/** The objects of a snapshot by their kinds, so that no rule goes through all of them. */
export class Candidates {
  private readonly byKind = new Map<string, Manifest[]>()

  constructor(private readonly all: readonly Manifest[]) {
    for (const manifest of all) {
      const kind = groupKindOf(manifest.ref)
      const its = this.byKind.get(kind)
      if (its) its.push(manifest)
      else this.byKind.set(kind, [manifest])
    }
  }

  /** The objects that a rule judges. */
  of(active: ActiveRule): readonly Manifest[] {
    const { kinds } = active.rule
    if (kinds === '*') return this.all.filter((manifest) => judges(active, manifest))
    return kinds.flatMap((kind) => this.byKind.get(kind) ?? [])
  }
}

/** Whether a rule judges an object by itself. */
export function judges({ rule }: ActiveRule, manifest: Manifest): boolean {
  // Cluster descriptions and synthetic releases are not cluster objects.
  return rule.kinds === '*' ? manifest.ref.group !== ownGroup : rule.kinds.includes(groupKindOf(manifest.ref))
}
