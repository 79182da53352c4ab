import semver from 'semver'
import type { Unanswered } from '../../gaps/unanswered'
import type { ClusterState } from '../../render/stub-cluster/ask-helm'
import { bothWords, type ChartWords } from '../../render/stub-cluster/chart-words'
import {
  type ClusterAspect,
  clustersFor,
  otherCluster,
  plainCluster,
  probesFor,
} from '../../render/stub-cluster/cluster-states'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { kubeVersionOf } from '../../sources/chart'
import type { HelmSource } from '../../sources/source'
import { surroundingOf } from './release-surrounding'

/** One release on both sides of a change, rendered without a cluster. */
export interface RenderedPair {
  readonly before: RenderedSide | undefined
  readonly after: RenderedSide
}

/** A rendered release with its sources on both sides. */
export interface ReleaseOfChange {
  readonly pair: RenderedPair
  readonly was: HelmSource | undefined
  readonly is: HelmSource
}

/** A release on both sides in one cluster. */
export interface AskedCluster {
  readonly name: string
  /** Whether only some clusters are like it. */
  readonly isOdd?: boolean
  readonly old: RenderedSide | undefined
  readonly now: RenderedSide | undefined
}

/** The clusters that charts asked, and the releases without an answer. */
export interface AskedClusters {
  readonly clusters: readonly AskedCluster[]
  readonly unanswered: readonly Unanswered[]
}

interface Sides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

/** The first and the last minor version of Kubernetes for which charts are rendered. */
const minors = { first: 20, last: 45 }

/** The number of questions of `lookup` that are answered in all combinations, and the number answered one by one. */
const most = { together: 4, pairs: 6, allBut: 8, alone: 24 }

/** One cluster with the renderings of both sides. */
interface Row extends AskedCluster {
  readonly state: ClusterState
  readonly questions: { readonly old: readonly string[]; readonly now: readonly string[] }
  /** The failures of both sides. */
  readonly faults: { readonly old: string | undefined; readonly now: string | undefined }
  /** Helm's message for the head. */
  readonly reason: string | undefined
}

/**
 * Renders a release for clusters that differ in the chart's questions: the objects that `lookup` finds, one by one and
 * together, the revision, the version and the APIs. Helm itself asks, so the spelling of questions in the chart does
 * not matter.
 */
export async function askedClusters(
  { pair, was, is }: ReleaseOfChange,
  { base, head }: Sides,
  isSame: (one: RenderedSide | undefined, other: RenderedSide | undefined) => boolean,
): Promise<AskedClusters> {
  const [words, oldWords] = await Promise.all([head.wordsOf(is), was ? base.wordsOf(was) : undefined])
  if (!words.mayAsk && !oldWords?.mayAsk) return { clusters: [], unanswered: [] }
  const both = oldWords ? bothWords(oldWords, words) : words
  const versions = await versionsFor([
    [base, was],
    [head, is],
  ])
  const old = was && pair.before && { side: base, source: was, plain: pair.before, mayAsk: oldWords?.mayAsk ?? false }
  const sides = { old, now: { side: head, source: is, plain: pair.after, mayAsk: words.mayAsk } }
  const exploration = new Exploration(pair, sides, both)
  const plain = plainCluster(versions, is.kubeVersion)
  const other = otherCluster(plain, both, versions)
  const first = await exploration.firstOf([plain, { ...plain, version: versions.at(-1) ?? plain.version }, other])
  if (!first) return exploration.found([], `${plain.name}`)
  const probe = await exploration.row({ ...other, finds: [] })
  exploration.take(first, probe)
  await exploration.lookups(first.state, other)
  const aspects = new Set<ClusterAspect>(
    (['revision', 'apiVersions', 'kubeVersion'] as const).filter((aspect) => both[aspect]),
  )
  const differs = (row: Row) => !isSame(first.old, row.old) || !isSame(first.now, row.now)
  if (differs(probe))
    for (const [aspect, state] of probesFor(first.state, other, both)) {
      const row = await exploration.row({ ...state, finds: [] })
      if (differs(row)) aspects.add(aspect)
    }
  const states = clustersFor(first.state, both, versions, aspects)
  exploration.take(...(await Promise.all(states.map((state) => exploration.row({ ...state, finds: [] })))))
  return exploration.found(exploration.rows)
}

interface AskedSide {
  readonly side: SideOfChange
  readonly source: HelmSource
  readonly plain: RenderedSide
  readonly mayAsk: boolean
}

/** The clusters that are tried for one release, and its questions there. */
class Exploration {
  readonly rows: Row[] = []
  private readonly oldQuestions = new Set<string>()
  private readonly newQuestions = new Set<string>()
  private questions: ReadonlySet<string> = new Set()
  private readonly known = new Set<string>()
  private readonly surroundings = new Map<AskedSide, ReturnType<typeof surroundingOf>>()
  private isInstalled = { old: false, now: false }
  /** Whether the base renders in a cluster in which the head does not, as an upgrade or as an installation. */
  private isLost = false
  /** Helm's message for the head in the last cluster in which it does not render. */
  private lastReason: string | undefined

  constructor(
    private readonly pair: RenderedPair,
    private readonly sides: { readonly old: AskedSide | undefined; readonly now: AskedSide },
    private readonly words: ChartWords,
  ) {}

