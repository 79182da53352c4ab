import { excerptOf } from '../finding/excerpt'
import type { AccountedSide } from '../gaps/accounts/accounted-side'
import { withoutEmptyValues } from '../gaps/accounts/empty-values'
import { withAssumed } from '../gaps/accounts/file-deployments'
import { missingDependencies } from '../gaps/accounts/missing-dependencies'
import { missingPlugins } from '../gaps/accounts/missing-plugins'
import { type NotFollowed, nameIn, notFollowed } from '../gaps/accounts/not-followed'
import { plainObjects, reported, unreadable } from '../gaps/accounts/plain-files'
import { type Recognised, recognisedFiles } from '../gaps/accounts/recognised-files'
import { withRenames } from '../gaps/accounts/renamed-files'
import { failing, renderedFiles, templatesOf } from '../gaps/accounts/rendered-files'
import { takingsOf } from '../gaps/accounts/source-files'
import { links, undeployed, withoutObjects } from '../gaps/accounts/undeployed-files'
import { valuesOfUnknownReleases } from '../gaps/accounts/values-of-unknown-releases'
import { assumedByRelease } from '../kubernetes/charts/assumed-objects'
import { type Account, accountFor, type FileChange, type LedgerEntry, type Witness } from '../ledger/entry'
import { isEncrypted, notKubernetesByName } from '../ledger/named-files'
import { touchedIn } from '../ledger/touched-keys'
import { touchesOnly } from '../ledger/touched-values'
import { type LoadedObject, loadFile } from '../manifest/load'
import type { Manifest } from '../manifest/manifest'
import { configPath } from '../policy/names'
import type { Files } from '../revision/files'
import { manifestName } from '../revision/tree'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { DeclarationSite } from '../sources/source'
import type { Unseen } from './account-for-unseen'
import type { Comparison } from './compare'
import type { Sides } from './opening/open-sides'
import type { Scope } from './opening/scope'
import type { ChangedFiles } from './read-changed'
import type { ChangedRenderings } from './render-changed'

/** The stages that the account of a change needs. */
export interface AccountInput {
  readonly sides: Sides
  readonly read: ChangedFiles
  readonly rendered: ChangedRenderings
  readonly unseen: Unseen
  readonly compared: Pick<Comparison, 'before' | 'after'>
  /** Whether this run accounts for a file; another shard does for the others. */
  readonly isOwn?: (file: string) => boolean
}

/** Accounts for every file that the change adds, changes or removes; undefined where the head is judged whole. */
export async function accountForFiles(known: AccountInput, scope: Scope): Promise<readonly LedgerEntry[] | undefined> {
  const { base, head, changed } = known.sides
  if (!base || !changed) return undefined
  const { entries, namedAt } = await entriesOf({ base, head, changed }, known, scope)
  const { isOwn = () => true } = known
  const own = withRenames(entries, base, head).filter(({ path }) => isOwn(path))
  return Promise.all(own.map((entry) => withPlace(entry, base, head, namedAt(entry.path))))
}

/** The two sides of a change, and the paths that differ. */
interface ChangedSides {
  readonly base: SideOfChange
  readonly head: SideOfChange
  readonly changed: ReadonlySet<string>
}

/**
 * Gives each file of a change its entry, without the place of those that are not judged.
 *
 * @returns the entries, and the line of the head that names a file's cause, if there is one
 */
