import { declarationSite, type NotInspected, type NotInspectedCause } from '../deployers/common/gitops-sources'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { isOwnCluster, readApplication } from '../gitops/application'
import { causeText } from '../ledger/causes'
import { identityOf, type Manifest, nameOf, type Side } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'

/** The clusters that a file of one side is deployed to. */
export type ClustersOf = (side: Side, path: string) => readonly string[]

/**
 * Reports Argo CD and Flux objects whose source was rendered, or whose files were read, at the base, and cannot be
 * inspected at the head.
 */
export function outOfSight(
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
  clustersOf: ClustersOf,
): Finding[] {
  const gone = goneSources({ base, head })
  const news = unseenNews({ base, head })
  const named = base.discovery.sources.filter(({ origin }) => origin === 'named')
  const wasJudged = (one: NotInspected) =>
    (one.cause === 'hook' ? named : gone).some((source) => isOf(source, one.manifest, clustersOf)) ||
    hidesPlainFiles(one, { base, head }, clustersOf) ||
    (ofSets.has(one.cause) && base.discovery.objects.some((before) => isSame(before, one.manifest, clustersOf)))
  return news.flatMap((one) => {
    if (unmodelled.has(one.cause)) return ofUnmodelled(one, base.discovery.notInspected, wasJudged)
    if (!wasJudged(one)) return []
    const { manifest, cause, reason } = one
    const { effect, remedy } = causeText(cause)
    const name = nameOf(manifest.ref)
    const text =
      cause === 'hook'
        ? `${name}: ${reason}. ${effect} ${remedy}`
        : `The objects that ${name} deploys can no longer be rendered, so this change to them cannot be checked: ${reason}.`
    const before = base.discovery.objects.find((other) => isSame(other, manifest, clustersOf))
    return findingAt({ ...one, ...changedSite(one, before) }, 'out-of-sight', [cause], text)
  })
}

/**
 * The ids of the sources of the base whose objects are unknown at the head: their deployer is still there, and what it
 * deploys now is not in sight.
 */
export function idsOutOfSight(
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
  clustersOf: ClustersOf,
): ReadonlySet<string> {
  const gone = goneSources({ base, head })
  if (gone.length === 0) return new Set()
  const news = unseenNews({ base, head })
  // Of a source that is not modelled, a finding may be left out.
  const unseen = news.filter(({ cause }) => !deleting.has(cause) && !unmodelled.has(cause))
  return new Set(
    gone.filter((source) => unseen.some((one) => isOf(source, one.manifest, clustersOf))).map(({ id }) => id),
  )
}

/** Sources with encrypted values are rendered without these, which `newly-encrypted.ts` judges. */
function unseenNews({ base, head }: { readonly base: SideOfChange; readonly head: SideOfChange }): NotInspected[] {
  const news = withoutKnown(head.discovery.notInspected, base.discovery.notInspected)
  return news.filter(({ cause }) => cause !== 'values-encrypted')
}

/** The causes for which the deployer deletes what it deployed. */
const deleting: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>(['hook', 'nothing-to-apply'])

/** The sources of objects that the head has no longer. */
function goneSources({ base, head }: { readonly base: SideOfChange; readonly head: SideOfChange }): Source[] {
  const present = new Set(head.discovery.sources.map(({ id }) => id))
  return base.discovery.sources.filter(({ origin, id }) => origin === 'named' && !present.has(id))
}

/** The line of the field by which the change itself takes the source out of sight. */
function changedSite({ fields = [] }: NotInspected, before: Manifest | undefined): Pick<NotInspected, 'at'> {
  const changed = fields.find(({ value }) => before && before.root.at(...value.path).value !== value.value)
  return changed ? { at: changed.at } : {}
}

function findingAt(
  { manifest, at = declarationSite(manifest) }: NotInspected,
  message: string,
  keys: readonly string[],
  text: string,
): Finding {
  return gateFinding('source/unrendered', message, 'error', {
    side: 'head',
    ...at,
    status: 'introduced',
    object: manifest.ref,
    keys,
    ...(at.path === manifest.origin.path ? { fileText: manifest.object.lines } : {}),
    text,
  })
}

/** The causes for which a folder has objects that its files do not show. */
const unmodelled: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>(['jsonnet', 'file-names'])

