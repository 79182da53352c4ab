import { describesCluster } from '../cluster/cluster-facts'
import type { RawFinding } from '../finding/finding'
import { abridged } from '../listing'
import { supposing } from '../manifest/assumption'
import { type Manifest, nameOf } from '../manifest/manifest'
import type { Evidence } from './evidence'

/**
 * Lowers findings that are not certain to a warning: on objects of a source that is not built whole; on a removal of
 * what an unread file of this change writes; and those that rest on guessed clusters, with the config line that would
 * make them certain: a removal from files of no known cluster of an object that this change writes elsewhere; and,
 * where folders count as clusters because they repeat each other, a removal while a copy stays, and two objects in
 * files that belong to no cluster.
 */
export function withDoubt(draft: RawFinding, evidence: Evidence): RawFinding {
  if (draft.level === 'notice') return draft
  const unsure = ofMoved(ofRemovedChart(ofSupposed(ofLacking(ofUnbuilt(withReason(draft)))), evidence), evidence)
  return ['change', 'removal'].includes(draft.active.rule.scope)
    ? ofRemoval(unsure, evidence)
    : ofPair(unsure, evidence)
}

/** Adds why an object is deleted that the files still have. */
function withReason(draft: RawFinding): RawFinding {
  const deletion = draft.ends.map(({ manifest }) => manifest.origin.deletedBy).find((one) => one !== undefined)
  if (!deletion) return draft
  const text = `${draft.text} The files still have it, but: ${deletion.reason}`
  return { ...draft, text, ends: deletion.at ? [deletion.at] : draft.ends }
}

/** Lowers findings on objects of a source that is not built whole, where something unknown may change them. */
function ofUnbuilt(draft: RawFinding): RawFinding {
  for (const { manifest } of draft.ends) {
    const { origin } = manifest
    if (origin.kind !== 'rendered' || !origin.unbuilt || origin.unbuilt === 'written') continue
    const place = origin.source.path
    const why =
      origin.unbuilt === 'changed'
        ? `${nameOf(manifest.ref)} was read from ${origin.path}, because ${place} cannot be built; the patches there may change this.`
        : `${nameOf(manifest.ref)} was built without a part of ${place} that is not in this repository and may change this.`
    return weakened(draft, why)
  }
  return draft
}

/** Lowers findings on objects of a release that is deployed with values that are unknown. */
function ofLacking(draft: RawFinding): RawFinding {
  for (const { manifest } of draft.ends) {
    const { origin } = manifest
    if (origin.kind !== 'rendered' || origin.lacking === undefined) continue
    return weakened(
      draft,
      `${nameOf(manifest.ref)} was rendered without ${origin.lacking}, and these values may change this.`,
    )
  }
  return draft
}

/** Lowers findings on objects of a chart that was rendered with values that no known release has. */
function ofSupposed(draft: RawFinding): RawFinding {
  for (const { manifest } of draft.ends) {
    const { origin } = manifest
    if (origin.kind === 'rendered' && origin.supposed !== undefined)
      return weakened(draft, supposing(origin.source.path, origin.supposed))
  }
  return draft
}

/**
 * The rules for objects that a cluster cannot do without: an object written into a template that nothing fills in
 * counts as removed, and so does one of a chart that nothing known installs.
 */
const certain: ReadonlySet<string> = new Set(['protected-rbac/object-kept', 'protected-rbac/cluster-object-kept'])

/** Lowers findings on a removal with the folder of a chart whose release is only assumed. */
function ofRemovedChart(draft: RawFinding, { removedCharts }: Evidence): RawFinding {
  for (const { manifest } of draft.ends) {
    const { origin, side } = manifest
    const chart = side === 'base' && origin.kind === 'rendered' ? removedCharts?.get(origin.id) : undefined
    if (chart !== undefined)
      return weakenedUnlessCertain(
        draft,
        `This assumes a release of ${chart} with its own values, as nothing here installs it.`,
      )
  }
  return draft
}

/** Lowers findings on a removal of an object that a file of this change writes which cannot be read. */
function ofMoved(draft: RawFinding, { head, writtenUnread }: Evidence): RawFinding {
  for (const { manifest } of draft.ends) {
    if (manifest.side !== 'base' || head.get(draft.cluster)?.get(manifest.ref).length) continue
    const path = writtenUnread(manifest.ref)
    if (path === undefined) continue
    const doubt = `${path} also contains ${nameOf(manifest.ref)}, but cannot be read until it is fixed or a tool fills it in, so it is unknown whether the object is gone.`
    return weakenedUnlessCertain(draft, doubt)
  }
  return draft
}

