import path from 'node:path/posix'
import type { Skipped } from '../finding/report'
import type { LedgerEntry } from '../ledger/entry'
import type { Manifest } from '../manifest/manifest'
import type { Reach } from './reach'

const reason =
  'no Argo CD or Flux object that is known deploys it, so its objects are judged alone and compared with no other object; if something else deploys it, declare it in the config under `clusters: {NAME: {paths: [GLOB]}}`'

/** The folders of the given objects that nothing known deploys: no rule compares these objects with others. */
export function foldersJudgedAlone(manifests: readonly Manifest[], { isDeployed }: Reach): ReadonlySet<string> {
  const alone = isDeployed ? manifests.filter((manifest) => !isDeployed(manifest)) : []
  return new Set(alone.map(({ origin }) => (origin.kind === 'file' ? path.dirname(origin.path) : origin.source.path)))
}

/** Lists these folders among what was not inspected. */
export function judgedAlone(folders: ReadonlySet<string>): Skipped[] {
  return [...folders].sort().map((folder) => ({ path: folder, reason, cause: 'judged-alone' }))
}

/** Says of a changed file in these folders how its objects were judged. */
export function asJudgedAlone(entry: LedgerEntry, folders: ReadonlySet<string>): LedgerEntry {
  if (entry.state !== 'judged' || !folders.has(path.dirname(entry.path))) return entry
  return { ...entry, reason: `${entry.reason}, and compared with no other object, as nothing known deploys them` }
}