export async function entriesOf(
  { base, head, changed }: ChangedSides,
  { sides, read, rendered, unseen, compared }: AccountInput,
  { repository, config }: Scope,
): Promise<{ entries: LedgerEntry[]; namedAt: (file: string) => DeclarationSite | undefined }> {
  const was = await accounted(base, rendered.before, read.before, compared.before, changed)
  const is = await accounted(head, rendered.after, read.after, compared.after, changed)
  const names = [...repository, ...sides.head.discovery.mirrors]
  const unseenOfDeployers = notFollowed(was, is, changed, names, { withChartSources: sides.base !== undefined })
  const isDeployer = (file: string) => [base, head].some((side) => side.discovery.fileDeployments.files.has(file))
  const certain = firstOf([
    described(sides, config),
    reported(unseen.findings),
    failing(was, is, unseen.findings, unseen.idle, 'known'),
    (file) => ofDeployer(unseenOfDeployers.get(file), [was.texts.get(file), is.texts.get(file)]),
    await missingDependencies(was, is, unseen.findings),
    await missingPlugins(was, is),
  ])
  const unread = firstOf([unreadable(read, templatesOf(was, is))])
  const seen = firstOf([
    valuesOfKnownCharts(read),
    plainObjects(read),
    await renderedFiles(was, is),
    failing(was, is, unseen.findings, unseen.idle, 'guessed'),
  ])
  // Most files are accounted for without a search for other tools, which goes through all paths.
  const open = [...changed].filter((file) => {
    if (certain(file)) return false
    const account = unread(file)
    return isDeployer(file) || account?.cause === 'template' || (!account && !seen(file))
  })
  const recognised = withAssumed(await recognisedFiles(base, head, new Set(open)), [was, is])
  const all = accountFor(changesOf(base, head, changed), [
    certain,
    (file) => (isDeployer(file) ? notJudged(recognised.get(file)) : undefined),
    orOfTool(unread, recognised),
    seen,
    linksOf(links(was, is), recognised),
    (file) => notJudged(recognised.get(file)),
    (file) => (isDeployer(file) ? { state: 'input', reason: 'the objects that it deploys are judged' } : undefined),
    notKubernetesByName,
    await valuesOfUnknownReleases([head, base], new Set(open)),
    await undeployed(base, head, new Set(open)),
    withoutObjects(was, is),
  ])
  const entries = await withoutEmptyValues(all, [base, head])
  return { entries, namedAt: (file) => unseenOfDeployers.get(file)?.placeAt }
}

function first(witnesses: readonly Witness[], file: string): Account | undefined {
  for (const witness of witnesses) {
    const account = witness(file)
    if (account) return account
  }
  return undefined
}

/** The first of several that knows a file; it is asked once. */
function firstOf(witnesses: readonly Witness[]): Witness {
  const known = new Map<string, Account | undefined>()
  return (file) => {
    if (known.has(file)) return known.get(file)
    const account = first(witnesses, file)
    known.set(file, account)
    return account
  }
}

/** A template of a tool that is known has the cause of that tool. */
function orOfTool(witness: Witness, recognised: ReadonlyMap<string, Recognised>): Witness {
  return (file) => {
    const account = witness(file)
    return account?.cause === 'template' ? (notJudged(recognised.get(file)) ?? account) : account
  }
}

/** A link that a tool takes is that tool's; one that is deployed nowhere may be a file that is not of Kubernetes. */
function linksOf(witness: Witness, recognised: ReadonlyMap<string, Recognised>): Witness {
  return (file) => {
    const account = witness(file)
    if (account && recognised.has(file)) return notJudged(recognised.get(file))
    return account?.cause === 'link' ? (notKubernetesByName(file) ?? account) : account
  }
}

async function accounted(
  side: SideOfChange,
  rendered: readonly RenderedSide[],
  { loaded }: Files,
  manifests: readonly Manifest[],
  changed: ReadonlySet<string>,
): Promise<AccountedSide> {
  const { entries } = side.checkout.tree
  const texts = await side.checkout.texts([...changed].filter((file) => entries.has(file) && manifestName.test(file)))
  const takings = await takingsOf(side, rendered, changed)
  const objects = new Map<string, readonly LoadedObject[]>()
  for (const [file, text] of texts) {
    // Templates of charts are read as rendered.
    if (loaded.has(file) || takings.get(file)?.some(({ rendered: { source } }) => source.kind === 'kustomize'))
      objects.set(file, loaded.get(file)?.objects ?? loadFile({ text }).objects)
  }
  const assumed = new Map(
    [...assumedByRelease(manifests)].map(([{ ref }, made]) => [nameIn(ref), made.map((one) => one.ref.kind)]),
  )
  return { side, rendered, takings, objects, texts, assumed }
}

