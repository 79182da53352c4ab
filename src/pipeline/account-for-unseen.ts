import { isBelow } from '../discovery/roots'
import type { Finding, Skipped } from '../finding/report'
import { abandonedValues } from '../gaps/abandoned-values'
import { editsOfBroken } from '../gaps/accounts/broken-output'
import { notJudgedOfFiles } from '../gaps/accounts/file-deployments'
import { takenByOtherTools } from '../gaps/accounts/other-tools'
import { patchedElsewhere } from '../gaps/accounts/patched-elsewhere'
import { beforeBootstrap } from '../gaps/before-bootstrap'
import { wholeGaps } from '../gaps/blind-spots'
import { brokenParts } from '../gaps/broken-parts'
import { broughtFromElsewhere } from '../gaps/brought-from-elsewhere'
import { clusterScopedObjects } from '../gaps/cluster-scoped-objects'
import { mayHideObjects } from '../gaps/completeness'
import { deletingHooks } from '../gaps/deleting-hooks'
import { duplicateKeys } from '../gaps/duplicate-keys'
import { duplicateKeysInInputs } from '../gaps/duplicate-keys-in-inputs'
import { duplicateKeysInValues } from '../gaps/duplicate-keys-in-values'
import { hiddenBefore } from '../gaps/failures/hidden-before'
import { unrendered } from '../gaps/failures/unrendered'
import { faultyDocuments } from '../gaps/faulty-documents'
import { foldersBelow } from '../gaps/folders-below'
import { forgottenEntries } from '../gaps/forgotten-entries'
import { brokenBefore, type IdleInput, vendorsNothing } from '../gaps/idle-sources'
import { lostProviders } from '../gaps/lost-providers'
import { misnamedKustomizations } from '../gaps/misnamed-kustomizations'
import { misreadValues } from '../gaps/misread-values'
import { missingCharts } from '../gaps/missing-charts'
import { missingEntries } from '../gaps/missing-entries'
import { missingNamedTemplates } from '../gaps/missing-named-templates'
import { missingPaths } from '../gaps/missing-paths'
import { missingValues } from '../gaps/missing-values'
import { misspeltValues } from '../gaps/misspelt-values'
import { mistypedValues } from '../gaps/mistyped-values'
import { namesLeft } from '../gaps/names-left'
import { newlyEncrypted } from '../gaps/newly-encrypted'
import { objectsWithoutNamespace } from '../gaps/objects-without-namespace'
import { orphanedManifests } from '../gaps/orphaned-manifests'
import { otherRevisions } from '../gaps/other-revisions'
import type { ClustersOf } from '../gaps/out-of-sight'
import { releasesOutOfSight } from '../gaps/releases-out-of-sight'
import { removedRemoteBases } from '../gaps/removed-remote-bases'
import { removedValues } from '../gaps/removed-values'
import { subjectsElsewhere } from '../gaps/subjects-elsewhere'
import { templateFaults } from '../gaps/template-faults'
import { unansweredReleases } from '../gaps/unanswered'
import { unappliedFiles } from '../gaps/unapplied-files'
import { unfetchableDependencies } from '../gaps/unfetchable-dependencies'
import { unlistedFiles } from '../gaps/unlisted-files'
import { unmatchedPatches } from '../gaps/unmatched-patches'
import { unreadConditions } from '../gaps/unread-conditions'
import { unreadValues } from '../gaps/unread-values'
import { valuesInOtherCase } from '../gaps/values-in-other-case'
import { valuesOfDependencies } from '../gaps/values-of-dependencies'
import { valuesOutOfScope } from '../gaps/values-out-of-scope'
import { ownGroup } from '../manifest/manifest'
import { unusedValuesFiles } from '../values/unused-values-files'
import type { Comparison } from './compare'
import type { Sides } from './opening/open-sides'
import type { Scope } from './opening/scope'
import { namesAllFolders, type Reach } from './reach'
import type { ChangedFiles } from './read-changed'
import { descriptionsOf, type Rest } from './read-rest'
import type { ChangedRenderings } from './render-changed'

