import { isDeepStrictEqual } from 'node:util'
import semver from 'semver'
import type { Unanswered } from '../gaps/unanswered'
import type { LoadedObject } from '../manifest/load'
import { identityOf, Manifest } from '../manifest/manifest'
import { type Answers, answersTo } from '../render/answers'
import type { Questions } from '../render/uncertain-actions'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { kubeVersionOf } from '../sources/chart'
import type { HelmSource } from '../sources/source'

type Rendered = RenderedSide['objects'][number]
type Objects = ReadonlyMap<string, Rendered>

const where = ' where '

/** Whether a cluster holds what differs with another answer. */
export function isAnswered(cluster: string): boolean {
  return cluster.includes(where)
}

/** One release on both sides of a change, as it is rendered without a cluster. */
export interface RenderedPair {
  readonly before: RenderedSide | undefined
  readonly after: RenderedSide
}

/** The objects that a change has besides those of a release. */
export interface Surroundings {
  /** By identity, of the base: a release may take an object over from elsewhere. */
  readonly otherBefore: ReadonlyMap<string, Rendered>
  /** By identity, of the head: those that are there whatever the cluster answers. */
  readonly otherAfter: ReadonlySet<string>
}

/** A release on both sides, as a cluster with another answer has it; empty where it does not render with it. */
interface AnsweredPair {
  readonly name: string
  readonly old: RenderedSide | undefined
  readonly now: RenderedSide | undefined
}

/** A release with all other answers of the cluster. */
export interface AnsweredRelease {
  readonly pairs: readonly AnsweredPair[]
  readonly unanswered: readonly Unanswered[]
}

/** The first and the last minor version of Kubernetes for which charts are rendered. */
const minors = { first: 20, last: 45 }

/** The objects of a release that differ with another answer of the cluster, on both sides. */
export interface Uncertain {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** Answers with which the release does not render at the head. */
  readonly unanswered: readonly Unanswered[]
}

const nothing: Uncertain = { before: [], after: [], unanswered: [] }
const notAsked: AnsweredRelease = { pairs: [], unanswered: [] }

/** How many questions are answered alone that a chart refuses to have answered with the others. */
const maxAlone = 8

/** Renders a release with other answers of the cluster: both sides get the same ones. */
export async function answeredRelease(
  { before, after }: RenderedPair,
  { base, head }: { readonly base: SideOfChange; readonly head: SideOfChange },
): Promise<AnsweredRelease> {
  const [was, is] = [before && ofHelm(before), ofHelm(after)]
  if (!is || (before && !was)) return notAsked
  const [asked, asks] = await Promise.all([was && base.questionsOf(was), head.questionsOf(is)])
  const questions = asked ? together(asked, asks) : asks
  const versions = await versionsFor([
    [base, was],
    [head, is],
  ])
  const rendered = async (answers: Answers, only?: string) => {
    const [old, now] = await Promise.all([
      was && asked && isAsked(asked, answers)
        ? base.renderAnswered(was, answers, questions, only)
        : { side: before, refused: [] },
      isAsked(asks, answers) ? head.renderAnswered(is, answers, questions, only) : { side: after, refused: [] },
    ])
    const isOne = now.side !== undefined && (old.side !== undefined || !was)
    const pairs = (name: string) => ({ pairs: isOne ? [{ name, old: old.side, now: now.side }] : [], unanswered: [] })
    return { old, now, isOne, pairs }
  }
  const ofAnswer = async (answers: Answers): Promise<AnsweredRelease> => {
    const notAnswered = (isNew: boolean, answer = answers.name): AnsweredRelease => ({
      pairs: [],
      unanswered: [{ side: after, answer, isNew: isNew && was !== undefined }],
    })
    let first: Awaited<ReturnType<typeof rendered>> | undefined
    for (const nearer of nearerVersions(answers, versions)) {
      const both = await rendered(nearer)
      first ??= both
      if (!both.isOne) continue
      const refused = [...new Set(both.now.refused)]
      const alone = await Promise.all(
        refused.slice(0, maxAlone).map(async (question) => {
          const one = await rendered(nearer, question)
          const [about = ''] = question.split(':', 1)
          // A release that cannot be upgraded in such a cluster keeps its objects there.
          if (!one.isOne || one.now.refused.length > 0) return notAnswered(false, `${answers.name} (${about})`)
          return one.pairs(`${answers.name}, for ${about} alone`)
        }),
      )
      const rest = refused.length > maxAlone ? [notAnswered(both.old.refused.length <= maxAlone)] : []
      return everyAnswer([both.pairs(answers.name), ...alone, ...rest])
    }
    return notAnswered(first?.old.side !== undefined)
  }
  return everyAnswer(await Promise.all(answersTo(questions, versions).map(ofAnswer)))
}

function everyAnswer(all: readonly AnsweredRelease[]): AnsweredRelease {
  return { pairs: all.flatMap(({ pairs }) => pairs), unanswered: all.flatMap(({ unanswered }) => unanswered) }
}

