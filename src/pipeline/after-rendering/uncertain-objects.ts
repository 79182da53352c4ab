import { isDeepStrictEqual } from 'node:util'
import type { Unanswered } from '../../gaps/unanswered'
import type { LoadedObject } from '../../manifest/load'
import { identityOf, Manifest } from '../../manifest/manifest'
import { type Answers, answersTo } from '../../render/answers/answers'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import type { HelmSource, Target } from '../../sources/source'
import { type AskedCluster, askedClusters, type ReleaseOfChange, type RenderedPair } from './asked-clusters'

type Rendered = RenderedSide['objects'][number]
type Objects = ReadonlyMap<string, Rendered>

/** The objects of a change outside a release. */
export interface Surroundings {
  /** Those of the base, by identity: a release may take over an object from elsewhere. */
  readonly otherBefore: ReadonlyMap<string, Rendered>
  /** Those of the head, by identity, that exist with any answer of the cluster. */
  readonly otherAfter: ReadonlySet<string>
}

interface Sides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

/** A release with all other answers of the cluster. */
export interface AnsweredRelease {
  /** Both sides in such a cluster; a side is empty where the release does not render in it. */
  readonly pairs: readonly AskedCluster[]
  readonly unanswered: readonly Unanswered[]
}

/** The objects of a release that differ with another answer of the cluster, on both sides. */
export interface Uncertain {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** The names of the clusters with such answers, and the target of the release if any cluster may give them. */
  readonly clusters: readonly (readonly [name: string, among: Target | undefined])[]
  /** Answers with which the release does not render at the head. */
  readonly unanswered: readonly Unanswered[]
}

const nothing: Uncertain = { before: [], after: [], clusters: [], unanswered: [] }
const notAsked: AnsweredRelease = { pairs: [], unanswered: [] }

/** The number of questions that are answered alone because a chart refuses them together with others. */
const maxAlone = 8

/** Renders a release with other answers of the cluster: both sides get the same ones. */
export async function answeredRelease(pair: RenderedPair, sides: Sides): Promise<AnsweredRelease> {
  const { before, after } = pair
  const [was, is] = [before && ofHelm(before), ofHelm(after)]
  if (!is || (before && !was)) return notAsked
  // A release with the same files and values is the same on both sides in each cluster.
  const key = was && sides.base.keys.get(was.id)
  if (key !== undefined && key === sides.head.keys.get(is.id)) return notAsked
  const release = { pair, was, is }
  const { clusters, unanswered } = await askedClusters(release, sides, isSameRendering)
  return everyAnswer([{ pairs: clusters, unanswered }, ...(await assumedAnswers(release, sides))])
}

/** Answers to questions about time, chance and the content of objects: each condition on them is true, or false. */
async function assumedAnswers(
  { pair: { before, after }, was, is }: ReleaseOfChange,
  { base, head }: Sides,
): Promise<AnsweredRelease[]> {
  const [asked, asks] = await Promise.all([was && base.questionsOf(was), head.questionsOf(is)])
  const questions = { functions: new Set([...(asked?.functions ?? []), ...asks.functions]) }
  const rendered = async (answers: Answers, only?: string) => {
    const [old, now] = await Promise.all([
      was && asked && asked.functions.size > 0
        ? base.renderAnswered(was, answers, questions, only)
        : { side: before, refused: [], questions: [] },
      asks.functions.size > 0
        ? head.renderAnswered(is, answers, questions, only)
        : { side: after, refused: [], questions: [] },
    ])
    const isOne = now.side !== undefined && (old.side !== undefined || !was)
    // One condition alone is answered unlike others on the same thing.
    const isOdd = only !== undefined
    const pairs = (name: string) => ({
      pairs: isOne ? [{ name, isOdd, old: old.side, now: now.side }] : [],
      unanswered: [],
    })
    return { old, now, isOne, pairs }
  }
  const ofAnswer = async (answers: Answers): Promise<AnsweredRelease> => {
    const notAnswered = (isNew: boolean, answer = answers.name): AnsweredRelease => ({
      pairs: [],
      unanswered: [{ side: after, answer, isNew: isNew && was !== undefined }],
    })
    const both = await rendered(answers)
    if (!both.isOne) return notAnswered(both.old.side !== undefined)
    const refused = [...new Set(both.now.refused)]
    const alone = await Promise.all(
      refused.slice(0, maxAlone).map(async (question) => {
        const one = await rendered(answers, question)
        const [about = ''] = question.split(':', 1)
        // A release that cannot be upgraded in such a cluster keeps its objects there.
        if (!one.isOne || one.now.refused.length > 0) return notAnswered(false, `${answers.name} (${about})`)
        return one.pairs(`${answers.name}, for ${about} alone`)
      }),
    )
    // Conditions that are so and others that are not: each has its own answer.
    const asked = [...new Set([...both.old.questions, ...both.now.questions])].filter((one) => !refused.includes(one))
    const each = asked.length > 1 && asked.length <= maxAlone ? asked : []
    const apart = await Promise.all(
      each.map(async (question, index) => {
        const [about = ''] = question.split(':', 1)
        return (await rendered(answers, question)).pairs(`${answers.name}, for condition ${index + 1}, of ${about}`)
      }),
    )
    const rest = refused.length > maxAlone ? [notAnswered(both.old.refused.length <= maxAlone)] : []
    return everyAnswer([both.pairs(answers.name), ...alone, ...apart, ...rest])
  }
  return Promise.all(answersTo(questions).map(ofAnswer))
}

function everyAnswer(all: readonly AnsweredRelease[]): AnsweredRelease {
  return { pairs: all.flatMap(({ pairs }) => pairs), unanswered: all.flatMap(({ unanswered }) => unanswered) }
}

