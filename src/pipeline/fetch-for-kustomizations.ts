import { entryFindings } from '../gaps/entries-not-fetched'
import { withoutVersion } from '../gaps/known-remotes'
import { heldFolderOf } from '../revision/held-files'
import type { SideOfChange } from '../sides/side'
import type { KustomizeSource } from '../sources/source'
import type { Ask } from './opening/asking'
import { type KustomizeParts, partsOf } from './opening/kustomize-parts'
import type { Sides } from './opening/open-sides'

/**
 * Fetches the remote parts of Kustomizations that the change touches: bases, files and charts. The Kustomizations are
 * then built with them. Parts that cannot be fetched are left out on both sides, so that nothing seems added or
 * removed.
 */
export async function fetchForKustomizations(sides: Sides, ask: Ask | undefined): Promise<Sides> {
  const { base, head } = sides
  if (!base || !ask) return sides
  const [before, after] = [differing(base, head), differing(head, base)]
  if (before.length + after.length === 0) return sides
  const [was, is] = await Promise.all([partsOf(base, before, ask), partsOf(head, after, ask)])
  const isNothing = [was, is].every(({ entries, inflated }) => entries.size + inflated.size === 0)
  if (isNothing) return sides
  const both = leftOutAlike(was, is)
  const built = { base: await base.withFetched(before, both.was), head: await head.withFetched(after, both.is) }
  const unfit = await unfitIds(built, { base: before, head: after }, both)
  return {
    ...sides,
    base: await withoutUnfit(built.base, before, both.was, unfit),
    head: await withoutUnfit(built.head, after, both.is, unfit),
    notFetched: [...(sides.notFetched ?? []), ...entryFindings(was, is)],
  }
}

/** The Kustomizations of one side that differ on the other. */
function differing(one: SideOfChange, other: SideOfChange): KustomizeSource[] {
  return one.discovery.sources.flatMap((source) =>
    source.kind === 'kustomize' && !source.fetched && one.keys.get(source.id) !== other.keys.get(source.id)
      ? [source]
      : [],
  )
}

/**
 * Both sides without parts that either side lacks in any version, and without parts that may have become one that the
 * head lacks.
 */
function leftOutAlike(was: KustomizeParts, is: KustomizeParts) {
  const [named, namedNow] = [was, is].map((parts) => new Set([...allOf(parts)].map(([, key]) => key)))
  const [lost, lostNow] = [was, is].map(
    (parts) => new Set([...allOf(parts)].flatMap(([id, key]) => (isHad(parts, id) ? [] : [key]))),
  )
  const isReplaced = [...(lostNow ?? [])].some((key) => !named?.has(key))
  const isLeft = (key: string) => lost?.has(key) === true || lostNow?.has(key) === true
  return {
    was: without(was, (key) => isLeft(key) || (isReplaced && !namedNow?.has(key))),
    is: without(is, isLeft),
  }
}

/** The requested parts, each with its identity in any version. */
function* allOf({ entries, inflated }: KustomizeParts): Iterable<[string, string]> {
  for (const text of entries.keys()) yield [text, withoutVersion(text)]
  for (const [folder, { path, name }] of inflated) yield [folder, JSON.stringify([path, name])]
}

function isHad({ inPlaceOf, charts }: KustomizeParts, id: string): boolean {
  return inPlaceOf.has(id) || charts.has(`${id}/Chart.yaml`)
}

function without(parts: KustomizeParts, isLeft: (key: string) => boolean): KustomizeParts {
  const left = new Set([...allOf(parts)].flatMap(([id, key]) => (isLeft(key) ? [id] : [])))
  const isOfLeft = (file: string) => [...left].some((folder) => file.startsWith(`${folder}/`))
  const { entries, inflated, lackingFiles, isUnknown, faults } = parts
  return {
    entries,
    inflated,
    lackingFiles,
    isUnknown,
    faults,
    inPlaceOf: new Map([...parts.inPlaceOf].filter(([text]) => !left.has(text))),
    charts: new Map([...parts.charts].filter(([file]) => !isOfLeft(file))),
  }
}

/** A side on which the sources that fail with their fetched parts are built without them. */
async function withoutUnfit(
  side: SideOfChange,
  sources: readonly KustomizeSource[],
  parts: KustomizeParts,
  unfit: ReadonlyMap<string, string>,
): Promise<SideOfChange> {
  const had = [...parts.entries.keys(), ...parts.inflated.keys()].filter((id) => isHad(parts, id))
  let found = side
  for (const reason of new Set(unfit.values())) {
    const its = sources.filter(({ id }) => unfit.get(id) === reason)
    const fault = { cause: 'content-invalid', reason } as const
    const faults = new Map([...parts.faults, ...had.map((id) => [id, fault] as const)])
    found = await found.withFetched(its, { inPlaceOf: new Map(), charts: new Map(), faults })
  }
  return found
}

/**
 * The sources that are not built with their fetched parts, and why: the base fails with them, or the head needs a link
 * or a submodule, which are not fetched.
 */
async function unfitIds(
  built: { readonly base: SideOfChange; readonly head: SideOfChange },
  sources: { readonly base: readonly KustomizeSource[]; readonly head: readonly KustomizeSource[] },
  { is }: { readonly is: KustomizeParts },
): Promise<ReadonlyMap<string, string>> {
  const failed = async (side: SideOfChange, its: readonly KustomizeSource[]) => {
    const rendered = await Promise.all(its.filter((one) => side.fetched.isPartOf(one)).map((one) => side.render(one)))
    return rendered.flatMap(({ source, failure }) =>
      failure && !failure.missing ? [[source.id, failure.reason] as const] : [],
    )
  }
  const [old, now] = await Promise.all([failed(built.base, sources.base), failed(built.head, sources.head)])
  const places = [...is.inPlaceOf.values()].map(heldFolderOf)
  const mayLack = places.some((folder) => is.lackingFiles.has(folder))
  return new Map([...(mayLack ? now : []), ...old])
}