  /** The first cluster for which the head renders. */
  async firstOf(states: readonly Omit<ClusterState, 'finds'>[]): Promise<Row | undefined> {
    for (const state of states) {
      const row = await this.row({ ...state, finds: [] })
      if (row.now && (row.old || !this.sides.old)) return row
      // Some charts refuse an upgrade.
      this.isInstalled = { old: row.old === undefined, now: row.now === undefined }
      const installed = await this.row({ ...state, finds: [] })
      if (installed.now) return installed
      const both = [row.faults, installed.faults]
      this.isLost ||= both.every(({ now }) => now === 'refused') && both.some(({ old }) => old === undefined)
      this.lastReason = installed.reason ?? row.reason ?? this.lastReason
      this.isInstalled = { old: false, now: false }
    }
    return undefined
  }

  async row(state: ClusterState): Promise<Row> {
    const { old, now } = this.sides
    const [before, after] = await Promise.all([
      this.rendered(old, state, this.isInstalled.old),
      this.rendered(now, state, this.isInstalled.now),
    ])
    return {
      name: state.name,
      isOdd: state.isOdd ?? false,
      state,
      old: before?.side,
      now: after?.side,
      questions: { old: before?.questions ?? [], now: after?.questions ?? [] },
      faults: { old: before?.fault, now: after?.fault },
      reason: after?.reason,
    }
  }

  private async rendered(
    asked: AskedSide | undefined,
    state: ClusterState,
    isInstalled: boolean,
  ): Promise<Awaited<ReturnType<SideOfChange['renderAsked']>> | undefined> {
    if (!asked) return undefined
    if (!asked.mayAsk) return { side: asked.plain, questions: [] }
    return asked.side.renderAsked(asked.source, state, {
      ...this.surroundingOf(asked),
      isInstalled,
    })
  }

  private surroundingOf(asked: AskedSide): ReturnType<typeof surroundingOf> {
    const known = this.surroundings.get(asked) ?? surroundingOf(asked.plain, this.pair, this.words)
    this.surroundings.set(asked, known)
    return known
  }

  take(...rows: readonly Row[]): void {
    for (const row of rows) {
      this.rows.push(row)
      for (const question of row.questions.old) this.oldQuestions.add(question)
      for (const question of row.questions.now) this.newQuestions.add(question)
      this.questions = new Set([...this.oldQuestions, ...this.newQuestions])
    }
  }

  /** Finds the objects that are asked for: all, each alone, all but each, and in all ways where they are few. */
  async lookups(plain: ClusterState, other: Omit<ClusterState, 'finds'>): Promise<void> {
    if (this.questions.size === 0) return
    const all = { ...plain, name: 'lookup finds objects', finds: 'all' as const }
    this.take(...(await this.both([all, { ...other, name: `lookup finds objects, and ${other.name}`, finds: 'all' }])))
    // Helm asked for no more than this one.
    if (this.questions.size === 1) return
    for (let size = -1; size < this.questions.size && size < most.alone; ) {
      size = this.questions.size
      const asked = [...this.questions].slice(0, most.alone).sort()
      const choices = choicesOf(asked).map((finds) => ({ ...plain, name: nameOf(finds, asked), finds }))
      const fresh = choices.filter(({ finds }) => !this.known.has(JSON.stringify(finds)))
      for (const { finds } of fresh) this.known.add(JSON.stringify(finds))
      this.take(...(await this.both(fresh)))
    }
  }

  private both(states: readonly ClusterState[]): Promise<Row[]> {
    return Promise.all(states.map((state) => this.row(state)))
  }

  /** The results in the clusters, and the ones in which the release does not render. */
  found(rows: readonly Row[], nowhere?: string): AskedClusters {
    const { old, now } = this.sides
    const unanswered: Unanswered[] = []
    const add = (answer: string, isNew: boolean, reason?: string, isEverywhere = false) =>
      unanswered.push({ side: now.plain, answer, isNew: isNew && old !== undefined, reason, isEverywhere })
    if (nowhere !== undefined) add(nowhere, this.isLost, this.lastReason, true)
    // A chart that refuses a version, an API or a revision also refuses it in a real cluster: nothing is deleted there.
    // The found objects are not those of the cluster, so refusing them shows nothing.
    const refusing = rows.filter(
      ({ state, faults }) => faults.now && (faults.now !== 'refused' || state.finds.length > 0),
    )
    const [first] = refusing
    const introduced = refusing.find(({ faults }) => faults.old === undefined)
    if (introduced) add(introduced.name, true, introduced.reason)
    else if (first) add(first.name, false, first.reason)
    if (this.questions.size > most.alone)
      add(`lookup finds some of more than ${most.alone} objects`, this.oldQuestions.size <= most.alone / 2)
    const clusters = rows.filter((row) => row.now && (row.old || !old))
    return { clusters, unanswered }
  }
}

/** Some of the objects that are asked for. */
function choicesOf(asked: readonly string[]): string[][] {
  if (asked.length <= most.together) {
    const all = Array.from({ length: 2 ** asked.length }, (_, bits) =>
      asked.filter((_one, index) => (bits >> index) & 1),
    )
    return all.filter((some) => some.length > 0)
  }
  const alone = asked.map((one) => [one])
  const allBut = asked.length > most.allBut ? [] : asked.map((one) => asked.filter((other) => other !== one))
  const pairs =
    asked.length > most.pairs ? [] : asked.flatMap((one, index) => asked.slice(index + 1).map((other) => [one, other]))
  return [...alone, ...allBut, ...pairs]
}

/** `lookup finds Namespace kube-system`, as far as the path shows it. */
function nameOf(finds: readonly string[], asked: readonly string[]): string {
  const named = (paths: readonly string[]) => paths.map((path) => path.split('/').slice(-2).join('/')).join(', ')
  if (finds.length === asked.length) return `lookup finds ${named(finds)}`
  return finds.length > asked.length / 2 && finds.length > 2
    ? `lookup finds all but ${named(asked.filter((one) => !finds.includes(one)))}`
    : `lookup finds ${named(finds)} alone`
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
