import type { Evidence } from '../evidence'
import { type Change, changesBetween, renamedClusters } from '../manifest/change'
import { type DeclaredClusters, type FileObjects, mapClusters } from '../manifest/cluster'
import { decodeFile, type LoadedFile, loadFile, mentionsKubernetes } from '../manifest/load'
import { Manifest, nameOf, type Side } from '../manifest/manifest'
import { skimIdentities } from '../manifest/skim'
import { snapshotsOf } from '../manifest/snapshot'
import type { ActiveRule } from '../policy/policy'
import { gateFinding } from '../report/gate-finding'
import type { Finding, Inspected } from '../report/report'
import { BlindSpots, wholeGaps } from './blind-spots'
import { Files } from './files'
import { loadPartners, needsOtherFiles } from './partners'
import type { Entry, Revision } from './revision'
import { readTree, type Tree } from './tree'

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
  const differs = (path: string) =>
    baseTree.files.get(path)?.id !== headTree.files.get(path)?.id ||
    String(baseTree.aliases.get(path) ?? '') !== String(headTree.aliases.get(path) ?? '')
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
  const blind = new BlindSpots(before, after, headTree)
  const { changes, unknown } = base
    ? changesBetween(changedBase, changedHead, ({ origin }) => blind.reasonFor(origin.path) !== undefined)
    : { changes: [], unknown: [] }
  const partners = loadPartners(rules, changes, rest)

  const baseManifests = [...changedBase, ...manifestsOf('base', partners)]
  const headManifests = [...changedHead, ...manifestsOf('head', partners)]
  const gaps = base ? blind.findings(unknown) : wholeGaps(after)
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
      skipped: [...headTree.skipped, ...gaps.skipped],
    },
  }
}

async function readFiles(revision: Revision, entries: readonly Entry[]): Promise<Files> {
  const files = new Files()
  const byId = new Map<string, LoadedFile>()
  for await (const [entry, content] of revision.read(entries)) {
    if ('missing' in content) files.missing.set(entry.path, content.missing)
    else {
      const file = byId.get(entry.id) ?? loadFile(decodeFile(content))
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
    const text = 'missing' in content ? '' : decodeFile(content)
    if (mentionsKubernetes(text)) texts.set(entry.path, text)
  }
  return texts
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