/** The objects of a release, by identity, that are there whatever the cluster answers. */
export function certainObjects({ objects }: RenderedSide, { pairs }: AnsweredRelease): string[] {
  const answered = pairs.flatMap(({ now }) => (now ? [byIdentity(now.objects)] : []))
  return [...byIdentity(objects).keys()].filter((id) => answered.every((one) => one.has(id)))
}

/**
 * What becomes of a release under other answers of the cluster: only the objects that differ from those of the rendering
 * without a cluster. What was not certain before is no news.
 */
export function uncertainObjects(pair: RenderedPair, answered: AnsweredRelease, surroundings: Surroundings): Uncertain {
  const found = answered.pairs.map(({ name, old, now }) => differing(pair, old, now, name, surroundings))
  return allOf([...found, { ...nothing, unanswered: answered.unanswered }])
}

function ofHelm({ source, failure, partial }: RenderedSide): HelmSource | undefined {
  const isWhole = failure === undefined && partial === undefined
  return isWhole && source.kind === 'helm' && source.origin !== 'probed' && source.baseSourceId === undefined
    ? source
    : undefined
}

function together(one: Questions, other: Questions): Questions {
  return {
    functions: new Set([...one.functions, ...other.functions]),
    kubeVersion: one.kubeVersion || other.kubeVersion,
    apis: new Set([...one.apis, ...other.apis]),
  }
}

/** Whether an answer can change what a chart renders to. */
function isAsked({ functions, kubeVersion, apis }: Questions, answers: Answers): boolean {
  if (answers.conditions !== undefined) return functions.size > 0
  return (answers.kubeVersion !== undefined && kubeVersion) || (answers.served !== undefined && apis.size > 0)
}

/** The versions that the charts of both sides allow; none where the version of the cluster is known. */
async function versionsFor(sides: readonly (readonly [SideOfChange, HelmSource | undefined])[]): Promise<string[]> {
  const ranges: string[] = []
  for (const [side, source] of sides) {
    if (source?.kubeVersion) return []
    const range = source && (await kubeVersionOf(side.checkout, source.chart))
    if (range) ranges.push(range)
  }
  const all = Array.from({ length: minors.last - minors.first + 1 }, (_, index) => `1.${minors.first + index}.0`)
  return all.filter((version) => ranges.every((range) => semver.satisfies(version, range)))
}

function differing(
  main: RenderedPair,
  old: RenderedSide | undefined,
  now: RenderedSide | undefined,
  name: string,
  { otherBefore, otherAfter }: Surroundings,
): Uncertain {
  const [b0, h0, bA, hA] = [main.before, main.after, old, now].map((side) => byIdentity(side?.objects ?? []))
  if (!b0 || !h0 || !bA || !hA) return nothing
  const apart: { before: Rendered[]; after: Rendered[] } = { before: [], after: [] }
  const beside: { before: Rendered[]; after: Rendered[] } = { before: [], after: [] }
  for (const id of new Set([...b0.keys(), ...h0.keys(), ...bA.keys(), ...hA.keys()])) {
    const same = isAlike(b0.get(id), bA.get(id)) && isAlike(h0.get(id), hA.get(id))
    // What the rendering without a cluster removes is reported already.
    if (same || (b0.has(id) && !h0.has(id))) continue
    if (!hA.has(id) && otherAfter.has(id)) continue
    const is = hA.get(id)
    const isOnlyMaybe = !b0.has(id) && !h0.has(id)
    const was = bA.get(id) ?? (isOnlyMaybe ? undefined : b0.has(id) ? undefined : otherBefore.get(id))
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
  const cluster = `${source.kind === 'helm' ? source.release : ''}${where}${name}`
  return {
    before: [...sides(main.before, apart.before, cluster), ...sides(main.before, beside.before)],
    after: [...sides(main.after, apart.after, cluster), ...sides(main.after, beside.after)],
    unanswered: [],
  }
}

export function allOf(all: readonly Uncertain[]): Uncertain {
  return {
    before: all.flatMap((one) => one.before),
    after: all.flatMap((one) => one.after),
    unanswered: all.flatMap((one) => one.unanswered),
  }
}

/** An answer with its version of Kubernetes, and with those nearer to the others: a chart may refuse the ends. */
function nearerVersions(answers: Answers, versions: readonly string[]): Answers[] {
  const { kubeVersion } = answers
  if (kubeVersion === undefined) return [answers]
  const inwards = kubeVersion === versions[0] ? versions : [...versions].reverse()
  return inwards.map((version) => ({ ...answers, kubeVersion: version }))
}

function byIdentity(objects: readonly Rendered[]): Objects {
  return new Map(objects.map((one) => [identityOf(one.object.ref), one]))
}

/** Whether two renderings of an object differ in nothing but what is generated. */
function isAlike(one: Rendered | undefined, other: Rendered | undefined): boolean {
  if (!one || !other) return one === other
  if (one.object.content === other.object.content) return true
  return isDeepStrictEqual(withoutGenerated(dataOf(one.object)), withoutGenerated(dataOf(other.object)))
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