function changesOf(base: SideOfChange, head: SideOfChange, changed: ReadonlySet<string>): Map<string, FileChange> {
  const [was, is] = [base.checkout.tree.entries, head.checkout.tree.entries]
  return new Map([...changed].map((file) => [file, !was.has(file) ? 'added' : !is.has(file) ? 'removed' : 'changed']))
}

function notJudged(
  found: Pick<LedgerEntry, 'cause' | 'reason' | 'remedy' | 'tool' | 'assumed' | 'weighs'> | undefined,
): Account | undefined {
  return found && { state: 'not-judged', ...found }
}

/** The config of the gate, and inventories of clusters. */
function described({ declarations }: Sides, config: string | undefined): Witness {
  const inventories = new Set(
    [declarations.base, declarations.head].flatMap((clusters) =>
      Object.values(clusters).flatMap(({ inventory }) => inventory?.path ?? []),
    ),
  )
  return (file) => {
    if (file === configPath || file === config)
      return { state: 'described', cause: 'config', reason: 'it is the config of this gate' }
    if (inventories.has(file))
      return { state: 'described', cause: 'inventory', reason: 'it is the inventory of a cluster' }
    return undefined
  }
}

function valuesOfKnownCharts({ values }: ChangedFiles): Witness {
  const files = values.takenFiles
  return (file) =>
    files.has(file)
      ? { state: 'input', reason: 'a release of a known chart uses it as values, which are judged' }
      : undefined
}

/** A file of a deployment that is not rendered, unless the change touches only values that are judged all the same. */
function ofDeployer(found: NotFollowed | undefined, [before, after]: readonly (string | undefined)[]) {
  if (!found) return undefined
  const { placeAt: _, known, ...account } = found
  if (!known) return notJudged(account)
  if (touchesOnly(known, before, after)) return undefined
  // Of an ingress controller every change weighs, but its version is judged by what is known of each.
  return notJudged({ ...account, weighs: !touchesOnly(versions, before, after) })
}

/** The keys by which objects name the version of a chart. */
const versions: ReadonlySet<string> = new Set(['version', 'targetRevision'])

/**
 * Finds the first changed line of a file that is not judged; it decides where the finding is, and its level.
 *
 * @param at the line of the head that names the cause, where there is one
 */
async function withPlace(
  entry: LedgerEntry,
  base: SideOfChange,
  head: SideOfChange,
  at: DeclarationSite | undefined,
): Promise<LedgerEntry> {
  if (entry.state !== 'not-judged') return entry
  if (at) {
    const excerpt = excerptOf((await head.checkout.text(at.path)) ?? '', at.region)
    return { ...entry, weighs: true, place: { side: 'head', path: at.path, region: at.region, excerpt } }
  }
  const [before, after] = await Promise.all(
    [base, head].map(async ({ checkout }) => (checkout.has(entry.path) ? checkout.text(entry.path) : undefined)),
  )
  const { side, line, weighs } = touchedIn(before, after, entry.assumed, entry.tool)
  const text = (side === 'base' ? before : after) ?? ''
  const written = text.split('\n')[line - 1] ?? ''
  const startColumn = Math.max(1, written.search(/\S/) + 1)
  const region = {
    startLine: line,
    startColumn,
    endLine: line,
    endColumn: Math.max(startColumn, written.trimEnd().length + 1),
  }
  return {
    ...entry,
    weighs: entry.weighs || weighs,
    isEncrypted: isEncrypted(text),
    place: { side, region, excerpt: excerptOf(text, region) },
  }
}
