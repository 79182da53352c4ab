import { releasesSeen } from '../gaps/accounts/releases-seen'
import { beforeBootstrap } from '../gaps/before-bootstrap'
import type { Coverage, CoveredFile, CoveredRelease, Sight } from '../ledger/coverage'
import type { LedgerEntry } from '../ledger/entry'
import { emptyRevision } from '../revision/empty-revision'
import { SideOfChange } from '../sides/side'
import { type AccountInput, entriesOf } from './account-for-files'
import type { Scope } from './opening/scope'
import { platformOf } from './platform-of'
import { namesAllFolders } from './reach'

/** Accounts for every file and release of a revision that is judged whole, as if a change had added all of it. */
export async function cover(known: AccountInput, scope: Scope): Promise<Coverage> {
  const { head } = known.sides
  const base = await SideOfChange.open(emptyRevision, 'base', {
    ...scope,
    changed: undefined,
    releases: [],
    declarations: { base: {}, head: {}, isNew: () => false },
    base: undefined,
    inventories: new Set(),
  })
  const { roots } = head.discovery
  const idle = {
    namedElsewhere: roots.otherTools || (await namesAllFolders(head)),
    brokenBefore: new Set<string>(),
    beforeBootstrap: beforeBootstrap(head, known.rendered.after),
    vendorsNothing: false,
  }
  const changed = new Set(head.checkout.tree.entries.keys())
  const { entries } = await entriesOf({ base, head, changed }, { ...known, unseen: { ...known.unseen, idle } }, scope)
  const releases = releasesSeen({ head, rendered: known.rendered.after, manifests: known.compared.after, idle })
  const hidden = filesOf(releases, 'not-seen')
  const byValues = new Set([...filesOf(releases, 'by-values')].filter((file) => !hidden.has(file)))
  return { files: entries.map((entry) => coveredFile(entry, byValues)), releases, platform: platformOf(known) }
}

function filesOf(releases: readonly CoveredRelease[], wanted: Sight): ReadonlySet<string> {
  return new Set(releases.flatMap(({ path, files = [path], sight }) => (sight === wanted ? files : [])))
}

function coveredFile({ change: _, ...file }: LedgerEntry, byValues: ReadonlySet<string>): CoveredFile {
  // No entry of a Kustomization is another one than before.
  if (file.cause === 'remote-version') return { ...file, cause: 'remote-entry' }
  return file.state === 'not-judged' && byValues.has(file.path)
    ? { path: file.path, state: 'judged', reason: 'its values are judged' }
    : file
}
