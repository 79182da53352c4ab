import { comparisonKey } from './load'
import { identityOf, type Manifest } from './manifest'

/** An object added, changed or removed in one cluster. Identity is the object, never the file. */
export type Change =
  | { readonly kind: 'added'; readonly cluster: string; readonly after: Manifest }
  | { readonly kind: 'changed'; readonly cluster: string; readonly before: Manifest; readonly after: Manifest }
  | { readonly kind: 'removed'; readonly cluster: string; readonly before: Manifest }

/** The object on the sides that have it. */
export function sidesOf(change: Change): { readonly before?: Manifest; readonly after?: Manifest } {
  return {
    ...(change.kind === 'added' ? {} : { before: change.before }),
    ...(change.kind === 'removed' ? {} : { after: change.after }),
  }
}

/** An object in another place after a change, in the same cluster: in another file, or rendered from another source. */
export interface Move {
  readonly cluster: string
  readonly before: Manifest
  readonly after: Manifest
}

/** The objects that differ between the base and the head. */
export interface Changes {
  readonly changes: readonly Change[]
  readonly moves: readonly Move[]
  /**
   * Base objects that are missing at the head and may be in files that could not be read: they are not reported as
   * removed.
   */
  readonly unknown: readonly Manifest[]
}

/**
 * The changes of objects. One identity may occur several times, so occurrences are matched: by path, then by content,
 * then by identity alone; only the remaining ones are added or removed. An object with the same content on both sides
 * is unchanged, also in another file.
 *
 * @param isUnknown base objects whose file could not be read at the head
 */
export function changesBetween(
  base: readonly Manifest[],
  head: readonly Manifest[],
  isUnknown: (manifest: Manifest) => boolean = () => false,
): Changes {
  const before = occurrences(base)
  const after = occurrences(head)
  const changes: Change[] = []
  const moves: Move[] = []
  const unknown: Manifest[] = []
  const removed: { cluster: string; manifest: Manifest }[] = []
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const left = before.get(key)
    const right = after.get(key)
    const cluster = (left ?? right)?.cluster ?? ''
    const isGenerated = (left ?? right)?.manifests[0]?.ref.generated === true
    const match = isGenerated ? matchGenerated : matchCopies
    const { pairs, gone, come } = match(left?.manifests ?? [], right?.manifests ?? [])
    for (const [was, is] of pairs) {
      if (placeOf(was) !== placeOf(is)) moves.push({ cluster, before: was, after: is })
      if (comparisonKey(was.object) !== comparisonKey(is.object) || unsetIn(was) !== unsetIn(is))
        changes.push({ kind: 'changed', cluster, before: was, after: is })
    }
    for (const after of come) changes.push({ kind: 'added', cluster, after })
    removed.push(...gone.map((manifest) => ({ cluster, manifest })))
  }
  for (const { cluster, manifest } of removed) {
    if (isUnknown(manifest)) {
      unknown.push(manifest)
      continue
    }
    changes.push({ kind: 'removed', cluster, before: manifest })
  }
  return { changes, moves, unknown }
}

/** The variables in an object that are replaced by nothing, which makes another object of the same text. */
function unsetIn({ origin }: Manifest): string {
  return origin.kind === 'rendered' ? (origin.unset ?? []).map(({ name }) => name).join() : ''
}

function placeOf({ origin }: Manifest): string {
  return origin.kind === 'file' ? origin.path : origin.id
}

interface Occurrences {
  cluster: string
  manifests: Manifest[]
}

function occurrences(manifests: readonly Manifest[]): Map<string, Occurrences> {
  const found = new Map<string, Occurrences>()
  for (const manifest of manifests) {
    for (const cluster of manifest.clusters) {
      const key = JSON.stringify([cluster, identityOf(manifest.ref)])
      const entry = found.get(key)
      if (entry) entry.manifests.push(manifest)
      else found.set(key, { cluster, manifests: [manifest] })
    }
  }
  return found
}

