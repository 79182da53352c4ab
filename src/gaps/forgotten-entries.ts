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
const fewest = { files: 2, folders: 3 }

/**
 * New files and folders that a Kustomization does not list, although it lists all others in their place: those of the
 * same folder, or those of the same name in the folders beside: the `ks.yaml` of each app.
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
  const isNew = (file: string) => isYaml(file) && !base.checkout.has(file) && head.checkout.has(file)
  const candidates = [...changed].filter(isNew).flatMap((file) => {
    if (reported.has(file) || plain.has(file) || (ownership.get(file)?.deployed && !isKustomizationFile(file)))
      return []
    const entry = isKustomizationFile(file) ? parentOf(file) : file
    // Nothing is above the root of the repository.
    const above = entry === '' ? undefined : nearestAbove(entry, byFolder)
    if (!above || listed.has(entry) || deployed.has(entry)) return []
    return !reach.isKnown || isBelow(roots.places, above.folder) ? [{ file, entry, above }] : []
  })
  if (candidates.length === 0) return []
  const names = new Set(
    rendered.after.flatMap(({ source, objects }) =>
      source.kind === 'kustomize' ? objects.map(({ object: { ref } }) => keyOf(ref)) : [],
    ),
  )
  const places = new Map<string, PlacesBelow>()
  const groups = new Map<readonly string[], { above: Kustomization; found: Candidate[] }>()
  for (const { file, entry, above } of candidates) {
    const below = places.get(above.folder) ?? new PlacesBelow(above, base)
    places.set(above.folder, below)
    const others = await below.othersOf(entry)
    if (!others) continue
    const group = groups.get(others) ?? { above, found: [] }
    group.found.push({ file, entry })
    groups.set(others, group)
  }
  const findings: Finding[] = []
  for (const [others, { above, found }] of groups) {
    const texts = await head.checkout.texts(found.map(({ file }) => file))
    const named = await namedWithin(
      above,
      found.map(({ file }) => path.basename(file)),
      head,
    )
    const left = found.flatMap(({ file, entry }) => {
      if (entry !== file) return [{ file, entry, what: [`the folder ${entry}`], region: startOf(1) }]
      const objects = loadFile({ text: texts.get(file) ?? '' }).objects.filter(({ ref }) => !names.has(keyOf(ref)))
      const [first] = named.has(path.basename(file)) ? [] : objects
      return first ? [{ file, entry, what: objects.map(({ ref }) => nameOf(ref)), region: first.region }] : []
    })
    const [first] = left
    if (!first) continue
    const entries = abridged(left.map(({ entry }) => path.relative(above.folder, entry)))
    const beside = abridged(others.map((one) => path.relative(above.folder, one)))
    findings.push(
      gateFinding('source/not-listed', 'forgotten', 'warning', {
        side: 'head',
        path: first.file,
        region: first.region,
        status: 'introduced',
        keys: left.map(({ file }) => file),
        fileText: texts.get(first.file) ?? '',
        text: `This change adds ${abridged(left.flatMap(({ what }) => what))}, but ${above.file} does not list ${entries}, although it lists all others in that place (${beside}), so nothing is deployed of it. Add ${entries} to its resources, or remove what is not needed.`,
      }),
    )
  }
  return findings
}

interface Candidate {
  readonly file: string
  /** What a Kustomization would list: the file, or the folder of a Kustomization. */
  readonly entry: string
}

/** The names that files which a Kustomization lists name themselves: a generator of Secrets does. */
async function namedWithin(
  { leadsTo }: Kustomization,
  names: readonly string[],
  { checkout }: SideOfChange,
): Promise<Set<string>> {
  const files = leadsTo.filter((place) => checkout.has(place))
  const texts = [...(await checkout.mentioning(files, names)).values()]
  return new Set(names.filter((name) => texts.some((text) => text.includes(name))))
}

/** The Kustomization that would list a file or folder: the nearest above it. */
function nearestAbove(entry: string, all: ReadonlyMap<string, Kustomization>): Kustomization | undefined {
  for (let folder = parentOf(entry); ; folder = parentOf(folder)) {
    const found = all.get(folder)
    if (found || folder === '') return found
  }
}

/**
 * The files and folders below a Kustomization, by their places: those in one place differ in one part of their path, which is `*`
 * in its name.
 */
class PlacesBelow {
  private readonly folder: string
  private readonly entries = new Map<string, string[]>()
  private readonly listed: ReadonlySet<string>
  private readonly known = new Map<string, Promise<readonly string[] | undefined>>()

  constructor(
    { folder, leadsTo }: Kustomization,
    private readonly base: SideOfChange,
  ) {
    this.folder = folder
    this.listed = new Set(leadsTo)
    for (const file of base.checkout.below(folder)) {
      if (!isYaml(file)) continue
      const entry = isKustomizationFile(file) ? parentOf(file) : file
      if (entry !== folder)
        for (const place of this.placesOf(entry)) {
          const its = this.entries.get(place)
          if (its) its.push(entry)
          else this.entries.set(place, [entry])
        }
    }
  }

  /** The others in the first place of an entry in which the Kustomization lists all that are there. */
  async othersOf(entry: string): Promise<readonly string[] | undefined> {
    for (const place of this.placesOf(entry)) {
      const others = this.known.get(place) ?? this.allListedIn(place)
      this.known.set(place, others)
      if (await others) return others
    }
    return undefined
  }

  private async allListedIn(place: string): Promise<readonly string[] | undefined> {
    const least = path.basename(place) === '*.yaml' ? fewest.files : fewest.folders
    const all = this.entries.get(place) ?? []
    const found = all.filter((one) => this.listed.has(one))
    if (found.length < least) return undefined
    const left = all.filter((one) => !this.listed.has(one))
    const texts = await this.base.checkout.texts(left.filter(isYaml))
    const isData = (one: string) => isYaml(one) && !mentionsKubernetes(texts.get(one) ?? '')
    return left.every(isData) ? found : undefined
  }

  private placesOf(entry: string): string[] {
    const parts = path.relative(this.folder, entry).split('/')
    return parts.map((_, at) => {
      const ending = at === parts.length - 1 && isYaml(entry) ? '*.yaml' : '*'
      return parts.with(at, ending).join('/')
    })
  }
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file)
}

function parentOf(place: string): string {
  return place.includes('/') ? path.dirname(place) : ''
}

/** A Kustomization may set the namespace. */
function keyOf({ group, kind, name }: ObjectRef): string {
  return `${group} ${kind} ${name}`
}
