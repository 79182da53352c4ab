import { areApart, type Whereabouts } from '../../cluster/apart'
import type { FileObjects } from '../../cluster/clusters'
import { namesOfReleaseParts } from '../../kubernetes/charts/chart-release'
import { groupKindOf, type Manifest, manifestsOf, type Side } from '../../manifest/manifest'
import type { ActiveRule } from '../../policy/policy'
import { objectsOfSources } from '../../sides/objects-of-sources'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { Source } from '../../sources/source'
import type { Sides } from '../opening/open-sides'
import { readableSide } from '../opening/read-in-part'
import type { FoundPartners } from './found-partners'
import { givenNamespaces } from './given-namespaces'
import { type MayHold, mayHoldOf } from './may-hold'
import type { PartnerSearch } from './partner-search'
import { destinations, type Group, PossiblePlaces } from './possible-places'
import type { SeenObjects } from './seen-objects'
import { skimmedObjects } from './skimmed-objects'
import { isAmong, rulesAsked, stateOf, subjectsAmong, type Wanted, WantedPartners } from './wanted-partners'

/** The strings that a rule looks for, and where: undefined for every cluster. */
interface Asked {
  readonly at: readonly Whereabouts[] | undefined
  readonly wanted: readonly Wanted[]
}

/** The untouched sources that were rendered. */
export interface Partners {
  readonly rendered: readonly RenderedSide[]
  /**
   * The folders that repeat each other by the files of sources that were not rendered, with the sides on which they do.
   * They count as clusters, so the objects of one have no partners in another.
   */
  readonly repeated: ReadonlyMap<string, number>
}

/** An unchanged source, as far as it is known before it is rendered. */
interface Unrendered {
  /** The namespaces of its objects for which none is written, where they are known. */
  readonly namespaces: readonly string[] | undefined
  readonly mayHold: MayHold
}

/** Renders the unchanged sources that a trial compares with. */
export async function renderFound(
  { head }: Pick<Sides, 'head'>,
  unreached: (source: Source) => boolean,
  found: FoundPartners,
): Promise<Partners> {
  const sources = declared(head).filter((one) => unreached(one) && found.hasSource(one))
  const rendered = await Promise.all(sources.map(async (source) => readableSide(head, await head.render(source))))
  return { rendered, repeated: found.repeated }
}

/** The sources that something declares. */
function declared({ discovery }: SideOfChange): Source[] {
  return discovery.sources.filter(({ origin }) => origin !== 'probed')
}

/**
 * Renders the unchanged sources that may contain a partner of a touched object. Rendered objects may have partners for
 * the same rule, so this repeats until nothing new is found.
 */
export async function renderPartners(
  sides: Pick<Sides, 'base' | 'head' | 'declarations' | 'shard'>,
  unreached: (source: Source) => boolean,
  rules: readonly ActiveRule[],
  touched: readonly Manifest[],
  {
    seen,
    search: known,
    written,
  }: { readonly seen: SeenObjects; readonly search: PartnerSearch; readonly written: () => readonly FileObjects[] },
): Promise<Partners> {
  const { head, declarations, shard } = sides
  const search = known.words
  const isWanted = ({ ref, object }: Manifest, { kinds, strings, marks, namespace = ref.namespace }: Wanted) =>
    (kinds.length === 0 || kinds.includes(ref.kind)) &&
    search.mentionsOneOf(object.content, strings) &&
    (marks === undefined || search.mentionsOneOf(object.content, marks)) &&
    (['', namespace].includes(ref.namespace) || search.mentionsOneOf(object.content, [namespace]))
  const mayMatter = (one: Source) => unreached(one) && (!shard || shard.renders(one))
  const unrendered = declared(head)
    .filter(mayMatter)
    .map(async (source): Promise<[Source, Unrendered]> => {
      const namespaces = givenNamespaces(source, head.discovery.kustomizations)
      const mayHold = await known.mayHold(head.keys.get(source.id), () => mayHoldOf(source, head, search))
      return [source, { namespaces, mayHold }]
    })
  const open = new Map(await Promise.all(unrendered))
  if (open.size === 0) return { rendered: [], repeated: new Map() }
  const destinationsOf = destinations(sides)
  const state = stateOf(touched, destinationsOf)
  const partners = new WantedPartners(state)
  const places = new PossiblePlaces(declarations, destinationsOf, state, written())
  const skim = (sources: readonly Source[]) =>
    Promise.all(sources.map(async (one) => [one.id, await skimmedObjects(one, head, known)] as const))
  const rendered: RenderedSide[] = []
  /** The touched objects, and those of renderings that some rule looked for when they were rendered. */
  const manifests = [...touched]
  const starts = new Map(rulesAsked(rules, touched).map((rule) => [rule, startFor(rule, touched)] as const))
  const followed = new Map([...starts].map(([rule, start]) => [rule, new Set(start)]))
  /** The rules without a known subject. */
  const without = new Set([...starts.keys()].filter(({ rule: { subjects } }) => subjects && !seen.mayHold(subjects)))
  for (let frontier: ReadonlyMap<ActiveRule, readonly Manifest[]> = starts; frontier.size > 0 && open.size > 0; ) {
    const look = () =>
      new Map(
        [...frontier].map(([rule, its]) => [rule, askedFor(rule, places.grouped(its), partners, without.has(rule))]),
      )
    const looked = look()
    const candidates = holding(open, places, looked)
    // A source in a folder that repeats another is for another cluster, and need not be rendered.
    const isNews = places.learn(await skim([...candidates.keys()].filter((one) => !places.isKnown(one))))
    const asked = isNews ? look() : looked
    const next = isNews ? holding(candidates, places, asked) : candidates
    const all = [...asked.values()].flat()
    for (const source of next.keys()) open.delete(source)
    const found = await Promise.all([...next.keys()].map(async (one) => readableSide(head, await head.render(one))))
    rendered.push(...found)
    places.learn(found.map((one) => [one.source.id, objectsOfSources([one], ['base', 'head'])[0]]))
    const lookedFor = all.flatMap(({ wanted }) => wanted)
    manifests.push(...looseManifests('head', found).filter((one) => lookedFor.some((some) => isWanted(one, some))))
    const further = new Map<ActiveRule, readonly Manifest[]>()
    for (const [rule, known] of followed) {
      const wanted = asked.get(rule)?.flatMap((one) => one.wanted) ?? []
      const found = manifests.filter((one) => !known.has(one) && wanted.some((some) => isWanted(one, some)))
      for (const one of found) known.add(one)
      const more = rule.rule.direct ? found.filter((one) => state.touched.has(one)) : found
      const isFirst = without.has(rule) && more.some((one) => isSubject(rule, one))
      if (isFirst) without.delete(rule)
      if (more.length > 0) further.set(rule, isFirst ? [...(starts.get(rule) ?? []), ...more] : more)
    }
    frontier = further
  }
  return { rendered, repeated: places.repeated }
}

