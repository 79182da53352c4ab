import { clusterRef } from '../cluster/cluster-facts'
import { type DeclaredClusters, layoutFolderOf } from '../cluster/clusters'
import { GuardError } from '../errors'
import { gateFinding } from '../finding/gate-finding'
import type { Finding, Skipped } from '../finding/report'
import { decodeFile, type LoadedObject } from '../manifest/load'
import { Manifest, type Side } from '../manifest/manifest'
import { readInventoryFile } from '../policy/inventory'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import type { Content, Revision } from '../revision/revision'
import type { Tree } from '../revision/tree'

/** The cluster descriptions of one side. */
export interface Descriptions {
  readonly manifests: readonly Manifest[]
  /** The inventories that cannot be read. */
  readonly findings: readonly Finding[]
  /** The clusters whose manifests are unknown. */
  readonly skipped: readonly Skipped[]
}

export const noDescriptions: Descriptions = { manifests: [], findings: [], skipped: [] }

/** Reads the inventories that a side's config names, and the facts that the config itself declares. */
export async function readDescriptions(
  side: Side,
  { checkout, tree }: { readonly checkout: Checkout; readonly tree: Tree },
  declared: DeclaredClusters,
): Promise<Descriptions> {
  const manifests: Manifest[] = []
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  const namesOf = deployedUnder(declared, tree)
  const contents = await checkout.read(Object.values(declared).flatMap(({ inventory }) => inventory?.path ?? []))
  for (const [name, { inventory, entry }] of Object.entries(declared)) {
    const clusters = namesOf(name)
    const place = (path: string, object: LoadedObject) =>
      new Manifest(object, side, { kind: 'file', path }, clusters, 'declared')
    if (clusters.length === 0 && entry) {
      const reason = `the files of the cluster ${name} are unknown, because it has neither \`paths\` nor a folder of that name`
      skipped.push({ path: entry.path, reason })
    }
    if (entry) manifests.push(place(entry.path, entry.object))
    if (!inventory) continue
    try {
      const objects = parse(contents.get(inventory.path), inventory.path, name)
      manifests.push(...objects.map((object) => place(inventory.path, object)))
    } catch (error) {
      if (!(error instanceof GuardError)) throw error
      findings.push(unreadable(error, inventory, entry, side))
    }
  }
  return { manifests, findings, skipped }
}

/**
 * The names that snapshots use for a declared cluster: its own, or those of the layout's folders with its name. A
 * cluster that has neither paths nor a folder contains the files that belong to no other; with several of them, that is
 * unknown.
 */
function deployedUnder(declared: DeclaredClusters, tree: Tree): (name: string) => string[] {
  const homeless = Object.entries(declared).flatMap(([name, { paths }]) =>
    paths || tree.below(name).length > 0 ? [] : [name],
  )
  const folders = new Set(homeless.length > 0 ? [...tree.entries.keys()].map(layoutFolderOf) : [])
  const found = new Map(
    homeless.map((name) => [name, [...folders].filter((folder) => folder?.endsWith(`/${name}`)) as string[]]),
  )
  const left = homeless.filter((name) => found.get(name)?.length === 0)
  return (name) => {
    if (left.includes(name)) return left.length === 1 ? [''] : []
    return found.get(name) ?? [name]
  }
}

/**
 * The inventory files of each side, which are not manifests: those that the base's config names, and new files that the
 * head's names. A file that was deployed at the base is still judged when the head calls it an inventory.
 */
export async function inventoriesOf(
  base: Revision | undefined,
  declared: { readonly base: DeclaredClusters; readonly head: DeclaredClusters },
): Promise<{ readonly base: ReadonlySet<string>; readonly head: ReadonlySet<string> }> {
  const named = (clusters: DeclaredClusters) =>
    Object.values(clusters).flatMap(({ inventory }) => inventory?.path ?? [])
  const before = new Set(named(declared.base))
  const further = named(declared.head).filter((path) => !before.has(path))
  const there = new Set(further.length > 0 ? (await base?.list())?.map(({ path }) => path) : [])
  return { base: before, head: new Set([...before, ...further.filter((path) => !there.has(path))]) }
}

const parsed = new WeakMap<Uint8Array, Map<string, LoadedObject[]>>()

/** Parses an inventory once for both sides of a change and all trials of it. */
function parse(content: Content | undefined, path: string, cluster: string): LoadedObject[] {
  if (!content)
    throw new GuardError(
      'source',
      'This inventory does not exist, so the state of the cluster is unknown. Add the file, or remove it from the config.',
    )
  if ('missing' in content) throw new GuardError('source', `This inventory cannot be read: ${content.missing}.`)
  const key = JSON.stringify([path, cluster])
  const known = parsed.get(content) ?? new Map<string, LoadedObject[]>()
  parsed.set(content, known)
  const objects = known.get(key) ?? readInventoryFile(decodeFile(content).text, path, clusterRef(cluster))
  known.set(key, objects)
  return objects
}

/** At the faulty line of the inventory, or where the config names a missing file. */
function unreadable(
  { message, at }: GuardError,
  { path, region }: { path: string; region: Manifest['object']['region'] },
  entry: { path: string; object: LoadedObject } | undefined,
  side: Side,
): Finding {
  const place = at ? { path: at.path, region: at.region ?? startOf(1) } : { path: entry?.path ?? path, region }
  return gateFinding('source/unreadable', 'inventory', 'error', {
    side,
    ...place,
    keys: [path, message],
    status: 'introduced',
    text: `The inventory ${path}: ${message}`,
    ...(at || !entry ? {} : { fileText: entry.object.lines }),
  })
}