/** The objects of a release, by identity, that exist with any answer of the cluster. */
export function certainObjects({ objects }: RenderedSide, { pairs }: AnsweredRelease): string[] {
  const answered = pairs.flatMap(({ now }) => (now ? [byIdentity(now.objects)] : []))
  return [...byIdentity(objects).keys()].filter((id) => answered.every((one) => one.has(id)))
}

/**
 * The objects of a release that differ from the rendering without a cluster under other answers of the cluster. Objects
 * that were uncertain before are not reported.
 */
export function uncertainObjects(pair: RenderedPair, answered: AnsweredRelease, surroundings: Surroundings): Uncertain {
  const seen = new Set<string>()
  const found = answered.pairs.map((one) => differing(pair, one, seen, surroundings))
  return allOf([...found, { ...nothing, unanswered: answered.unanswered }])
}

function ofHelm({ source, failure, partial }: RenderedSide): HelmSource | undefined {
  const isWhole = failure === undefined && partial === undefined
  return isWhole && source.kind === 'helm' && source.origin !== 'probed' && source.baseSourceId === undefined
    ? source
    : undefined
}

/** Whether two renderings have the same objects, except for generated parts. */
function isSameRendering(one: RenderedSide | undefined, other: RenderedSide | undefined): boolean {
  const [own, its] = [byIdentity(one?.objects ?? []), byIdentity(other?.objects ?? [])]
  return own.size === its.size && [...own].every(([id, object]) => isAlike(object, its.get(id)))
}

function differing(
  main: RenderedPair,
  { name, old, now, isOdd = false }: AskedCluster,
  seen: Set<string>,
  { otherBefore, otherAfter }: Surroundings,
): Uncertain {
  const [b0, h0, bA, hA] = [main.before, main.after, old, now].map((side) => byIdentity(side?.objects ?? []))
  if (!b0 || !h0 || !bA || !hA) return nothing
  const apart: { before: Rendered[]; after: Rendered[] } = { before: [], after: [] }
  const beside: { before: Rendered[]; after: Rendered[] } = { before: [], after: [] }
  for (const id of new Set([...b0.keys(), ...h0.keys(), ...bA.keys(), ...hA.keys()])) {
    const same = isAlike(b0.get(id), bA.get(id)) && isAlike(h0.get(id), hA.get(id))
    // A removal in the rendering without a cluster is reported already.
    if (same || (b0.has(id) && !h0.has(id))) continue
    // With another answer its text is equal before and after, as it is without one: the change has no effect on it.
    if (b0.has(id) && isUnchanged(b0.get(id), h0.get(id)) && isUnchanged(bA.get(id), hA.get(id))) continue
    if (!hA.has(id) && otherAfter.has(id)) continue
    const is = hA.get(id)
    const isOnlyMaybe = !b0.has(id) && !h0.has(id)
    const was = bA.get(id) ?? (isOnlyMaybe ? undefined : b0.has(id) ? undefined : otherBefore.get(id))
    const content = JSON.stringify([id, isOnlyMaybe, was?.object.content, is?.object.content])
    if (seen.has(content)) continue
    seen.add(content)
    const place = isOnlyMaybe ? beside : apart
    if (was) place.before.push(was)
    if (is) place.after.push(is)
  }
  const sides = (side: RenderedSide | undefined, own: readonly Rendered[], cluster?: string): RenderedSide[] => {
    if (own.length === 0) return []
    const { source } = side ?? main.after
    const target = cluster === undefined ? source.target : { cluster }
    const id = `answered:${name}:${source.id}`
    return [
      {
        source: { ...source, id, target },
        objects: own,
        unreadable: [],
        failure: undefined,
        remote: [],
        charts: [],
        data: [],
      },
    ]
  }
  const { source } = main.after
  const cluster = `${source.kind === 'helm' ? source.release : ''} where ${name}`
  return {
    before: [...sides(main.before, apart.before, cluster), ...sides(main.before, beside.before)],
    after: [...sides(main.after, apart.after, cluster), ...sides(main.after, beside.after)],
    clusters: [[cluster, isOdd ? undefined : source.target]],
    unanswered: [],
  }
}

export function allOf(all: readonly Uncertain[]): Uncertain {
  return {
    before: all.flatMap((one) => one.before),
    after: all.flatMap((one) => one.after),
    clusters: all.flatMap((one) => one.clusters),
    unanswered: all.flatMap((one) => one.unanswered),
  }
}

function byIdentity(objects: readonly Rendered[]): Objects {
  return new Map(objects.map((one) => [identityOf(one.object.ref), one]))
}

/** Whether two renderings of an object differ only in generated parts. */
function isAlike(one: Rendered | undefined, other: Rendered | undefined): boolean {
  if (!one || !other) return one === other
  if (one.object.content === other.object.content) return true
  return isDeepStrictEqual(withoutGenerated(dataOf(one.object)), withoutGenerated(dataOf(other.object)))
}

function isUnchanged(one: Rendered | undefined, other: Rendered | undefined): boolean {
  return one !== undefined && one.object.content === other?.object.content
}

function dataOf(object: LoadedObject): unknown {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root.value
}

/** Data of Secrets, certificates of webhooks, and checksums are generated, and no rule reads a meaning in them. */
function withoutGenerated(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutGenerated(one))
  if (value === null || typeof value !== 'object') return /checksum|caBundle|^rollme$/i.test(key) ? '' : value
  const entries = Object.entries(value)
  const isSecret = entries.some(([name, its]) => name === 'kind' && its === 'Secret')
  return Object.fromEntries(
    entries.map(([name, its]) => [
      name,
      isSecret && (name === 'data' || name === 'stringData') ? Object.keys(Object(its)) : withoutGenerated(its, name),
    ]),
  )
}
