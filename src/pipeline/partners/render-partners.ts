import { areApart, type Whereabouts, whereaboutsOf } from '../../cluster/apart'
import { namesOfReleaseParts } from '../../kubernetes/charts/chart-release'
import { groupKindOf, type Manifest, manifestsOf, type Side } from '../../manifest/manifest'
import type { ActiveRule } from '../../policy/policy'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { Source } from '../../sources/source'
import type { Sides } from '../opening/open-sides'
import { readableSide } from '../opening/read-in-part'
import type { FoundPartners } from './found-partners'
import { givenNamespaces } from './given-namespaces'
import { type MayHold, mayHoldOf } from './may-hold'
import type { PartnerSearch } from './partner-search'
import type { SeenObjects } from './seen-objects'
import {
  isAmong,
  isAsked,
  partnersWanted,
  type StateOfChange,
  stateOf,
  subjectsAmong,
  type Wanted,
} from './wanted-partners'

/** The strings that a rule looks for, and where: undefined for every cluster. */
interface Asked {
  readonly at: readonly Whereabouts[] | undefined
  readonly wanted: readonly Wanted[]
}

/** An unchanged source, as far as it is known before it is rendered. */
interface Unrendered {
  readonly at: Whereabouts
  /** The namespaces of its objects for which none is written, where they are known. */
  readonly namespaces: readonly string[] | undefined
  readonly mayHold: MayHold
}

/** Objects in more places than this are looked for in all of these places together. */
const maxPlaces = 50

/** Renders the unchanged sources that a trial compares with. */
export async function renderFound(
  { head }: Pick<Sides, 'head'>,
  unreached: (source: Source) => boolean,
  found: FoundPartners,
): Promise<RenderedSide[]> {
  const sources = declared(head).filter((one) => unreached(one) && found.hasSource(one))
  return Promise.all(sources.map(async (source) => readableSide(head, await head.render(source))))
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
  { seen, search: known }: { readonly seen: SeenObjects; readonly search: PartnerSearch },
): Promise<RenderedSide[]> {
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
      const at = whereaboutsOf(source.target, declarations)
      const namespaces = givenNamespaces(source, head.discovery.kustomizations)
      const mayHold = await known.mayHold(head.keys.get(source.id), () => mayHoldOf(source, head, search))
      return [source, { at, namespaces, mayHold }]
    })
  const open = new Map(await Promise.all(unrendered))
  const destinationsOf = destinations(sides)
  const state = stateOf(touched, destinationsOf)
  const grouped = grouping(placing(destinationsOf, declarations, state))
  const rendered: RenderedSide[] = []
  /** The touched objects, and those of renderings that some rule looked for when they were rendered. */
  const manifests = [...touched]
  const starts = new Map(
    rules.filter((rule) => isAsked(rule, touched)).map((rule) => [rule, startFor(rule, touched)] as const),
  )
  const followed = new Map([...starts].map(([rule, start]) => [rule, new Set(start)]))
  /** The rules without a known subject. */
  const without = new Set([...starts.keys()].filter(({ rule: { subjects } }) => subjects && !seen.mayHold(subjects)))
  for (let frontier: ReadonlyMap<ActiveRule, readonly Manifest[]> = starts; frontier.size > 0 && open.size > 0; ) {
    const asked = new Map(
      [...frontier].map(([rule, its]) => [rule, askedFor(rule, grouped(its), state, without.has(rule))]),
    )
    const all = [...asked.values()].flat()
    const next = [...open].filter(([, source]) => {
      const isNear = nearTo(source.at)
      return all.some(({ at, wanted }) => isNear(at) && wanted.some((one) => holds(source, one)))
    })
    for (const [source] of next) open.delete(source)
    const found = await Promise.all(next.map(async ([source]) => readableSide(head, await head.render(source))))
    rendered.push(...found)
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
  return rendered
}

/**
 * The touched objects that lead to partners. A rule on changes states something only of objects that it judges: other
 * touched ones matter as partners of these, or with the values of releases.
 */
function startFor({ rule: { scope, kinds } }: ActiveRule, touched: readonly Manifest[]): readonly Manifest[] {
  if (kinds === '*' || (scope !== 'change' && scope !== 'removal')) return touched
  return touched.filter((one) => kinds.includes(groupKindOf(one.ref)) || [...namesOfReleaseParts(one)].length > 0)
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

type PlaceOf = (manifest: Manifest) => readonly Whereabouts[] | undefined

type Destination = Parameters<typeof whereaboutsOf>[0]

/** Finds the clusters, or the files that decide them, of objects. */
function destinations({ base, head }: Pick<Sides, 'base' | 'head'>): (manifest: Manifest) => readonly Destination[] {
  const targetsOf = (side: Sides['base']) => new Map(side?.discovery.sources.map(({ id, target }) => [id, target]))
  const targets = { base: targetsOf(base), head: targetsOf(head) }
  return ({ origin, clusters, side, object }) => {
    // The objects that describe clusters have theirs already.
    if (clusters.length > 0) return clusters.map((cluster) => ({ cluster }))
    const source = origin.kind === 'rendered' ? origin.id : object.context?.inflatedBy
    if (source !== undefined) return [targets[side].get(source) ?? []].flat()
    const its = side === 'base' ? base : head
    // Files of charts and Kustomizations are deployed to the clusters of the sources that include them.
    if (its?.discovery.ownership.has(origin.path)) return []
    return [origin.path, ...(its?.tree.aliases.get(origin.path) ?? [])].map((path) => ({ path }))
  }
}

/**
 * Finds the possible clusters of touched objects and their partners. A removed object may have copies in folders that are
 * taken for other clusters, which make its removal less certain.
 */
function placing(
  destinationsOf: (manifest: Manifest) => readonly Destination[],
  { base, head, folders }: Sides['declarations'],
  { gone }: StateOfChange,
): PlaceOf {
  return (manifest) => {
    const all = destinationsOf(manifest)
    const known = gone.has(manifest) || !folders ? { base, head } : { base, head, folders }
    return all.length > 0 ? all.map((one) => whereaboutsOf(one, known)) : undefined
  }
}

/** Objects in the same place. */
interface Group {
  readonly at: readonly Whereabouts[] | undefined
  readonly its: Manifest[]
}

/** Groups objects by their place, or, if there are many, by whether it is known. Most rules start with the same ones. */
function grouping(placeOf: PlaceOf): (manifests: readonly Manifest[]) => readonly Group[] {
  const known = new Map<readonly Manifest[], readonly Group[]>()
  return (manifests) => {
    const found = known.get(manifests) ?? groupsOf(manifests, placeOf)
    known.set(manifests, found)
    return found
  }
}

function groupsOf(manifests: readonly Manifest[], placeOf: PlaceOf): Group[] {
  const groups = new Map<string, Group>()
  for (const manifest of manifests) {
    const at = placeOf(manifest)
    const key = JSON.stringify(at ?? null)
    const group = groups.get(key) ?? { at, its: [] }
    groups.set(key, group)
    group.its.push(manifest)
  }
  const all = [...groups.values()]
  if (all.length <= maxPlaces) return all
  const [placed, anywhere] = [all.filter(({ at }) => at), all.filter(({ at }) => !at)]
  return [
    { at: placed.flatMap(({ at }) => at ?? []), its: placed.flatMap(({ its }) => its) },
    { at: undefined, its: anywhere.flatMap(({ its }) => its) },
  ]
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
  state: StateOfChange,
  lacksSubject: boolean,
): readonly Asked[] {
  const { subjects } = rule.rule
  return groups.flatMap(({ at, its }) => {
    const wanted = partnersWanted(rule, its, state)
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
