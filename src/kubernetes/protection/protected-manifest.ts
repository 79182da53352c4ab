import { braceExpand } from 'minimatch'
import type { Manifest } from '../../manifest/manifest'
import { clusterObjectFacts } from './cluster-object'
import { type Protect, protectionOf } from './protection'

/** Whether an object is protected by name or label, or is one on which its cluster depends. */
export function isProtected(manifest: Manifest, protect: Protect): boolean {
  return protectionOf(manifest, protect) !== undefined || clusterObjectFacts(manifest.ref) !== undefined
}

/** Protected objects hold one of these: the beginnings of their names, or else their kinds, or a label. */
export function marksOf(protect: Protect): string[] {
  return protect.flatMap((entry) =>
    typeof entry === 'string'
      ? braceExpand(entry).map((glob) => beginningOf(glob.replace(/^.*\//, '')) || beginningOf(glob))
      : (entry.label.match(/[\w./-]+/)?.[0] ?? ''),
  )
}

/** A glob up to its first wildcard, within its first part. */
function beginningOf(glob: string): string {
  return glob.replace(/[/*?[(!].*/, '')
}
