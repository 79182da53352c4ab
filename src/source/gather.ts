import type { Evidence } from '../evidence'
import { changesBetween, renamedClusters } from '../manifest/change'
import { type DeclaredClusters, type FileObjects, mapClusters } from '../manifest/cluster'
import { DocumentReader } from '../manifest/document-reader'
import { type LoadedFile, stateOf } from '../manifest/load'
import {
  type ClusterEvidence,
  identityOf,
  Manifest,
  manifestsOf as manifestsOfObject,
  ownGroup,
  type Side,
} from '../manifest/manifest'
import { skimIdentities } from '../manifest/skim'
import { snapshotsOf } from '../manifest/snapshot'
import type { DeclaredRelease } from '../policy/config'
import type { ActiveRule } from '../policy/policy'
import type { Inspected } from '../report/report'
import { adoptedIn } from './adopted'
import { BlindSpots, wholeGaps } from './blind-spots'
import { ingressesIn } from './bystanders'
import { changedTexts, describedTexts } from './changed-texts'
import { chartsElsewhere, withoutLostCharts } from './charts-elsewhere'
import { type Descriptions, inventoriesOf, nothingDescribed } from './descriptions'
import { droppedElsewhere } from './dropped-elsewhere'
import { duplicateKeys } from './duplicate-keys'
import { Files } from './files'
import { leftBehind } from './left-behind'
import { LentValues } from './lent-values'
import { loadPartners, needsOtherFiles } from './partners'
import { changedPaths, readFiles, readTexts } from './reading'
import type { Renderer } from './render/renderer'
import { looseManifests, renderPartners } from './rendered-partners'
import type { Revision } from './revision'
import { type RenderedSide, SideOfChange } from './side'
import type { Source } from './source'
import type { Tree } from './tree'
import { unrendered } from './unrendered'
import { unseenIn } from './unseen'
import { untakenValues } from './untaken-values'

