import path from 'node:path/posix'
import { isBelow } from '../discovery/roots'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { abridged } from '../listing'
import { loadFile, mentionsKubernetes } from '../manifest/load'
import { nameOf, type ObjectRef } from '../manifest/manifest'
import { startOf } from '../region'
import { isKustomizationFile } from '../revision/kustomization-file'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { Kustomization } from '../sources/kustomization'

interface Known {
  /** The renderings that the change touches. */
  readonly rendered: { readonly after: readonly RenderedSide[] }
  /** The files for which another finding says that nothing deploys them. */
  readonly reported: ReadonlySet<string>
  /** Whether Argo CD and Flux objects name all folders that are deployed. */
  readonly reach: { readonly isKnown: boolean }
}

/** So many files beside a new one are listed at least, or folders. */
const least = { files: 2, folders: 3 }

/**
 * New files and folders that a Kustomization does not list, although it lists all others in their place: those of the
 * same folder, or those of the same name in the folders beside (`*` + `/ks.yaml`).
 */
export async function forgottenEntries(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  { rendered, reported, reach }: Known,
): Promise<Finding[]> {
  const { kustomizations, ownership, plain, roots, sources } = head.discovery
  const written = [...kustomizations.values()].filter(({ made }) => !made)
  const listed = new Set(written.flatMap(({ leadsTo }) => leadsTo))
  const byFolder = new Map(written.map((one) => [one.folder, one]))
  const deployed = new Set(
    sources.flatMap((one) => (one.kind === 'kustomize' && one.origin !== 'discovered' ? [one.root] : [])),
  )
  const isNew = (file: string) => /\.ya?ml$/.test(file) && !base.checkout.has(file) && head.checkout.has(file)
  const candidates = [...changed].filter(isNew).flatMap((file) => {
    if (reported.has(file) || plain.has(file) || (ownership.get(file)?.deployed && !isKustomizationFile(file)))
      return []
    const entry = isKustomizationFile(file) ? path.dirname(file) : file
    const above = nearestAbove(entry, byFolder)
    if (!above || listed.has(entry) || deployed.has(entry)) return []
    return !reach.isKnown || isBelow(roots.places, above.folder) ? [{ file, entry, above }] : []
  })
  if (candidates.length === 0) return []
  const names = new Set(
    rendered.after.flatMap(({ source, objects }) =>
      source.kind === 'kustomize' ? objects.map(({ object: { ref } }) => keyOf(ref)) : [],
    ),
  )
  const findings: Finding[] = []
  for (const { file, entry, above } of candidates) {
    const others = await othersOf(entry, above, base)
    const [text = ''] = (await head.checkout.texts([file])).values()
    const isFolder = entry !== file
    if (!isFolder && (await isNamedWithin(above, path.basename(file), head))) continue
    const left = isFolder ? [] : loadFile({ text }).objects.filter(({ ref }) => !names.has(keyOf(ref)))
    if (others.length === 0 || !(isFolder || left[0])) continue
    const place = path.relative(above.folder, entry)
    const what = isFolder ? `the folder ${entry}` : abridged(left.map(({ ref }) => nameOf(ref)))
    findings.push(
      gateFinding('source/not-listed', 'forgotten', 'warning', {
        side: 'head',
        path: file,
        region: left[0]?.region ?? startOf(1),
        status: 'introduced',
        keys: [file],
        fileText: text,
        text: `This change adds ${what}, but ${above.file} does not list ${place}, although it lists all others in its place (${abridged(others.map((one) => path.relative(above.folder, one)))}), so it is not deployed with them. Add ${place} to its resources, or remove it.`,
      }),
    )
  }
  return findings
}

/** Whether a file that a Kustomization lists names another one: a generator of Secrets does. */
async function isNamedWithin({ leadsTo }: Kustomization, name: string, { checkout }: SideOfChange): Promise<boolean> {
  const files = leadsTo.filter((place) => checkout.has(place))
  return (await checkout.mentioning(files, [name])).size > 0
}

/** The Kustomization that would list a file or folder: the nearest above it. */
function nearestAbove(entry: string, all: ReadonlyMap<string, Kustomization>): Kustomization | undefined {
  for (let folder = parentOf(entry); ; folder = parentOf(folder)) {
    const found = all.get(folder)
    if (found || folder === '') return found
  }
}

/**
 * The entries of a Kustomization in the place of another one, where it lists all that are there: of each place, one part
 * of the path is another.
 */
async function othersOf(entry: string, { folder, leadsTo }: Kustomization, base: SideOfChange): Promise<string[]> {
  const listed = new Set(leadsTo)
  const parts = path.relative(folder, entry).split('/')
  const all = base.checkout.below(folder).filter((file) => /\.ya?ml$/.test(file))
  const isFolder = !/\.ya?ml$/.test(entry)
  const entries = isFolder
    ? all
        .filter(isKustomizationFile)
        .map(parentOf)
        .filter((one) => one !== folder)
    : all.filter((file) => !isKustomizationFile(file))
  for (const [at] of parts.entries()) {
    const alike = entries.filter((one) => {
      const its = path.relative(folder, one).split('/')
      return its.length === parts.length && its.every((part, index) => index === at || part === parts[index])
    })
    const isName = at === parts.length - 1 && !isFolder
    if (alike.length < (isName ? least.files : least.folders)) continue
    const left = alike.filter((one) => !listed.has(one))
    const texts = isFolder ? left : [...(await base.checkout.texts(left)).values()].filter(mentionsKubernetes)
    const found = alike.filter((one) => listed.has(one))
    if (texts.length === 0 && found.length >= (isName ? least.files : least.folders)) return found
  }
  return []
}

function parentOf(place: string): string {
  return place.includes('/') ? path.dirname(place) : ''
}

/** A Kustomization may set the namespace, and put something before or behind the name. */
function keyOf({ group, kind, name }: ObjectRef): string {
  return `${group} ${kind} ${name}`
}
