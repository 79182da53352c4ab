import { createHash } from 'node:crypto'
import type { ReadObjects, ReportShard } from '../finding/report'
import { identityOf, type Manifest } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'
import type { Sides } from './opening/open-sides'
import type { SelectedShards } from './opening/shard'

/** What a run of some clusters covers, so that the reports of several can become one. */
export function coveredBy(
  { base, head, changed }: Sides,
  { all, names }: SelectedShards,
  before: readonly Manifest[],
  after: readonly Manifest[],
): Omit<ReportShard, 'terms' | 'parts'> {
  return {
    revisions: { base: base ? contentOf(base) : null, head: contentOf(head) },
    all,
    judged: names,
    read: { base: readIn(before), head: readIn(after) },
    changedFiles: changed?.size ?? 0,
  }
}

/** Equal for sides with the same files. */
function contentOf({ checkout }: SideOfChange): string {
  const hash = createHash('sha256')
  const entries = [...checkout.tree.entries.values()].map(({ path, type, id }) => JSON.stringify([path, type, id]))
  for (const entry of entries.sort()) hash.update(`${entry}\n`)
  return hash.digest('hex')
}

function readIn(manifests: readonly Manifest[]): ReadObjects[] {
  const found = new Map<string, { of: string; isRendered: boolean; objects: string[] }>()
  for (const { origin, ref, object } of manifests) {
    const isRendered = origin.kind === 'rendered'
    const of = isRendered ? origin.id : origin.path
    const key = JSON.stringify([isRendered, of])
    const its = found.get(key) ?? { of, isRendered, objects: [] }
    found.set(key, its)
    its.objects.push(`${object.region.startLine} ${identityOf(ref)}`)
  }
  return [...found.values()]
}
