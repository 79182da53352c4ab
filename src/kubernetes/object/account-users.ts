import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { accountOf } from './service-account'

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The objects that run as or act as a ServiceAccount, by its name; those that name none, by the empty one. */
export function usersOfAccounts(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const before = known.get(snapshot)
  if (before) return before
  const users = new Map<string, Manifest[]>()
  for (const one of snapshot.manifests) append(users, accountOf(one)?.string ?? '', one)
  known.set(snapshot, users)
  return users
}