/** Reports what was not inspected: findings where this change is the cause, and a list of the rest. */
export interface Unseen {
  readonly findings: readonly Finding[]
  readonly skipped: readonly Skipped[]
  /** Whether a part of a cluster was not seen. */
  readonly hides: (cluster: string) => boolean
  readonly idle: IdleInput
}

/** Accounts for all that could not be read, rendered or followed. */
export async function accountForUnseen(
  sides: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  rest: Rest,
  compared: Comparison,
  reach: Reach,
  isOwn: (file: string) => boolean,
  { branch, repository }: Pick<Scope, 'branch' | 'repository'>,
): Promise<Unseen> {
  const { base, head, changed } = sides
  const { before, after, values } = read
  const { unknown, blind, placement } = compared
  const descriptions = descriptionsOf(sides)
  const ofFiles = unknown.filter(({ origin, ref }) => origin.kind === 'file' && ref.group !== ownGroup)
  const all = base ? blind.gaps(ofFiles, rest.files) : wholeGaps(after)
  const { files, templates } = head.discovery.fileDeployments
  const isFilledIn = ({ path, cause }: Skipped) => cause === 'template' && files.has(path) && !templates.has(path)
  const gaps = { ...all, skipped: all.skipped.filter((one) => !isFilledIn(one)) }
  const { places } = head.discovery.roots
  const namesAll = base === undefined && (await namesAllFolders(head))
  const idle: IdleInput = {
    namedElsewhere: reach.isKnown || base?.discovery.roots.otherTools === true || namesAll,
    brokenBefore: base ? await brokenBefore(base, rendered.after) : new Set(),
    beforeBootstrap: beforeBootstrap(head, rendered.after),
    vendorsNothing: base !== undefined && (await vendorsNothing(base, rendered.after)),
  }
  const lackingValues = await missingValues(base, head, branch)
  const failed = unrendered({
    before: rendered.before,
    after: rendered.after,
    rest: rest.rendered,
    unknown,
    knownRemotes: await base?.remotePlaces(),
    idle,
    hidden: base ? await hiddenBefore(base, head, rendered.before, rendered.after) : new Set(),
    lackingValues: new Set(lackingValues.flatMap(({ keys }) => keys.at(-1) ?? [])),
    edits: base ? await editsOfBroken(base, head, rendered.after) : new Map(),
    faulty: changed ? await faultyDocuments(head, changed, rendered.after) : new Map(),
    isUnapplied: base ? unappliedFiles(base, head) : (file) => namesAll && !isBelow(places, file),
  })
  const isHidden = (file: string) => compared.hiddenAt(file) !== undefined || !isOwn(file)
  const clustersOf: ClustersOf = (side, path) => placement.clustersOf(side, path)
  const orphans = base ? await orphanedManifests({ base, head }, before, rendered.after, isHidden, clustersOf) : []
  const stranded = new Set(orphans.map(({ location }) => location.path))
  const unlisted = base && changed ? await unlistedFiles(base, head, changed, { rendered, stranded, reach }) : []
  const reported = new Set([...stranded, ...unlisted.map(({ location }) => location.path)])
  const forgotten = base && changed ? await forgottenEntries(base, head, changed, { rendered, reported, reach }) : []
  const misnamed = base && changed ? await misnamedKustomizations(base, head, changed) : []
  const dropped = base ? await removedRemoteBases(base, head) : []
  const patched = base ? await patchedElsewhere({ base, head }, rendered) : []
  const unmatched = base ? await unmatchedPatches({ base, head }, rendered) : []
  const refusing =
    base && changed ? await unansweredReleases(base, head, changed, rendered.unanswered) : { findings: [], skipped: [] }
  const hides = mayHideObjects({
    head,
    rendered: [...rendered.after, ...rest.rendered],
    unreadable: [...gaps.skipped, ...gaps.findings.map(({ location }) => location)].map(({ path }) => path),
    texts: [...[...after.loaded].map(([path, { text }]) => [path, text] as const), ...rest.texts],
    clustersOf: (path) => placement.clustersOf('head', path),
  })
  const revisions = await otherRevisions(base, head, { branch, isNamed: repository.length > 0 })
  const undeployed = notJudgedOfFiles(base, head, changed)
  const known = new Set([...values.valuesFiles, ...undeployed.map(({ path }) => path)])
  const manifests = [before, after].flatMap(({ loaded }) =>
    [...loaded].flatMap(([path, { objects }]) => (objects.length > 0 ? [path] : [])),
  )
  return {
    findings: [
      ...descriptions.head.findings,
      ...values.findings(),
      ...gaps.findings,
      ...failed.findings,
      ...(base && changed ? await brokenParts(base, head, changed, rendered, failed.findings) : []),
      ...(base && changed ? await templateFaults(base, head, changed, failed.findings) : []),
      ...(base && changed ? await missingNamedTemplates(base, head, changed, failed.findings) : []),
      ...(base && changed ? await misspeltValues(base, head, changed, failed.findings) : []),
      ...(base && changed ? await valuesInOtherCase(base, head, changed, failed.findings) : []),
      ...(base && changed ? await mistypedValues(base, head, changed, failed.findings) : []),
      ...(base && changed ? await namesLeft(base, head, changed) : []),
      ...(base && changed ? await removedValues(base, head, changed, failed.findings) : []),
      ...(base && changed ? await unfetchableDependencies(base, head, changed) : []),
      ...(base && changed ? await missingPaths(base, head, changed, [...failed.findings, ...lackingValues]) : []),
      ...(base ? foldersBelow(base, head) : []),
      ...(base ? await missingEntries(base, head, failed.findings, isOwn) : []),
      ...(sides.notFetched ?? []),
      ...orphans,
      ...dropped,
      ...(base ? releasesOutOfSight(base, head) : []),
      ...(base ? newlyEncrypted(base, head) : []),
      ...lackingValues,
      ...patched,
      ...unmatched,
      ...refusing.findings,
      ...revisions.findings,
      ...(base ? await lostProviders(base, head) : []),
      ...(await unreadValues(base, head, changed)),
      ...(base && changed ? await misreadValues(base, head, changed) : []),
      ...(base && changed ? await abandonedValues(base, head, changed) : []),
      ...(base && changed ? await subjectsElsewhere(base, head, changed) : []),
      ...(await valuesOfDependencies(base, head, changed)),
      ...(base && changed ? await valuesOutOfScope(base, head, changed) : []),
      ...(base ? await unreadConditions(base, head, changed) : []),
      ...unlisted,
      ...forgotten,
      ...misnamed,
      ...(base ? objectsWithoutNamespace(compared.changes, base, head, rendered.before) : []),
      ...(base && changed ? await clusterScopedObjects(base, head, changed, rendered) : []),
      ...(base && changed ? await deletingHooks(base, head, changed) : []),
      ...duplicateKeys(compared.changes, [...compared.before, ...compared.rest.base], base ? [] : compared.after),
      ...(base && changed ? await duplicateKeysInInputs(base, head, changed, rendered.after) : []),
      ...(base && changed ? await duplicateKeysInValues(base, head, changed, values.valuesFiles) : []),
    ],
    skipped: [
      ...head.tree.skipped,
      ...descriptions.head.skipped,
      ...gaps.skipped,
      ...failed.skipped,
      ...refusing.skipped,
      ...missingCharts(head, rendered.after),
      ...broughtFromElsewhere(head, rendered.after),
      ...(sides.publishedHere ?? []),
      ...revisions.skipped,
      ...undeployed,
      ...(await takenByOtherTools(base, head, changed, new Set([...known, ...manifests]))),
      ...(await unusedValuesFiles(head, changed ?? new Set(), known)).map((path) => ({
        path,
        reason: 'values that no known release uses; declare the release under `helm:`',
        cause: 'not-taken' as const,
      })),
    ],
    hides,
    idle,
  }
}
