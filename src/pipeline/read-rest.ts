import { type Descriptions, noDescriptions } from '../configuration/descriptions'
import { comparisonKey } from '../manifest/load'
import { identityOf, type Manifest, manifestsOf, type Side } from '../manifest/manifest'
import { Files } from '../revision/files'
import { inGivenNamespace } from '../sides/given-namespace'
import type { RenderedSide } from '../sides/rendered-side'
import { withAssumed } from './assume'
import { fileObjects } from './file-objects'
import type { Sides } from './opening/open-sides'
import type { Scope } from './opening/scope'
import { renderCopies } from './partners/copies-of-removed'
import { PartnerSearch } from './partners/partner-search'
import { looseManifests, type Partners, renderFound, renderPartners } from './partners/render-partners'
import { SeenObjects } from './partners/seen-objects'
import { needsOtherFiles } from './partners/wanted-partners'
import { type ChangedFiles, readUntouched } from './read-changed'
import type { ChangedRenderings } from './render-changed'

/** The objects that this change does not touch, as far as a rule may compare them with touched ones. */
export interface Rest {
  /** Whether any of them are needed. */
  readonly needed: boolean
  /** The texts of plain files that may hold manifests, by path. */
  readonly texts: ReadonlyMap<string, string>
  readonly rendered: readonly RenderedSide[]
  /** The files that could not be read. */
  readonly files: Files
  /** The objects that are known before any partner is read. */
  readonly seen: SeenObjects
  /** Folders that repeat each other by their files, with the sides on which they do: their sources are not rendered. */
  readonly repeated: ReadonlyMap<string, number>
}

/** Reads the other files and renders the other sources that may hold a partner of an object this change may touch. */
export async function readRest(
  sides: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  { rules, renderer: { budget }, search, partners: found }: Scope,
): Promise<Rest> {
  const all = found ? noObjects : objectsOf(sides, read, rendered)
  const touched = touchedAmong(all)
  const words = search ?? new PartnerSearch()
  const needed = found?.needed ?? needsOtherFiles(rules, touched)
  const { texts, files } =
    read.others ?? (needed ? await readUntouched(sides, budget) : { texts: undefined, files: new Files() })
  const seen = new SeenObjects([...all.before, ...all.after], texts ?? new Map(), words)
  const written = () => fileObjects(read, rendered, texts ?? new Map(), words)
  const { rendered: partners, repeated } = !needed
    ? noPartners
    : found
      ? await renderFound(sides, rendered.isSame, found)
      : await renderPartners(sides, rendered.isSame, rules, touched, { seen, search: words, written })
  const ids = new Set(partners.map(({ source }) => source.id))
  const copies = found ? [] : await renderCopies(touched, { sides, isSame: rendered.isSame, search: words })
  const rest = [...partners, ...copies.filter(({ source }) => !ids.has(source.id))]
  return {
    needed,
    texts: needed && texts ? texts : new Map(),
    rendered: await read.values.complete('head', rest),
    files,
    seen,
    repeated,
  }
}

const noPartners: Partners = { rendered: [], repeated: new Map() }

interface ObjectsOfSides {
  readonly before: readonly Manifest[]
  readonly after: readonly Manifest[]
}

const noObjects: ObjectsOfSides = { before: [], after: [] }

/** The objects of the files and sources that the change touches. */
function objectsOf(sides: Sides, read: ChangedFiles, rendered: ChangedRenderings): ObjectsOfSides {
  const { base, head } = descriptionsOf(sides)
  const before = withAssumed([
    ...loose('base', read.before, sides),
    ...looseManifests('base', rendered.before.filter(hasOthers)),
    ...base.manifests,
  ])
  const after = withAssumed([
    ...loose('head', read.after, sides),
    ...looseManifests('head', rendered.after.filter(hasOthers)),
    ...head.manifests,
  ])
  return { before, after }
}

/** The objects that are not written the same, in the same place and as often, on the other side. */
function touchedAmong({ before, after }: ObjectsOfSides): Manifest[] {
  const keyOf = ({ ref, origin, object }: Manifest) =>
    [identityOf(ref), origin.kind === 'file' ? origin.path : origin.id, comparisonKey(object)].join('\n')
  const counts = new Map<string, number>()
  for (const key of before.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const key of after.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) - 1)
  // An object that another answer removes is written the same where nothing is asked.
  return [...before, ...after].filter((manifest) => counts.get(keyOf(manifest)) !== 0)
}

/** Whether a release is among others in its cluster: one with supposed values has a cluster of its own. */
function hasOthers({ source }: RenderedSide): boolean {
  return source.origin !== 'probed'
}

/** The cluster descriptions of both sides. */
export function descriptionsOf({ base, head }: Sides): { readonly base: Descriptions; readonly head: Descriptions } {
  return { base: base?.descriptions ?? noDescriptions, head: head.descriptions }
}

/** Manifests of files, before their clusters are known. */
function loose(side: Side, files: Files, sides: Sides): Manifest[] {
  return [...files.loaded].flatMap(([path, file]) =>
    file.objects.flatMap((object) =>
      manifestsOf(inGivenNamespace(object, side, path, sides), side, { kind: 'file', path }, []),
    ),
  )
}