function ofPair(draft: RawFinding, evidence: Evidence): RawFinding {
  return withDoubtOfPair(
    draft,
    draft.ends.map((end) => end.manifest),
    evidence,
  )
}

/** @param pair the objects that are taken to be of one cluster */
export function withDoubtOfPair(draft: RawFinding, pair: readonly Manifest[], { clusters }: Evidence): RawFinding {
  // Cluster descriptions do not belong to any folder.
  const objects = pair.filter((manifest) => !describesCluster(manifest))
  const folders = new Set(objects.map(({ values, origin }) => folderOf((values?.owner.origin ?? origin).path)))
  if (!clusters.assumed || draft.cluster !== '' || folders.size < 2) return draft
  return weakened(draft, `Both may belong to different clusters; to make this certain, ${declaring(folders)}.`)
}

function ofRemoval(draft: RawFinding, all: Evidence): RawFinding {
  const { clusters, changes, head, lapseOf } = all
  const removed = draft.ends[0]?.manifest
  if (removed?.side !== 'base') return draft
  const { evidence } = removed
  if (evidence === 'declared') return ofNamed(draft, removed, all)
  if (evidence === 'layout') return draft
  const written = new Set(changes.map((change) => (change.kind === 'added' ? change.after : undefined)))
  const copies = [...head.values()]
    .flatMap((snapshot) => snapshot.get(removed.ref))
    .filter((copy) => clusters.assumed || (evidence === 'none' && written.has(copy)))
    .filter((copy) => lapseOf?.(copy, removed) === undefined)
  if (copies.length === 0) return draft
  const places = [...new Set(copies.map((copy) => copy.origin.path))].sort()
  return weakened(
    draft,
    `A copy is in ${abridged(places)}. If that copy belongs to another cluster, ${declaring(new Set([folderOf(removed.origin.path)]))}; this is then an error.`,
  )
}

/**
 * Lowers a removal from a cluster that an object names while an untouched copy stays in a folder of the cluster's name
 * that no cluster is known for: an ApplicationSet that is not read most likely deploys it there. Where the config
 * declares the cluster of the removed object, it declares where the copies of that cluster are, too.
 */
function ofNamed(draft: RawFinding, removed: Manifest, { clusters, base, head }: Evidence): RawFinding {
  if (clusters.of(removed.origin.path).evidence === 'declared') return draft
  const copiesIn = (side: Evidence['base']) =>
    [...side.values()]
      .flatMap((snapshot) => snapshot.get(removed.ref))
      .filter(({ evidence, origin }) => evidence !== 'declared' && hasFolder(placeOf(origin), draft.cluster))
  const there = new Set(copiesIn(base).map(({ object, origin }) => `${placeOf(origin)}\n${object.content}`))
  const copies = copiesIn(head).filter(({ object, origin }) => there.has(`${placeOf(origin)}\n${object.content}`))
  if (copies.length === 0) return draft
  const places = [...new Set(copies.map(({ origin }) => placeOf(origin)))].sort()
  const cluster = JSON.stringify(draft.cluster)
  return weakened(
    draft,
    `A copy is in ${abridged(places)}, which may be deployed to this cluster, too; if it is, declare \`clusters: {${cluster}: {paths: ["**/${draft.cluster}/**"]}}\` in the config.`,
  )
}

/** The file of an object, or the folder that renders it. */
function placeOf(origin: Manifest['origin']): string {
  return origin.kind === 'file' ? origin.path : origin.source.path
}

function hasFolder(place: string, name: string): boolean {
  return place.split('/').includes(name)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function declaring(folders: ReadonlySet<string>): string {
  const globs = [...folders].map((folder) => JSON.stringify(`${folder}**`)).join(', ')
  return `declare \`clusters: {<name>: {paths: [${globs}]}}\` in the config`
}

/** The removal of a protected object stays an error. */
function weakenedUnlessCertain(draft: RawFinding, why: string): RawFinding {
  return certain.has(draft.active.rule.id) ? { ...draft, text: `${draft.text} ${why}` } : weakened(draft, why)
}

function weakened(draft: RawFinding, why: string): RawFinding {
  return { ...draft, level: 'warning', text: `${draft.text} ${why}` }
}
