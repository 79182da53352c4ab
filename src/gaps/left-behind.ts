import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { loadFile } from '../manifest/load'
import { nameOf } from '../manifest/manifest'
import { startOf } from '../region'
import type { Files } from '../revision/files'
import type { RenderedSide, SideOfChange } from '../sides/side'
import { inside } from '../sources/kustomization'

interface Sides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

/**
 * `source/unrendered` for what is there at the head and is rendered no more.
 *
 * @param before what was read of the base
 * @param isHidden whether a file is in something that could not be rendered, which is said elsewhere
 */
export async function leftBehind(
  sides: Sides,
  before: Files,
  after: readonly RenderedSide[],
  isHidden: (file: string) => boolean,
): Promise<Finding[]> {
  const unseen = outOfSight(sides)
  // What an object had rendered is not deployed no longer when that object cannot be followed.
  const aside = unseen.length > 0 ? [] : await editedAside(sides)
  return [...(await stranded(sides, before, after, isHidden)), ...unseen, ...aside]
}

/**
 * Manifests that were applied as they stand at the base, are still there, and are what nothing renders now, because a chart or
 * a Kustomization came over them. Whether they are applied all the same cannot be told from the files: who applies the folder
 * as before would have them unjudged from now on, so this is an error and not the same as their removal.
 */
async function stranded(
  { base, head }: Sides,
  before: Files,
  after: readonly RenderedSide[],
  isHidden: (file: string) => boolean,
): Promise<Finding[]> {
  const wereApplied = new Set(
    [...before.loaded].flatMap(([file, { objects }]) => (objects.length > 0 ? [path.dirname(file)] : [])),
  )
  const { claims, kustomizations } = head.discovery
  const included = new Set(
    [...kustomizations.values()].flatMap(({ folder, includes }) => includes.map(({ text }) => inside(folder, text))),
  )
  const came = (file: string) =>
    !base.checkout.tree.entries.has(file) && wereApplied.has(path.dirname(file)) && !claims.get(file)?.deployed
  const wasApplied = (file: string) =>
    (before.loaded.get(file)?.objects.length ?? 0) > 0 && !base.discovery.plain.has(file) && head.checkout.has(file)
  const files = [...claims.keys()].filter(
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
        text: `After this change nothing deploys ${names.join(', ')}${more} from this file: it is ${claims.get(file)?.reason}. Before, manifests here were applied as plain files. Add the file to a source that is deployed, or delete it.`,
      }),
    )
  }
  return findings
}

/** Argo CD and Flux objects by which something was rendered at the base, and that now name what cannot be looked at. */
function outOfSight({ base, head }: Sides): Finding[] {
  const present = new Set(head.discovery.sources.map(({ id }) => id))
  const gone = base.discovery.sources.filter(({ known, id }) => known === 'named' && !present.has(id))
  return head.discovery.notInspected.flatMap(({ manifest: { ref, origin, object }, reason }) => {
    const had = gone.some(({ id, at }) => {
      // What an ApplicationSet makes has names of its own.
      if (ref.kind === 'ApplicationSet') return at.path === origin.path
      if (ref.kind === 'Application') return id.startsWith('argocd:') && id.includes(`:${ref.name}:`)
      return id.startsWith(`flux:${ref.kind}/`) && id.includes(`/${ref.name}:`)
    })
    if (!had) return []
    return gateFinding('source/unrendered', 'out-of-sight', 'error', {
      side: 'head',
      path: origin.path,
      region: object.region,
      status: 'introduced',
      object: ref,
      keys: [],
      fileText: object.fileText,
      text: `The objects that ${nameOf(ref)} deploys can no longer be rendered, so this change to them cannot be checked: ${reason}.`,
    })
  })
}

/**
 * What this change edits and at once deploys no longer. Nobody would judge it: not now, for nothing renders it, and not when it
 * is deployed again, for it is what the base holds then.
 */
async function editedAside({ base, head }: Sides): Promise<Finding[]> {
  // What said that it is deployed may well lie among what it deployed.
  const said = new Set(base.discovery.sources.map(({ at }) => at.path))
  const edited = [...base.discovery.claims].flatMap(([file, { deployed }]) =>
    deployed &&
    !said.has(file) &&
    /\.(?:ya?ml|json|tpl)$/.test(file) &&
    head.discovery.claims.has(file) &&
    head.checkout.tree.entries.get(file)?.type === 'file' &&
    base.checkout.idOf(file) !== head.checkout.idOf(file)
      ? [file]
      : [],
  )
  if (edited.length === 0) return []
  const reached = async (side: SideOfChange) => {
    const rendered = side.discovery.sources.filter(({ known }) => known !== 'probed')
    return new Set((await Promise.all(rendered.map((source) => side.files(source)))).flat())
  }
  const [before, after] = await Promise.all([reached(base), reached(head)])
  return edited
    .filter((file) => before.has(file) && (!after.has(file) || head.discovery.claims.get(file)?.deployed === false))
    .map((file) =>
      gateFinding('source/unrendered', 'edited-aside', 'error', {
        side: 'head',
        path: file,
        region: startOf(1),
        status: 'introduced',
        keys: [file],
        text: 'This change edits a file that is no longer deployed, so the edit cannot be checked. Delete the file, or revert the edit.',
      }),
    )
}
