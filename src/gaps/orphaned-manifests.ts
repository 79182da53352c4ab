import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { loadFile } from '../manifest/load'
import { nameOf } from '../manifest/manifest'
import { startOf } from '../region'
import type { Files } from '../revision/files'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { inside } from '../sources/kustomization'
import { unreadable } from './blind-spots'
import { type ClustersOf, outOfSight } from './out-of-sight'

interface BothSides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

/**
 * Reports `source/unrendered` for files that are still there at the head and are no longer rendered.
 *
 * @param before the files read at the base
 * @param isHidden whether a file is in something that could not be rendered, which is reported separately
 * @param clustersOf the clusters that a file is deployed to
 */
export async function orphanedManifests(
  sides: BothSides,
  before: Files,
  after: readonly RenderedSide[],
  isHidden: (file: string) => boolean,
  clustersOf: ClustersOf,
): Promise<Finding[]> {
  const remote = outOfSight(sides, clustersOf)
  // If an object cannot be followed, it is unknown whether its files are still deployed.
  const edited = remote.length > 0 ? [] : await editedButUndeployed(sides)
  return [
    ...(await noLongerDeployed(sides, before, after, isHidden)),
    ...remote,
    ...edited,
    ...(await noLongerReadable(sides, before)),
  ]
}

/**
 * Files that nothing deploys any more, with a part that an edit makes unreadable: it may be the object that deploys them.
 */
async function noLongerReadable({ base, head }: BothSides, before: Files): Promise<Finding[]> {
  const edited = [...head.discovery.ownership].flatMap(([file, { deployed }]) =>
    !deployed &&
    (before.loaded.get(file)?.objects.length ?? 0) > 0 &&
    head.checkout.tree.entries.get(file)?.type === 'file' &&
    base.checkout.idOf(file) !== head.checkout.idOf(file)
      ? [file]
      : [],
  )
  return [...(await head.checkout.texts(edited))].flatMap(([file, text]) => {
    const known = before.loaded.get(file)?.unreadable.map(({ reason }) => reason) ?? []
    const read = loadFile({ text })
    return read.unreadable
      .filter(({ reason }) => !known.includes(reason))
      .map(({ reason, region }) => unreadable(file, reason, region, 'introduced', read.lines))
  })
}

/**
 * Manifests that the base applies as plain files, that are still there, and that nothing renders now, because a chart
 * or a Kustomization was added above them. The files do not show whether they are still applied. If they are, nothing
 * would judge them from now on, so this is an error, and no removal.
 */
async function noLongerDeployed(
  { base, head }: BothSides,
  before: Files,
  after: readonly RenderedSide[],
  isHidden: (file: string) => boolean,
): Promise<Finding[]> {
  const wereApplied = new Set(
    [...before.loaded].flatMap(([file, { objects }]) => (objects.length > 0 ? [path.dirname(file)] : [])),
  )
  const { ownership, kustomizations } = head.discovery
  const included = new Set(
    [...kustomizations.values()].flatMap(({ folder, includes }) => includes.map(({ text }) => inside(folder, text))),
  )
  const came = (file: string) =>
    !base.checkout.tree.entries.has(file) && wereApplied.has(path.dirname(file)) && !ownership.get(file)?.deployed
  const wasApplied = (file: string) =>
    (before.loaded.get(file)?.objects.length ?? 0) > 0 && !base.discovery.plain.has(file) && head.checkout.has(file)
  const files = [...ownership.keys()].filter(
    (file) =>
      /\.(?:ya?ml|json)$/.test(file) && !included.has(file) && !isHidden(file) && (came(file) || wasApplied(file)),
  )
  const rendered = after.flatMap(({ objects }) => objects.map(({ object: { ref } }) => ref))
  const findings: Finding[] = []
  for (const [file, text] of await head.checkout.texts(files)) {
    // A prefix or suffix may have been put to the name.
    const left = loadFile({ text }).objects.filter(
      ({ ref }) => !rendered.some(({ kind, name }) => kind === ref.kind && name.includes(ref.name)),
    )
    const [first] = left
    if (!first) continue
    const names = left.slice(0, 3).map(({ ref }) => nameOf(ref))
    const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
    findings.push(
      gateFinding('source/unrendered', 'stranded', 'error', {
        side: 'head',
        path: file,
        region: first.region,
        status: 'introduced',
        keys: [file],
        fileText: text,
        text: `After this change nothing deploys ${names.join(', ')}${more} from this file: it is ${ownership.get(file)?.reason}. Before, manifests here were applied as plain files. Add the file to a source that is deployed, or delete it.`,
      }),
    )
  }
  return findings
}

/**
 * Files that this change both edits and no longer deploys. The edit would never be judged: now, nothing renders the
 * file; when it is deployed again, the edit is part of the base.
 */
async function editedButUndeployed({ base, head }: BothSides): Promise<Finding[]> {
  // The file that declares a source may be among the files that the source deploys.
  const declaredIn = new Set(base.discovery.sources.map(({ declaredAt: at }) => at.path))
  const edited = [...base.discovery.ownership].flatMap(([file, { deployed }]) =>
    deployed &&
    !declaredIn.has(file) &&
    /\.(?:ya?ml|json|tpl)$/.test(file) &&
    head.discovery.ownership.has(file) &&
    head.checkout.tree.entries.get(file)?.type === 'file' &&
    base.checkout.idOf(file) !== head.checkout.idOf(file)
      ? [file]
      : [],
  )
  if (edited.length === 0) return []
  const reached = async (side: SideOfChange) => {
    const rendered = side.discovery.sources.filter(({ origin }) => origin !== 'probed')
    return new Set((await Promise.all(rendered.map((source) => side.files(source)))).flat())
  }
  const [before, after] = await Promise.all([reached(base), reached(head)])
  return edited
    .filter((file) => before.has(file) && (!after.has(file) || head.discovery.ownership.get(file)?.deployed === false))
    .map((file) =>
      gateFinding('source/unrendered', 'edited-aside', 'error', {
        side: 'head',
        path: file,
        region: startOf(1),
        status: 'introduced',
        keys: [file],
        text: 'This change edits a file that is no longer deployed, so the edit cannot be checked. Restore what deployed the file, delete it, or revert the edit.',
      }),
    )
}
