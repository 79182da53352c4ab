import type { Finding } from '../finding/report'
import { mentions } from '../manifest/mentions'
import type { Gathered } from '../pipeline/opening/scope'
import { closureOf, inside, type Kustomization } from '../sources/kustomization'
import { patchEntriesIn } from '../sources/patches'
import type { KustomizeSource, Source } from '../sources/source'
import { textOf } from '../sources/untyped'
import { type Cause, type ChangedFile, causeAtLine } from './cause'

/**
 * The entry of a Kustomization that the change adds which brings in the object of a finding. If nothing else that the
 * change writes can alter the object, no trial is needed to know it.
 *
 * @param writtenIn the file that the object comes from
 * @param files the changed files that the object may be made of
 */
export async function entryThatBrings(
  finding: Finding,
  writtenIn: string,
  files: readonly ChangedFile[],
  { base, head }: Gathered['sides'],
): Promise<Cause | undefined> {
  const { sources, kustomizations } = head.discovery
  const ids = new Set([finding.location, ...finding.related].flatMap(({ rendered }) => rendered?.id ?? []))
  const built = sources.filter(({ id }) => ids.has(id))
  const [root, ...otherRoots] = new Set(built.map((source) => (isNew(source, base) ? source.root : undefined)))
  const own = root === undefined || otherRoots.length > 0 ? undefined : kustomizations.get(root)
  const file = files.find(({ path }) => path === own?.file)
  if (!own || !file || file.before !== undefined) return undefined
  const defining = built.flatMap(({ declaredAt, definitionFiles = [] }) => [declaredAt.path, ...definitionFiles])
  const written = files.filter(({ path }) => !defining.includes(path) || path === own.file)
  // Where the place of the object is not known, and all of it is new, the Kustomization itself is.
  const isWhole = writtenIn === own.file && own.includes.length > 1
  if (isWhole && written.every(({ before }) => before === undefined)) return { file, edit: undefined }
  const isOpen = (await head.checkout.text(writtenIn))?.includes('$(') ?? true
  const elsewhere = await patchingOtherKinds(finding, own, head)
  if (written.some((one) => mayAlter(one, finding, isOpen, kustomizations, elsewhere))) return undefined
  const [entry, ...more] =
    own.includes.length === 1
      ? own.includes
      : own.includes.filter(({ text }) => brings(text, writtenIn, own, kustomizations))
  return entry && more.length === 0 ? causeAtLine(file, entry.region.startLine) : undefined
}

/**
 * The files of patches that are all for objects of other kinds than that of a finding, and the Kustomizations that have
 * no other patches.
 */
async function patchingOtherKinds(
  { object }: Finding,
  { folder }: Kustomization,
  { discovery: { kustomizations }, checkout }: Gathered['sides']['head'],
): Promise<ReadonlySet<string>> {
  const others = new Set<string>()
  const own = new Set<string>()
  for (const { file, folder: from } of closureOf(folder, kustomizations)) {
    others.add(file)
    for (const { path, target } of patchEntriesIn((await checkout.text(file)) ?? '')) {
      const kind = textOf(target.kind)
      // A kind can be a regular expression.
      const isOther = /^[A-Za-z]+$/.test(kind) && kind !== object?.kind
      const patch = inside(from, path)
      for (const one of isOther ? [] : [file, patch ?? []].flat()) own.add(one)
      if (isOther && patch !== undefined) others.add(patch)
    }
  }
  return new Set([...others].filter((path) => !own.has(path)))
}

/** The fields, in Go's folded form, by which a Kustomization changes objects that they need not name. */
const altering = ['components', 'transformers', 'replacements']

/**
 * Whether a changed file may alter an object: as a Kustomization, as a patch, or as the values of its variables.
 *
 * @param isOpen whether the object has variables
 * @param elsewhere the files whose patches are for other objects
 */
function mayAlter(
  { path, text }: ChangedFile,
  { object }: Finding,
  isOpen: boolean,
  all: ReadonlyMap<string, Kustomization>,
  elsewhere: ReadonlySet<string>,
): boolean {
  if (!text || !object) return true
  const texts = [text.before, text.after].flatMap((one) => one ?? [])
  // Its name may be another one in the file: kustomize adds prefixes and suffixes.
  const hasKind = texts.some((one) => mentions(one, object.kind))
  const kustomization = [...all.values()].find(({ file }) => file === path)
  if (kustomization) {
    const { words, onlyTakesIn } = kustomization
    if (altering.some((field) => words.has(field)) || (isOpen && !onlyTakesIn)) return true
    if (elsewhere.has(path)) return false
    return words.has('patches') || words.has('patchesjson6902') || (words.has('patchesstrategicmerge') && hasKind)
  }
  if (elsewhere.has(path)) return isOpen
  // Any file may have the value of a variable, and a patch without a kind is for what its entry names.
  return isOpen || (/\.(?:ya?ml|json)$/.test(path) && (hasKind || texts.some((one) => !mentions(one, 'kind'))))
}

/** Whether a Kustomization is built in no place of the base, and what declares it lays nothing over it. */
function isNew(source: Source, base: Gathered['sides']['base']): source is KustomizeSource {
  if (source.kind !== 'kustomize' || source.overlay !== undefined || (source.components ?? []).length > 0) return false
  return !base?.discovery.sources.some(({ id }) => id === (source.baseSourceId ?? source.id))
}

function brings(
  entry: string,
  file: string,
  { folder }: Kustomization,
  all: ReadonlyMap<string, Kustomization>,
): boolean {
  const place = inside(folder, entry)
  if (place === undefined) return false
  return place === file || closureOf(place, all).some(({ leadsTo }) => leadsTo.includes(file))
}
