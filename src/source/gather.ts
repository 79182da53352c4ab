import type { Evidence } from '../check'
import { type Change, changesBetween, renamedClusters } from '../manifest/change'
import { type DeclaredClusters, type FileObjects, mapClusters } from '../manifest/cluster'
import { type LoadedFile, loadFile, mentionsKubernetes } from '../manifest/load'
import { type GroupKind, groupKindOf, identityOf, Manifest, nameOf, type Side } from '../manifest/manifest'
import { skimIdentities, skimKind } from '../manifest/skim'
import { snapshotsOf } from '../manifest/snapshot'
import type { ActiveRule } from '../policy/policy'
import { gateFinding } from '../report/gate-finding'
import type { Finding, Inspected } from '../report/report'
import type { Content, Entry, Revision } from './revision'
import { readTree, type Skipped, type Tree } from './tree'

/** What to compare, and what decides how much of it has to be read. */
export interface Scope {
  /** None when the head is judged whole. */
  readonly base: Revision | undefined
  readonly head: Revision
  readonly rules: readonly ActiveRule[]
  readonly ignore: readonly string[]
  /** The base's declarations, then the head's. */
  readonly clusters: readonly DeclaredClusters[]
}

const start = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
const nowhere: Tree = { files: new Map(), aliases: new Map(), refused: new Map(), skipped: [] }

/**
 * Reads what the gate needs and no more: both lists of files, the files that differ, and of the others those that hold a
 * partner of an object this change touches.
 */
export async function gather(scope: Scope): Promise<Evidence> {
  const { base, head, rules } = scope
  const [baseTree, headTree] = await Promise.all([
    base ? readTree(base, scope.ignore) : nowhere,
    readTree(head, scope.ignore),
  ])
  const differs = (path: string) => baseTree.files.get(path)?.id !== headTree.files.get(path)?.id
  const [before, after] = await Promise.all([
    base
      ? readFiles(
          base,
          [...baseTree.files.values()].filter(({ path }) => differs(path)),
        )
      : new Files(),
    readFiles(
      head,
      [...headTree.files.values()].filter(({ path }) => !base || differs(path)),
    ),
  ])
  const untouched = base ? [...headTree.files.values()].filter(({ path }) => !differs(path)) : []
  const rest = needsOtherFiles(rules, before, after) ? await readTexts(head, untouched) : new Map<string, string>()

  const clusters = mapClusters(scope.clusters, objectsByFile(before, after, rest))
  const clustersOf = (tree: Tree, path: string) => [
    ...new Set([path, ...(tree.aliases.get(path) ?? [])].flatMap((alias) => clusters.of(alias).clusters)),
  ]
  const renames = new Map<string, string>()
  const manifestsOf = (side: Side, files: Iterable<[string, LoadedFile]>): Manifest[] => {
    const tree = side === 'base' ? baseTree : headTree
    return [...files].flatMap(([path, file]) => {
      const names = clustersOf(tree, path).map((name) => (side === 'base' ? (renames.get(name) ?? name) : name))
      return file.objects.map((object) => new Manifest(object, side, { kind: 'file', path }, names))
    })
  }
  const kept = new Set([...rest.keys()].flatMap((path) => clustersOf(headTree, path)))
  if (rest.size > 0 || untouched.length === 0) {
    for (const [from, to] of renamedClusters(
      manifestsOf('base', before.loaded),
      manifestsOf('head', after.loaded),
      kept,
    ))
      renames.set(from, to)
  }
  const changedBase = manifestsOf('base', before.loaded)
  const changedHead = manifestsOf('head', after.loaded)
  const blind = new BlindSpots(after, headTree)
  const changes = base ? changesBetween(changedBase, changedHead, (manifest) => blind.has(manifest)) : []
  const partners = loadPartners(rules, changes, rest)

  const baseManifests = [...changedBase, ...manifestsOf('base', partners)]
  const headManifests = [...changedHead, ...manifestsOf('head', partners)]
  const gaps = base ? blind.findings(before, changedBase, changedHead) : wholeGaps(after)
  return {
    mode: base ? 'change' : 'all',
    changes,
    base: snapshotsOf(baseManifests),
    head: snapshotsOf(headManifests),
    clusters,
    changedTexts: changedTexts(before, after),
    findings: [...gaps.findings, ...duplicateKeys(changes, base ? [] : changedHead)],
    inspected: {
      base: base ? inspected(base, baseTree, baseManifests) : null,
      head: inspected(head, headTree, headManifests),
      skipped: sortedByPath([...headTree.skipped, ...gaps.skipped]),
    },
  }
}