/** What to compare, and what decides how much of it has to be read. */
export interface Scope {
  /** None when the head is judged whole. */
  readonly base: Revision | undefined
  readonly head: Revision
  readonly rules: readonly ActiveRule[]
  readonly ignore: readonly string[]
  /** What the configs of both sides declare. */
  readonly clusters: { readonly base: DeclaredClusters; readonly head: DeclaredClusters }
  readonly releases: { readonly base: readonly DeclaredRelease[]; readonly head: readonly DeclaredRelease[] }
  /** The names of the repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  readonly renderer: Renderer
}

/** The evidence, and the two sides it was taken from. */
export interface Gathered extends Evidence {
  readonly sides: { readonly base: SideOfChange | undefined; readonly head: SideOfChange }
}

const nowhere: Pick<Tree, 'files' | 'aliases'> = { files: new Map(), aliases: new Map() }

/**
 * Reads what the gate needs and no more: both lists of files, the files that differ and the sources that differ, rendered;
 * of the others those that hold a partner of an object this change touches.
 */
export async function gather(scope: Scope): Promise<Gathered> {
  const { rules } = scope
  const changed = scope.base && (await changedPaths(scope.base, scope.head))
  const inventories = await inventoriesOf(scope.base, scope.clusters)
  const base =
    scope.base &&
    (await SideOfChange.open(scope.base, 'base', {
      ...scope,
      changed,
      releases: scope.releases.base,
      declarations: { ...scope.clusters, isNew: () => false },
      base: undefined,
      inventories: inventories.base,
    }))
  const wasThere = new Set([
    ...(base?.checkout.tree.entries.keys() ?? []),
    ...[...(base?.tree.aliases.values() ?? [])].flat(),
  ])
  const declarations = { ...scope.clusters, isNew: (path: string) => !wasThere.has(path) }
  const head = await SideOfChange.open(scope.head, 'head', {
    ...scope,
    changed,
    releases: scope.releases.head,
    declarations,
    base: base?.discovery,
    inventories: inventories.head,
  })
  const [baseTree, headTree] = [base?.tree ?? nowhere, head.tree]
  const differs = (path: string) =>
    baseTree.files.get(path)?.id !== headTree.files.get(path)?.id ||
    String(baseTree.aliases.get(path) ?? '') !== String(headTree.aliases.get(path) ?? '')
  const reader = new DocumentReader()
  const changedIn = (tree: Pick<Tree, 'files'>) => [...tree.files.values()].filter(({ path }) => !base || differs(path))
  const before = base ? await readFiles(base.revision, changedIn(baseTree), reader) : new Files()
  const after = await readFiles(head.revision, changedIn(headTree), reader)
  const untouched = base ? [...headTree.files.values()].filter(({ path }) => !differs(path)) : []
  const others = new Files()
  const lent = new LentValues({ base, head, before, after, changed, repository: scope.repository })
  const texts = lent.mayDiffer ? await readTexts(head.checkout, untouched, others) : undefined
  const reached = await lent.reach(texts)
  const sameSource = ({ id }: Source) =>
    base !== undefined && base.keys.get(id) === head.keys.get(id) && !reached.has(id)
  const renderAll = (side: SideOfChange | undefined, wants: (source: Source) => boolean) =>
    Promise.all(
      (side?.discovery.sources ?? []).filter(wants).map((source) => side?.render(source) as Promise<RenderedSide>),
    )
  const renderings = await Promise.all([
    renderAll(base, (source) => !sameSource(source)),
    renderAll(head, (source) => !sameSource(source)),
  ])
  const [renderedBefore, renderedAfter] = await Promise.all([
    lent.complete('base', renderings[0]),
    lent.complete('head', withoutLostCharts(...renderings)),
  ])

  const descriptions: { base: Descriptions; head: Descriptions } = {
    base: base?.descriptions ?? nothingDescribed,
    head: head.descriptions,
  }
  const touched = differing(
    [...manifestsIn('base', before), ...looseManifests('base', renderedBefore), ...descriptions.base.manifests],
    [...manifestsIn('head', after), ...looseManifests('head', renderedAfter), ...descriptions.head.manifests],
  )
  const needsRest = needsOtherFiles(rules, touched)
  const rest = needsRest ? (texts ?? (await readTexts(head.checkout, untouched, others))) : new Map<string, string>()
  const partnersRendered = needsRest ? await renderPartners(head, sameSource, rules, touched) : []
  const renderedRest = await lent.complete('head', partnersRendered)

  const clusters = mapClusters(declarations, [
    ...objectsByFile(before, after, rest),
    ...objectsBySource('base', [...renderedBefore, ...renderedRest]),
    ...objectsBySource('head', [...renderedAfter, ...renderedRest]),
  ])
  const clustersOf = (tree: Pick<Tree, 'aliases'>, path: string) => [
    ...new Set([path, ...(tree.aliases.get(path) ?? [])].flatMap((alias) => clusters.of(alias).clusters)),
  ]
  const renames = new Map<string, string>()
  const named = (side: Side, names: readonly string[]) =>
    names.map((name) => (side === 'base' ? (renames.get(name) ?? name) : name))
  const manifestsOf = (side: Side, files: Iterable<[string, LoadedFile]>): Manifest[] => {
    const tree = side === 'base' ? baseTree : headTree
    return [...files].flatMap(([path, file]) => {
      const names = named(side, clustersOf(tree, path))
      const { evidence } = clusters.of(path)
      return file.objects.flatMap((object) => manifestsOfObject(object, side, { kind: 'file', path }, names, evidence))
    })
  }
  const asBefore = new Map(
    head.discovery.sources.flatMap(({ was, target }) => (was && 'cluster' in target ? [[was, [target.cluster]]] : [])),
  )
  const manifestsFrom = (side: Side, rendered: readonly RenderedSide[]): Manifest[] =>
    rendered.flatMap(({ source: { id, target }, objects }) => {
      const place: { clusters: readonly string[]; evidence: ClusterEvidence } =
        'cluster' in target ? { clusters: [target.cluster], evidence: 'declared' } : clusters.of(target.path)
      const before = side === 'base' ? asBefore.get(id) : undefined
      const names = [...named(side, place.clusters), ...(before ?? [])]
      return objects.flatMap(({ object, origin }) => manifestsOfObject(object, side, origin, names, place.evidence))
    })
  const changedOf = (side: Side) =>
    side === 'base'
      ? [...manifestsOf('base', before.loaded), ...manifestsFrom('base', renderedBefore)]
      : [...manifestsOf('head', after.loaded), ...manifestsFrom('head', renderedAfter)]
  const kept = new Set([
    ...[...rest.keys()].flatMap((path) => clustersOf(headTree, path)),
    ...manifestsFrom('head', renderedRest).flatMap((manifest) => manifest.clusters),
  ])
  if (needsRest) {
    for (const [from, to] of renamedClusters(changedOf('base'), changedOf('head'), kept)) renames.set(from, to)
  }
  const changedBase = changedOf('base')
  const changedHead = changedOf('head')
  const hidden = await hiddenAt(head, renderedAfter)
  const blind = new BlindSpots(before, after, headTree, hidden)
  const failed = new Set(renderedAfter.flatMap(({ source: { id, was = id }, failure }) => (failure ? [id, was] : [])))
  const adopted = adoptedIn(base, head, renderedAfter)
  const { changes, moves, unknown } = base
    ? changesBetween(changedBase, changedHead, ({ origin, ref }) =>
        origin.kind === 'file'
          ? blind.reasonFor(origin.path) !== undefined
          : failed.has(origin.id) || adopted(origin.id, ref),
      )
    : { changes: [], moves: [], unknown: [] }
  const describing = descriptions.base.manifests.map(
    ({ object, side, origin, clusters: names, evidence }) =>
      new Manifest(object, side, origin, named('base', names), evidence),
  )
  const described = base ? changesBetween(describing, descriptions.head.manifests).changes : []
  const further = manifestsFrom('head', renderedRest)
  const partners = loadPartners(rules, [...changes, ...described], moves, rest, further)
  for (const [path, file] of partners) partners.set(path, await lent.completed(path, file))

  const baseManifests = [...changedBase, ...manifestsOf('base', partners), ...manifestsFrom('base', renderedRest)]
  const headManifests = [...changedHead, ...manifestsOf('head', partners), ...further]
  const gaps = base
    ? blind.gaps(
        unknown.filter(({ origin, ref }) => origin.kind === 'file' && ref.group !== ownGroup),
        others,
      )
    : wholeGaps(after)
  const unseen = unrendered({
    before: renderedBefore,
    after: renderedAfter,
    rest: renderedRest,
    unknown,
    taken: await base?.takenFromElsewhere(),
  })
  const left = base ? await leftBehind({ base, head }, before, renderedAfter, (file) => hidden(file) !== undefined) : []
  const dropped = base ? await droppedElsewhere(base, head) : []
  const hides = unseenIn({
    head,
    rendered: [...renderedAfter, ...renderedRest],
    unreadable: [...gaps.skipped, ...gaps.findings.map(({ location }) => location)].map(({ path }) => path),
    texts: [...[...after.loaded].map(([path, { text }]) => [path, text] as const), ...rest],
    clustersOf: (path) => clustersOf(headTree, path),
  })
  const kinds = new Set([...renderedBefore, ...renderedAfter, ...renderedRest].map(({ source }) => source.kind))
  return {
    mode: base ? 'change' : 'all',
    changes,
    moves,
    described,
    base: snapshotsOf(baseManifests, describing, hides),
    head: snapshotsOf(headManifests, descriptions.head.manifests, hides),
    bystanders: () => manifestsOf('head', ingressesIn(rest)),
    clusters,
    changedTexts: new Map([
      ...changedTexts(before, after, await head.checkout.texts([...before.loaded.keys()])),
      ...(await lent.texts()),
      ...describedTexts(described),
    ]),
    findings: [
      ...descriptions.head.findings,
      ...lent.findings(),
      ...gaps.findings,
      ...unseen.findings,
      ...left,
      ...dropped,
      ...duplicateKeys(changes, base ? [] : changedHead),
    ],
    inspected: {
      base: base ? inspected(base.revision, base.tree, baseManifests) : null,
      head: inspected(head.revision, headTree, headManifests),
      tools: kinds.size > 0 ? await scope.renderer.tools(kinds) : [],
      skipped: [
        ...headTree.skipped,
        ...descriptions.head.skipped,
        ...gaps.skipped,
        ...unseen.skipped,
        ...chartsElsewhere(head, renderedAfter),
        ...(await untakenValues(head, changed, lent.taken)),
      ],
    },
    sides: { base, head },
  }
}

/** Of the objects of both sides those that are not written the same, in the same place, on the other one. */
function differing(base: readonly Manifest[], head: readonly Manifest[]): Manifest[] {
  const keyOf = ({ ref, origin, object }: Manifest) =>
    [identityOf(ref), origin.kind === 'file' ? origin.path : origin.id, stateOf(object)].join('\n')
  const [before, after] = [base, head].map((manifests) => new Set(manifests.map(keyOf))) as [Set<string>, Set<string>]
  return [
    ...base.filter((manifest) => !after.has(keyOf(manifest))),
    ...head.filter((manifest) => !before.has(keyOf(manifest))),
  ]
}

/** Manifests of files, before it is known to which clusters they go. */
function manifestsIn(side: Side, files: Files): Manifest[] {
  return [...files.loaded].flatMap(([path, file]) =>
    file.objects.flatMap((object) => manifestsOfObject(object, side, { kind: 'file', path }, [])),
  )
}

/** Why what stood in a file may be in something that could not be rendered, by path. */
async function hiddenAt(
  head: SideOfChange,
  rendered: readonly RenderedSide[],
): Promise<(path: string) => string | undefined> {
  const seen = new Set<string>()
  for (const { source, failure } of rendered) {
    if (!failure) for (const file of await head.files(source)) seen.add(file)
  }
  return (path) => {
    const claim = head.discovery.claims.get(path)
    return claim?.deployed && !seen.has(path) ? claim.reason : undefined
  }
}

function objectsBySource(side: Side, rendered: readonly RenderedSide[]): FileObjects[] {
  return rendered.flatMap(({ source: { target }, objects }) =>
    'path' in target ? [{ path: target.path, side, refs: objects.map(({ object }) => object.ref) }] : [],
  )
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

function inspected(revision: Revision, tree: Tree, manifests: readonly Manifest[]): Inspected {
  const files = new Set(manifests.flatMap(({ origin }) => (origin.kind === 'file' ? [origin.path] : [])))
  const rendered = new Set(manifests.flatMap(({ origin }) => (origin.kind === 'rendered' ? [origin.id] : [])))
  return {
    revision: revision.name,
    files: tree.files.size,
    sources: files.size + rendered.size,
    rendered: rendered.size,
    manifests: manifests.length,
  }
}
