import type { Evidence } from '../evidence'
import { type Change, changesBetween, renamedClusters } from '../manifest/change'
import { type DeclaredClusters, type FileObjects, mapClusters } from '../manifest/cluster'
import { DocumentReader } from '../manifest/document-reader'
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
  /** What the configs of both sides declare. */
  readonly clusters: { readonly base: DeclaredClusters; readonly head: DeclaredClusters }
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
  const reader = new DocumentReader()
  const changedIn = (tree: Tree) => [...tree.files.values()].filter(({ path }) => !base || differs(path))
  const before = base ? await readFiles(base, changedIn(baseTree), reader) : new Files()
  const after = await readFiles(head, changedIn(headTree), reader)
  const untouched = base ? [...headTree.files.values()].filter(({ path }) => !differs(path)) : []
  const others = new Files()
  const needsRest = needsOtherFiles(rules, before, after)
  const rest = needsRest ? await readTexts(head, untouched, others) : new Map<string, string>()

  const wasThere = new Set([...baseTree.files.keys(), ...[...baseTree.aliases.values()].flat()])
  const declarations = { ...scope.clusters, isNew: (path: string) => !wasThere.has(path) }
  const clusters = mapClusters(declarations, objectsByFile(before, after, rest))
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
  if (needsRest) {
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
  const gaps = base ? blind.gaps(unknown, others) : wholeGaps(after)
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

async function readFiles(revision: Revision, entries: readonly Entry[], reader: DocumentReader): Promise<Files> {
  const files = new Files()
  for await (const [entry, content] of revision.read(entries)) {
    if ('missing' in content) files.miss(entry.path, content)
    else files.loaded.set(entry.path, loadFile(decodeFile(content), undefined, reader))
  }
  return files
}

/** The texts of files that are the same on both sides and may hold manifests. */
async function readTexts(revision: Revision, entries: readonly Entry[], files: Files): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for await (const [entry, content] of revision.read(entries)) {
    if ('missing' in content) {
      files.miss(entry.path, content)
      continue
    }
    const { text } = decodeFile(content)
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
  return judged.flatMap(({ after, before }) => {
    const [first] = after.object.duplicateKeys
    if (!first) return []
    const keys = [...new Set(after.object.duplicateKeys.map(({ key }) => key))]
    const known = new Set(before?.object.duplicateKeys.map(({ key }) => key))
    const shown = `${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}`
    return gateFinding('source/duplicate-key', 'duplicate', 'warning', {
      side: 'head',
      path: after.origin.path,
      region: first.region,
      object: after.ref,
      keys,
      status: whole.length > 0 || keys.every((key) => known.has(key)) ? 'existing' : 'introduced',
      text: `${nameOf(after.ref)} has ${keys.length > 1 ? 'keys' : 'the key'} ${shown} more than once in one map, and the cluster takes the last. Merge them, or put the missing --- between two documents.`,
      fileText: after.object.fileText,
    })
  })
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