/** Files as read in full: what they hold, or why their content is missing. */
class Files {
  readonly loaded = new Map<string, LoadedFile>()
  readonly missing = new Map<string, string>()

  unreadableContents(): string[] {
    return [...this.loaded.values()].flatMap((file) => file.unreadable.map(({ content }) => content))
  }
}

async function readFiles(revision: Revision, entries: readonly Entry[]): Promise<Files> {
  const files = new Files()
  const byId = new Map<string, LoadedFile>()
  for await (const [entry, content] of revision.read(entries)) {
    if ('missing' in content) files.missing.set(entry.path, content.missing)
    else {
      const file = byId.get(entry.id) ?? loadFile(content)
      byId.set(entry.id, file)
      files.loaded.set(entry.path, file)
    }
  }
  return files
}

/** The texts of files that are the same on both sides and may hold manifests. */
async function readTexts(revision: Revision, entries: readonly Entry[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for await (const [entry, content] of revision.read(entries)) {
    const text = textOf(content)
    if (text !== undefined && mentionsKubernetes(text)) texts.set(entry.path, text)
  }
  return texts
}

function textOf(content: Content): string | undefined {
  return 'missing' in content
    ? undefined
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8')
}

/** Whether a rule judges any object that this change may have touched together with other objects. */
function needsOtherFiles(rules: readonly ActiveRule[], before: Files, after: Files): boolean {
  const manifests = [
    ...[...before.loaded].map(([path, file]) => ['base', path, file] as const),
    ...[...after.loaded].map(([path, file]) => ['head', path, file] as const),
  ].flatMap(([side, path, file]) =>
    file.objects.map((object) => new Manifest(object, side, { kind: 'file', path }, [])),
  )
  return manifests.some((manifest) =>
    rules.some(({ rule, params }) =>
      rule.kinds === '*' ? partnersOf(rule, manifest, params).length > 0 : concerns(rule, groupKindOf(manifest.ref)),
    ),
  )
}

function concerns(rule: ActiveRule['rule'], kind: GroupKind): boolean {
  return rule.kinds === '*' || rule.kinds.includes(kind) || rule.reads?.includes(kind) === true
}

function partnersOf(rule: ActiveRule['rule'], manifest: Manifest, params: unknown): string[] {
  return [...(rule.partners?.(manifest, params) ?? [])]
}

function objectsByFile(before: Files, after: Files, rest: ReadonlyMap<string, string>): FileObjects[] {
  const loaded = (side: Side, files: Files): FileObjects[] =>
    [...files.loaded].map(([path, file]) => ({ path, side, refs: file.objects.map((object) => object.ref) }))
  const skimmed = [...rest].flatMap(([path, text]): FileObjects[] => {
    const refs = skimIdentities(text)
    return [
      { path, side: 'base', refs },
      { path, side: 'head', refs },
    ]
  })
  return [...loaded('base', before), ...loaded('head', after), ...skimmed]
}

/**
 * Loads, of the files this change does not touch, the documents that a rule compares with a touched object: those of a
 * kind it reads that contain one of the strings it named. What was loaded may have partners of its own, so this goes on
 * until nothing new is found.
 */
function loadPartners(
  rules: readonly ActiveRule[],
  changes: readonly Change[],
  rest: ReadonlyMap<string, string>,
): Map<string, LoadedFile> {
  const loaded = new Map<string, LoadedFile>()
  const asked = new Map<ActiveRule, Set<string>>()
  let frontier = changes.flatMap((change) => [
    ...(change.kind === 'added' ? [] : [change.before]),
    ...(change.kind === 'removed' ? [] : [change.after]),
  ])
  while (frontier.length > 0) {
    const wanted = new Map<ActiveRule, string[]>()
    for (const active of rules) {
      const known = asked.get(active) ?? new Set<string>()
      asked.set(active, known)
      for (const manifest of frontier.filter(({ ref }) => concerns(active.rule, groupKindOf(ref)))) {
        for (const text of partnersOf(active.rule, manifest, active.params)) {
          if (known.has(text)) continue
          known.add(text)
          wanted.set(active, [...(wanted.get(active) ?? []), text])
        }
      }
    }
    if (wanted.size === 0) break
    frontier = []
    const strings = [...new Set([...wanted.values()].flat())]
    for (const [path, text] of rest) {
      if (!strings.some((string) => text.includes(string))) continue
      const before = new Set(loaded.get(path)?.objects.map((object) => identityOf(object.ref)))
      const file = loadFile(Buffer.from(text), (document) =>
        [...asked].some(
          ([{ rule }, strings]) => mayHold(rule, document) && [...strings].some((string) => document.includes(string)),
        ),
      )
      loaded.set(path, file)
      frontier.push(
        ...file.objects
          .filter((object) => !before.has(identityOf(object.ref)))
          .map((object) => new Manifest(object, 'head', { kind: 'file', path }, [])),
      )
    }
  }
  return loaded
}

function mayHold(rule: ActiveRule['rule'], document: string): boolean {
  const kind = skimKind(document)
  return (
    rule.kinds === '*' ||
    !kind ||
    [...rule.kinds, ...(rule.reads ?? [])].some((groupKind) => groupKind.split('.')[0] === kind)
  )
}

/** Places of the head that could not be read: what the base had there is unknown, not removed. */
class BlindSpots {
  constructor(
    private readonly head: Files,
    private readonly tree: Tree,
  ) {}

  has({ origin }: Manifest): boolean {
    return this.reasonFor(origin.path) !== undefined
  }

  private reasonFor(path: string): string | undefined {
    const file = this.head.loaded.get(path)
    if (file?.template) return 'it is a template now, which has to be rendered before it can be judged'
    if (file && file.unreadable.length > 0) return file.unreadable[0]?.reason
    const template = this.tree.skipped.find((entry) => entry.path === path && entry.reason.startsWith('a template'))
    if (template) return `it is ${template.reason} now, which has to be rendered before it can be judged`
    for (const [link, reason] of this.tree.refused) {
      if (path === link || path.startsWith(`${link}/`)) return `${link} is ${reason} now`
    }
    return this.head.missing.get(path)
  }

  /** `source/unreadable` for what was meant for Kubernetes or was readable before; the rest is listed as skipped. */
  findings(
    base: Files,
    baseManifests: readonly Manifest[],
    headManifests: readonly Manifest[],
  ): { findings: Finding[]; skipped: Skipped[] } {
    const findings: Finding[] = []
    const skipped: Skipped[] = []
    const held = new Set(headManifests.map(({ ref }) => identityOf(ref)))
    const lost = new Map<string, Manifest[]>()
    for (const manifest of baseManifests) {
      if (held.has(identityOf(manifest.ref)) || !this.has(manifest)) continue
      lost.set(manifest.origin.path, [...(lost.get(manifest.origin.path) ?? []), manifest])
    }
    const old = new Set(base.unreadableContents())
    for (const [path, file] of this.head.loaded) {
      const wasUnreadable = (base.loaded.get(path)?.unreadable.length ?? 0) > 0
      for (const { reason, region, content } of file.unreadable) {
        if (file.kubernetes || lost.has(path) || (base.loaded.get(path)?.objects.length ?? 0) > 0) {
          const status = old.has(content) || wasUnreadable ? 'existing' : 'introduced'
          findings.push(unreadable(path, reason, region, status, file.text, lost.get(path)))
        } else skipped.push({ path, reason: `not readable as YAML: ${reason}` })
      }
      if (file.template) skipped.push({ path, reason: 'a template' })
      if (file.unreadable.length > 0) lost.delete(path)
    }
    for (const [path, reason] of this.head.missing) {
      findings.push(unreadable(path, reason, start, 'introduced', undefined, lost.get(path)))
      lost.delete(path)
    }
    for (const [path, manifests] of lost) {
      const file = this.head.loaded.get(path)
      findings.push(unreadable(path, this.reasonFor(path) ?? 'it is gone', start, 'introduced', file?.text, manifests))
    }
    return { findings, skipped }
  }
}

function wholeGaps(head: Files): { findings: Finding[]; skipped: Skipped[] } {
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  for (const [path, file] of head.loaded) {
    for (const { reason, region } of file.unreadable) {
      if (file.kubernetes) findings.push(unreadable(path, reason, region, 'existing', file.text))
      else skipped.push({ path, reason: `not readable as YAML: ${reason}` })
    }
    if (file.template) skipped.push({ path, reason: 'a template' })
  }
  for (const [path, reason] of head.missing) findings.push(unreadable(path, reason, start, 'existing', undefined))
  return { findings, skipped }
}

function unreadable(
  path: string,
  reason: string,
  region: typeof start,
  status: Finding['status'],
  fileText: string | undefined,
  lost: readonly Manifest[] = [],
): Finding {
  const names = lost.map(({ ref }) => nameOf(ref))
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  const unknown = names.length > 0 ? ` What became of ${names.slice(0, 3).join(', ')}${more} is not known.` : ''
  return gateFinding('source/unreadable', 'unreadable', 'error', {
    side: 'head',
    path,
    region,
    status,
    keys: [path],
    text: `This cannot be read: ${reason}.${unknown} Mend it, or list the file under \`ignore:\` in the config when it is no manifest.`,
    ...(fileText ? { fileText } : {}),
  })
}

/** Of duplicate keys the last one counts, which is seldom what both authors meant. */
function duplicateKeys(changes: readonly Change[], whole: readonly Manifest[]): Finding[] {
  const judged = [
    ...whole.map((after) => ({ after, before: undefined })),
    ...changes.flatMap((change) => {
      if (change.kind === 'removed') return []
      return [{ after: change.after, before: change.kind === 'changed' ? change.before : undefined }]
    }),
  ]
  return judged.flatMap(({ after, before }) =>
    after.object.duplicateKeys.map(({ key, region }) =>
      gateFinding('source/duplicate-key', 'duplicate', 'warning', {
        side: 'head',
        path: after.origin.path,
        region,
        object: after.ref,
        keys: [key],
        status:
          whole.length > 0 || before?.object.duplicateKeys.some((other) => other.key === key)
            ? 'existing'
            : 'introduced',
        text: `${nameOf(after.ref)} has the key ${key} twice in one map, and the cluster takes the last one. Merge the two.`,
        fileText: after.object.fileText,
      }),
    ),
  )
}

function changedTexts(before: Files, after: Files): Evidence['changedTexts'] {
  const texts = new Map<string, { before?: string; after?: string }>()
  for (const [path, { text }] of before.loaded) texts.set(path, { before: text })
  for (const [path, { text }] of after.loaded) texts.set(path, { ...texts.get(path), after: text })
  return texts
}

function inspected(revision: Revision, tree: Tree, manifests: readonly Manifest[]): Inspected {
  return {
    revision: revision.name,
    files: tree.files.size,
    sources: new Set(manifests.map(({ origin }) => origin.path)).size,
    manifests: manifests.length,
  }
}

function sortedByPath(skipped: readonly Skipped[]): Skipped[] {
  return [...skipped].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}