/**
 * The touched objects that lead to partners. A rule on changes states something only of objects that it judges: other
 * touched ones matter as partners of these, or with the values of releases.
 */
function startFor({ rule: { scope, kinds } }: ActiveRule, touched: readonly Manifest[]): readonly Manifest[] {
  if (kinds === '*' || (scope !== 'change' && scope !== 'removal')) return touched
  return touched.filter((one) => kinds.includes(groupKindOf(one.ref)) || [...namesOfReleaseParts(one)].length > 0)
}

/** The sources that may hold an object that a rule asks for, in a cluster where it does. */
function holding(
  sources: ReadonlyMap<Source, Unrendered>,
  places: PossiblePlaces,
  asked: ReadonlyMap<ActiveRule, readonly Asked[]>,
): ReadonlyMap<Source, Unrendered> {
  const all = [...asked.values()].flat()
  const those = [...sources].filter(([source, its]) => {
    const isNear = nearTo(places.of(source))
    return all.some(({ at, wanted }) => isNear(at) && wanted.some((one) => holds(its, one)))
  })
  return new Map(those)
}

/** Tells whether one of some places may be in the same cluster as a source; many rules ask for the same places. */
function nearTo(source: Whereabouts): (at: Asked['at']) => boolean {
  const known = new Map<Asked['at'], boolean>([[undefined, true]])
  return (at) => {
    const found = known.get(at) ?? at?.some((one) => !areApart(one, source)) ?? true
    known.set(at, found)
    return found
  }
}

/**
 * Whether a source may render to a partner: the strings, the marks and the namespace may come from different files of
 * it.
 */
function holds({ mayHold, namespaces }: Unrendered, wanted: Wanted): boolean {
  const { kinds, marks, namespace } = wanted
  if (!mayHold(wanted) || !(marks === undefined || mayHold({ kinds, strings: marks }))) return false
  if (namespaces === undefined || namespace === undefined || namespaces.includes(namespace)) return true
  return mayHold({ kinds: [], strings: [namespace] })
}

function isSubject({ rule: { subjects } }: ActiveRule, manifest: Manifest): boolean {
  return subjects === undefined || isAmong(manifest, subjects)
}

/**
 * The strings that a rule looks for, with the objects of each place together.
 *
 * @param lacksSubject whether it looks for its subjects alone
 */
function askedFor(
  rule: ActiveRule,
  groups: readonly Group[],
  partners: WantedPartners,
  lacksSubject: boolean,
): readonly Asked[] {
  const { subjects } = rule.rule
  return groups.flatMap(({ at, its }) => {
    const wanted = partners.of(rule, its)
    const sought = lacksSubject && subjects ? subjectsAmong(wanted, subjects) : wanted
    return sought.length > 0 ? [{ at, wanted: sought }] : []
  })
}

/** Manifests of renderings, before it is known to which clusters they go. */
export function looseManifests(side: Side, rendered: readonly RenderedSide[]): Manifest[] {
  return rendered.flatMap(({ objects }) =>
    objects.flatMap(({ object, origin }) => manifestsOf(object, side, origin, [])),
  )
}