/** The keys by which two occurrences are matched, strictest first. */
const likenesses: readonly ((manifest: Manifest) => string)[] = [
  ({ origin, object }) => JSON.stringify([origin.path, object.content]),
  ({ origin }) => origin.path,
  ({ object }) => object.content,
  () => '',
]

/** Editing an object with a generated name creates another one, and the former one stays. */
function matchGenerated(base: readonly Manifest[], head: readonly Manifest[]) {
  const { pairs, come } = matchCopies(base, head, [({ object }) => object.content])
  return { pairs, gone: [], come }
}

function matchCopies(base: readonly Manifest[], head: readonly Manifest[], by = likenesses) {
  const pairs: [Manifest, Manifest][] = []
  let gone = base
  let come = head
  for (const likeness of by) {
    const waiting = new Map<string, Manifest[]>()
    for (const manifest of come) {
      const queue = waiting.get(likeness(manifest))
      if (queue) queue.push(manifest)
      else waiting.set(likeness(manifest), [manifest])
    }
    for (const queue of waiting.values()) queue.reverse()
    gone = gone.filter((was) => {
      const is = waiting.get(likeness(was))?.pop()
      if (is) pairs.push([was, is])
      return is === undefined
    })
    come = [...waiting.values()].flatMap((queue) => queue.reverse())
  }
  return { pairs, gone, come }
}

/**
 * Clusters that this change renames: the old one has no files at the head, and more than half of its objects are in one
 * that did not exist at the base. The others are removed from it.
 *
 * @param kept clusters that still have a file this change does not touch
 * @param mayBe whether a cluster may be the new one of another
 * @returns new names by old ones
 */
export function renamedClusters(
  base: readonly Manifest[],
  head: readonly Manifest[],
  kept: () => ReadonlySet<string>,
  mayBe: (from: string, to: string) => boolean = () => true,
): Map<string, string> {
  const before = contentsByCluster(base)
  const after = contentsByCluster(head)
  if ([...before.keys()].every((cluster) => cluster === '' || after.has(cluster))) return new Map()
  const stays = kept()
  // Files of no known cluster have no name to change.
  const isNamed = (name: string) => name !== '' && !stays.has(name)
  const gone = [...before].filter(([name]) => isNamed(name) && !after.has(name))
  const come = [...after].filter(([name]) => isNamed(name) && !before.has(name))
  const pairs = gone.flatMap(([from, objects]) =>
    come.flatMap(([to, held]) => {
      const shared = [...objects.keys()].filter((identity) => held.has(identity)).length
      return 2 * shared > objects.size && mayBe(from, to)
        ? [{ from, to, part: shared / objects.size, likeness: likeness(from, to, objects, held) }]
        : []
    }),
  )
  const renamed = new Map<string, string>()
  const taken = new Set<string>()
  // What one has whole goes before what another one has in part.
  for (const { from, to } of pairs.sort((a, b) => b.part - a.part || b.likeness - a.likeness)) {
    if (renamed.has(from) || taken.has(to)) continue
    renamed.set(from, to)
    taken.add(to)
  }
  return renamed
}

/**
 * Copies of one cluster hold the same objects; their content, then the name of the folder, decides which became which.
 */
function likeness(from: string, to: string, objects: Map<string, string>, held: Map<string, string>): number {
  const same = [...objects].filter(([identity, content]) => held.get(identity) === content).length
  return same * 2 + (from.split('/').pop() === to.split('/').pop() ? 1 : 0)
}

function contentsByCluster(manifests: readonly Manifest[]): Map<string, Map<string, string>> {
  const clusters = new Map<string, Map<string, string>>()
  for (const manifest of manifests) {
    for (const cluster of manifest.clusters) {
      const held = clusters.get(cluster) ?? new Map<string, string>()
      held.set(identityOf(manifest.ref), manifest.object.content)
      clusters.set(cluster, held)
    }
  }
  return clusters
}