/**
 * The sources of an object that are not judged. This is an error if the object was judged whole before, or if the base
 * has none of that kind; otherwise one more is a routine change, which is listed.
 */
function ofUnmodelled(
  one: NotInspected,
  before: readonly NotInspected[],
  wasJudged: (one: NotInspected) => boolean,
): Finding[] {
  const { manifest, cause, reason, at = declarationSite(manifest) } = one
  const alike = before.filter((other) => other.cause === cause)
  if (alike.some((other) => identityOf(other.manifest.ref) === identityOf(manifest.ref))) return []
  if (alike.length > 0 && !wasJudged(one)) return []
  const { effect, remedy } = causeText(cause)
  return [findingAt(one, 'unmodelled', [cause, at.path], `${nameOf(manifest.ref)}: ${reason}. ${effect} ${remedy}`)]
}

/** The causes for which some of the objects that a ResourceSet makes are unknown. */
const ofSets: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>(['set-inputs', 'set-template'])

/** Whether an object applied plain files at the base, and for this cause no longer applies them unchanged. */
function hidesPlainFiles(
  { manifest, cause }: NotInspected,
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
  clustersOf: ClustersOf,
): boolean {
  // Rendering reports a missing folder.
  if (cause === 'folder-missing') return false
  for (const [file, { manifest: before }] of base.discovery.plain) {
    if (!asBefore.has(cause) && head.discovery.plain.has(file)) continue
    if (isSame(before, manifest, clustersOf)) return true
  }
  return false
}

/** The causes that count although the files are still deployed by the object. */
const asBefore: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>([...unmodelled, 'plugin', 'hook'])

/** Whether an object is that of the base: in the same file, or in another one of the same cluster. */
function isSame(before: Manifest, manifest: Manifest, clustersOf: ClustersOf): boolean {
  if (identityOf(before.ref) !== identityOf(manifest.ref)) return false
  if (before.origin.path === manifest.origin.path) return true
  const known = clustersOf('base', before.origin.path)
  return clustersOf('head', manifest.origin.path).some((cluster) => known.includes(cluster))
}

/**
 * The sources that are unseen at the head and were seen at the base. Each entry of the base explains one entry of the
 * same object and cause: the second source of an object may become unseen later.
 */
function withoutKnown(after: readonly NotInspected[], before: readonly NotInspected[]): NotInspected[] {
  const keyOf = ({ manifest: { ref, origin }, cause }: NotInspected) =>
    JSON.stringify([identityOf(ref), origin.path, cause])
  const known = new Map<string, string[]>()
  for (const one of before) known.set(keyOf(one), [...(known.get(keyOf(one)) ?? []), one.reason])
  const explains = (one: NotInspected, at: (reasons: readonly string[]) => number) => {
    const reasons = known.get(keyOf(one)) ?? []
    const index = at(reasons)
    if (index !== -1) reasons.splice(index, 1)
    return index !== -1
  }
  const changed = after.filter((one) => !explains(one, (reasons) => reasons.indexOf(one.reason)))
  return changed.filter((one) => !explains(one, (reasons) => reasons.length - 1))
}

/** Whether an object declared a source at the base: in the same file, or in another file for the same cluster. */
function isOf({ id, declaredAt: at, target }: Source, manifest: Manifest, clustersOf: ClustersOf): boolean {
  const { ref, origin } = manifest
  const isThere = at.path === origin.path
  // Applications that an ApplicationSet generates have names of their own.
  if (ref.kind === 'ApplicationSet') return isThere
  const isNamed =
    ref.kind === 'Application'
      ? id.startsWith(`argocd:${at.path}:${ref.name}:`)
      : id.startsWith(`flux:${ref.kind}/${ref.namespace}/${ref.name}:`)
  if (!isNamed) return false
  const before = 'cluster' in target ? [target.cluster] : clustersOf('base', target.path)
  const after = clustersOfObject(manifest, clustersOf)
  return isThere || before.some((cluster) => after.includes(cluster))
}

function clustersOfObject({ ref, root, origin }: Manifest, clustersOf: ClustersOf): readonly string[] {
  const { cluster } = readApplication(root).destination
  return ref.kind === 'Application' && !isOwnCluster(cluster) ? [cluster] : clustersOf('head', origin.path)
}
