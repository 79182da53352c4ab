import path from 'node:path/posix'
import { excerptOf } from '../finding/excerpt'
import type { Finding } from '../finding/report'
import { type FollowedSide, type NotFollowed, notFollowed } from '../gaps/not-followed'
import { failedTaking, renderedNames, type Taking, takingsOf } from '../gaps/source-files'
import { type Account, accountFor, type FileChange, type LedgerEntry, type Witness } from '../ledger/entry'
import { looksLikeValues, notKubernetesByName } from '../ledger/named-files'
import { touchedIn } from '../ledger/touched-keys'
import { type LoadedObject, loadFile, mentionsKubernetes } from '../manifest/load'
import { nameOf } from '../manifest/manifest'
import { configPath } from '../policy/config'
import type { Files } from '../revision/files'
import { manifestName } from '../revision/tree'
import type { RenderedSide, SideOfChange } from '../sides/side'
import { nameOfSource } from '../sources/source'
import type { Unseen } from './account-for-unseen'
import type { Sides } from './open-sides'
import type { ChangedFiles } from './read-changed'
import type { ChangedRenderings } from './render-changed'
import type { Scope } from './scope'

/** The stages before this one. */
interface Known {
  readonly sides: Sides
  readonly read: ChangedFiles
  readonly rendered: ChangedRenderings
  readonly unseen: Unseen
}

/** One side with the changed files that it has. */
interface AccountedSide extends FollowedSide {
  /** The texts of the changed files that may hold manifests. */
  readonly texts: ReadonlyMap<string, string>
  readonly takings: ReadonlyMap<string, readonly Taking[]>
}

/** Accounts for every file that the change adds, changes or removes; undefined where the head is judged whole. */
export async function accountForFiles(
  { sides, read, rendered, unseen }: Known,
  { repository, config }: Scope,
): Promise<readonly LedgerEntry[] | undefined> {
  const { base, head, changed } = sides
  if (!base || !changed) return undefined
  const was = await accounted(base, rendered.before, read.before, changed)
  const is = await accounted(head, rendered.after, read.after, changed)
  const entries = accountFor(changesOf(base, head, changed), [
    described(sides, config),
    reported(unseen.findings),
    failing(was, is, unseen.findings, 'known'),
    ...[notFollowed(was, is, changed, repository)].map(
      (found): Witness =>
        (file) =>
          notJudged(found.get(file)),
    ),
    unreadable(read),
    valuesOfKnownCharts(read),
    plainObjects(read),
    renderedFiles(was, is),
    failing(was, is, unseen.findings, 'guessed'),
    links(was, is),
    notKubernetesByName,
    undeployed(base, head),
    manifestsWithoutObjects(was, is),
  ])
  return Promise.all(entries.map((entry) => withPlace(entry, base, head)))
}

async function accounted(
  side: SideOfChange,
  rendered: readonly RenderedSide[],
  { loaded }: Files,
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
  return { side, rendered, takings, objects, texts }
}

function changesOf(base: SideOfChange, head: SideOfChange, changed: ReadonlySet<string>): Map<string, FileChange> {
  const [was, is] = [base.checkout.tree.entries, head.checkout.tree.entries]
  return new Map([...changed].map((file) => [file, !was.has(file) ? 'added' : !is.has(file) ? 'removed' : 'changed']))
}

