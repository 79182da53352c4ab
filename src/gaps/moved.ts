import { basename } from 'node:path/posix'
import type { Source } from '../sources/source'

/** Whether a removed source may have moved to another folder: the state of its rendered objects is then unknown. */
export function isMoved(before: Source, after: Source): boolean {
  if ((before.origin === 'probed') !== (after.origin === 'probed')) return false
  if (before.kind === 'helm') return after.kind === 'helm' && before.release === after.release
  return after.kind === 'kustomize' && basename(before.root) === basename(after.root)
}
