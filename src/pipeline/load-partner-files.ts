import type { LoadedFile } from '../manifest/load'
import { changesWithAssumed } from './assume'
import type { Comparison } from './compare'
import type { Scope } from './opening/scope'
import { type LoadedPartners, loadPartners } from './partners/load-partners'
import type { ChangedFiles } from './read-changed'
import type { Rest } from './read-rest'

/** Parses, of the untouched files, the documents that a rule compares with a touched object. */
export async function loadPartnerFiles(
  { values }: ChangedFiles,
  { texts, seen }: Rest,
  compared: Comparison,
  { rules, search, partners }: Scope,
): Promise<LoadedPartners> {
  const { described, moves, rest, placement, among } = compared
  const changes = [...changesWithAssumed(compared), ...described]
  const touched = new Set([...changes, ...moves].map(({ cluster }) => cluster))
  for (const { kind, cluster } of changes) if (kind === 'removed') touched.add(among.get(cluster) ?? cluster)
  const isTouched = (cluster: string) => touched.has(cluster)
  const isNear = (path: string) => placement.clustersOf('head', path).some(isTouched)
  const loaded = rest.head.filter(({ clusters }) => clusters.some(isTouched))
  const found = partners
    ? { loaded: partners.load(texts), documents: [] }
    : loadPartners(rules, changes, moves, texts, { loaded, seen, search: search?.words, isNear })
  const completed = new Map<string, LoadedFile>()
  for (const [path, file] of found.loaded) completed.set(path, await values.completed(path, file))
  return { ...found, loaded: completed }
}