function notJudged(found: NotFollowed | undefined): Account | undefined {
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

/** Files at which a finding states already that they could not be read or rendered. */
function reported(findings: readonly Finding[]): Witness {
  const places = new Map(
    findings
      .filter(({ rule, level, status }) => isOfGaps(rule) && level !== 'notice' && status === 'introduced')
      .map((finding) => [finding.location.path, finding]),
  )
  return (file) => {
    const finding = places.get(file)
    if (!finding) return undefined
    const reason = finding.text.replace(/(?<=\S)\.\s.*$|\.$/s, '')
    return { state: 'not-judged', cause: finding.message, reason: lower(reason), reported: true }
  }
}

function isOfGaps(rule: string): boolean {
  return rule === 'source/unreadable' || rule === 'source/unrendered'
}

/** Files of sources that do not render: of a chart without a known release that is no more than a guess. */
function failing(
  was: AccountedSide,
  is: AccountedSide,
  findings: readonly Finding[],
  sure: 'known' | 'guessed',
): Witness {
  const present = new Set(is.rendered.map(({ source }) => source.id))
  const stated = findings.filter(({ rule, status }) => rule === 'source/unrendered' && status === 'introduced')
  return (file) => {
    const failed = failedTaking(was.takings.get(file) ?? [], is.takings.get(file) ?? [], (id) => !present.has(id))
    if (!failed) return undefined
    const { source, failure } = failed
    const isGuess = source.kind === 'helm' && source.origin === 'discovered'
    if (isGuess !== (sure === 'guessed')) return undefined
    const isStated = stated.some(({ message, location }) =>
      failure.missing ? message === 'tool' : location.path === failure.path,
    )
    const elsewhere = failure.remote?.[0]
    const reason = elsewhere
      ? `it takes in ${elsewhere.text}, which is not in this repository, and does not build without it`
      : lower(failure.reason)
    return {
      state: 'not-judged',
      cause: isGuess ? 'no-release' : elsewhere ? 'remote-entry' : failure.cause,
      reason: `${nameOfSource(source)}: ${reason}`,
      ...(isStated ? { reported: true as const } : {}),
    }
  }
}

/** Plain files that cannot be read, or that another tool fills in. */
function unreadable({ before, after }: ChangedFiles): Witness {
  return (file) => {
    const now = after.loaded.get(file) ?? (after.missing.has(file) ? undefined : before.loaded.get(file))
    const missing = after.missing.get(file) ?? (now ? undefined : before.missing.get(file))
    if (missing !== undefined) return { state: 'not-judged', cause: 'unreadable', reason: missing }
    if (!now?.kubernetes) return undefined
    // What was just as unreadable before is not of this change.
    const old = before.loaded.get(file)
    const known = new Set(
      now === old ? [] : [...(old?.templates ?? []), ...(old?.unreadable ?? []).map(({ content }) => content)],
    )
    const first = now.unreadable.find(({ content }) => !known.has(content))
    if (first) return { state: 'not-judged', cause: 'unreadable', reason: first.reason }
    if (now.templates.every((content) => known.has(content))) return undefined
    return { state: 'not-judged', cause: 'template', reason: 'it is a template, which another tool fills in' }
  }
}

function valuesOfKnownCharts({ values }: ChangedFiles): Witness {
  const files = values.takenFiles
  return (file) =>
    files.has(file)
      ? { state: 'input', reason: 'a release of a known chart takes it as values, which are judged' }
      : undefined
}

/** Plain files with objects. */
function plainObjects({ before, after }: ChangedFiles): Witness {
  return (file) => objectsAccount([before, after].flatMap(({ loaded }) => loaded.get(file)?.objects ?? []))
}

function objectsAccount(objects: readonly LoadedObject[], sources: readonly string[] = []): Account | undefined {
  if (objects.length === 0) return undefined
  const names = [...new Set(objects.map(({ ref }) => nameOf(ref)))]
  return judgedAs(names, sources)
}

function judgedAs(objects: readonly string[], sources: readonly string[]): Account {
  const through = sources.length > 0 ? 'its objects are rendered and judged' : 'its objects are judged'
  return { state: 'judged', reason: through, objects, ...(sources.length > 0 ? { sources } : {}) }
}

/** Files of sources that were rendered: those that hold their objects, and what decides the rest of them. */
function renderedFiles(was: AccountedSide, is: AccountedSide): Witness {
  return (file) => {
    const takings = [was, is].flatMap((side) => side.takings.get(file) ?? [])
    const sources = renderedNames(takings)
    if (sources.length === 0) return undefined
    const holding = takings.filter(({ rendered, holdsObjects }) => holdsObjects && !rendered.failure)
    const written = [was, is].flatMap((side) => side.objects.get(file) ?? [])
    const made = [...new Set(holding.flatMap(({ objects }) => objects))]
    if (made.length > 0) return judgedAs(made, sources)
    const account = holding.length > 0 ? objectsAccount(written, sources) : undefined
    return account ?? { state: 'input', reason: 'what is rendered with it is judged', sources }
  }
}

/** Symbolic links and submodules, which hold nothing of their own. */
function links(was: AccountedSide, is: AccountedSide): Witness {
  return (file) => {
    const { side } = is.side.checkout.tree.entries.has(file) ? is : was
    const { tree } = side.checkout
    const entry = tree.entries.get(file)
    if (entry?.type === 'submodule') {
      const user = [was, is].flatMap((one) => deployersBelow(file, one.side))[0]
      return user === undefined
        ? {
            state: 'not-deployed',
            cause: 'submodule',
            reason: 'it is another repository, of which nothing here deploys a part',
          }
        : {
            state: 'not-judged',
            cause: 'submodule',
            reason: `${user} deploys a part of it, and it is another repository`,
          }
    }
    if (entry?.type !== 'link') return undefined
    const to = tree.resolved.get(file)
    if (to === undefined) {
      const why = tree.refused.get(file) ?? 'a symbolic link that is not followed'
      return { state: 'not-deployed', cause: 'link', reason: `it is ${why}` }
    }
    const isRead = tree.at(to).some((target) => tree.files.has(target) && tree.aliases.has(target))
    return isRead
      ? { state: 'judged', reason: `it is a link to ${to}, which is judged as it is deployed through it` }
      : {
          state: 'not-deployed',
          cause: 'link',
          reason: `it is a link to ${to}, and nothing known deploys anything through it`,
        }
  }
}

/** What deploys a path below a submodule. */
function deployersBelow(submodule: string, { discovery }: SideOfChange): string[] {
  const isBelow = (place: string) => place === submodule || place.startsWith(`${submodule}/`)
  return [
    ...discovery.sources.flatMap((source) =>
      isBelow(source.kind === 'helm' ? source.chart : source.root) ? [nameOfSource(source)] : [],
    ),
    ...[...discovery.kustomizations.values()].flatMap(({ folder, file, includes }) =>
      includes.some(({ text }) => isBelow(path.join(folder, text))) ? [file] : [],
    ),
  ]
}

/** Files that nothing deploys. */
function undeployed(base: SideOfChange, head: SideOfChange): Witness {
  return (file) => {
    for (const { discovery, checkout } of [head, base]) {
      if (!checkout.tree.entries.has(file)) continue
      const owned = discovery.ownership.get(file)
      if (owned && !owned.deployed) return { state: 'not-deployed', cause: 'orphan', reason: `it is ${owned.reason}` }
      if (owned)
        return {
          state: 'not-deployed',
          cause: 'not-taken',
          reason: `it is ${owned.reason}, and no known release or root takes it`,
        }
      if (checkout.tree.ignores(file))
        return {
          state: 'not-deployed',
          cause: 'ignored-file',
          reason: 'a glob of `ignore` leaves it out, and nothing known deploys it',
        }
    }
    return undefined
  }
}

/** The files that are left: those with the name of a manifest that hold none, and all others. */
function manifestsWithoutObjects(was: AccountedSide, is: AccountedSide): Witness {
  return (file) => {
    const text = is.texts.get(file) ?? was.texts.get(file)
    if (text !== undefined && mentionsKubernetes(text)) {
      return [was, is].some(({ objects }) => objects.has(file))
        ? { state: 'not-kubernetes', cause: 'no-object', reason: 'it holds no whole Kubernetes object' }
        : undefined
    }
    if (looksLikeValues(file))
      return {
        state: 'not-deployed',
        cause: 'not-taken',
        reason:
          'it looks like values, and no known release takes it; declare the release under `helm:` in the config if there is one',
      }
    return manifestName.test(file)
      ? { state: 'not-kubernetes', cause: 'no-object', reason: 'it has no `apiVersion` and `kind`' }
      : { state: 'not-kubernetes', cause: 'no-manifest', reason: 'it is no YAML or JSON file' }
  }
}

/** Finds the first changed line of a file that is not judged; it decides where the finding is, and its level. */
async function withPlace(entry: LedgerEntry, base: SideOfChange, head: SideOfChange): Promise<LedgerEntry> {
  if (entry.state !== 'not-judged') return entry
  const [before, after] = await Promise.all(
    [base, head].map(async ({ checkout }) => (checkout.has(entry.path) ? checkout.text(entry.path) : undefined)),
  )
  const { side, line, weighs } = touchedIn(before, after)
  const text = (side === 'base' ? before : after) ?? ''
  const written = text.split('\n')[line - 1] ?? ''
  const startColumn = Math.max(1, written.search(/\S/) + 1)
  const region = {
    startLine: line,
    startColumn,
    endLine: line,
    endColumn: Math.max(startColumn, written.trimEnd().length + 1),
  }
  return { ...entry, weighs, place: { side, region, excerpt: excerptOf(text, region) } }
}

function lower(text: string): string {
  return /^[A-Z][a-z]/.test(text) && !/^\w+ \S+\/\S/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
