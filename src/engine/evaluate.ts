import { clusterKind, statesFacts } from '../cluster/cluster-facts'
import { Snapshot } from '../cluster/snapshot'
import { GuardError } from '../errors'
import type { RawFinding } from '../finding/finding'
import { type Change, sidesOf } from '../manifest/change'
import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, identityOf, type Manifest, nameOf, type Side } from '../manifest/manifest'
import type { ActiveRule } from '../policy/policy'
import { Candidates, judges } from './candidates'
import { replacementsIn } from './copies'
import { withDoubt, withDoubtOfPair } from './doubt'
import type { Evidence } from './evidence'
import { withoutUndeployed } from './undeployed'

/** Called before a rule looks at a file's object. */
export type BeforeRule = (rule: string, path: string) => void

/**
 * A change and the snapshots it is judged in: of all copies of the changed object, the head has only the changed one.
 */
interface Judged<C extends Change = Change> {
  readonly change: C
  readonly base: Snapshot
  readonly head: Snapshot
}

/** A copy in place of another one, as a change. */
interface Replaced extends Judged<Extract<Change, { kind: 'changed' }>> {
  readonly words: string
}

/** The findings of most rules about most objects. */
const none: readonly RawFinding[] = []

/** Runs rules over the evidence and collects their findings. */
export class Evaluation {
  /** The evaluations that failed, and the reasons. */
  readonly skipped: { path: string; reason: string }[] = []
  private placesOfUncertain: ReadonlySet<string> | undefined
  private readonly surrounded = new Map<string, { base: Snapshot; head: Snapshot }>()

  /** @param today YYYY-MM-DD */
  constructor(
    private readonly evidence: Evidence,
    private readonly rules: readonly ActiveRule[],
    readonly touched: (manifest: Manifest) => boolean,
    private readonly today: string,
    private readonly before: BeforeRule = () => {},
  ) {}

  /** Findings of `manifest` and `snapshot` rules on one side: about touched objects, alone and together with others. */
  evaluateSide(side: Side): RawFinding[] {
    return this.evaluateSnapshots(side, this.evidence[side], this.rules)
  }

  /** Findings of rules that read cluster facts, on the head's objects with the cluster descriptions of the base. */
  evaluateHeadWithBaseFacts(): RawFinding[] {
    const { base, head, changes, described } = this.evidence
    const changed = new Set(
      [...changes, ...described].flatMap((change) => {
        const { before, after } = sidesOf(change)
        return [before, after].some((one) => one && statesFacts(one)) ? [change.cluster] : []
      }),
    )
    const asBefore = [...head].flatMap(([cluster, snapshot]): [string, Snapshot][] => {
      const before = changed.has(cluster) ? base.get(cluster) : undefined
      return before ? [[cluster, snapshot.describedBy(before)]] : []
    })
    return this.evaluateSnapshots('base', asBefore, this.rules.filter(asksForFacts))
  }

  /** @param facts the side whose cluster descriptions are used; missing facts are listed for the head alone */
  private evaluateSnapshots(
    facts: Side,
    snapshots: Iterable<[string, Snapshot]>,
    rules: readonly ActiveRule[],
  ): RawFinding[] {
    const findings: RawFinding[] = []
    const whole = this.evidence.mode === 'all'
    for (const [cluster, snapshot] of [...snapshots].filter(([name]) => this.isJudged(name))) {
      const all = [...snapshot.manifests, ...snapshot.descriptions]
      const candidates = new Candidates(all)
      const touchedKinds = new Set(all.filter(this.touched).map(({ ref }) => groupKindOf(ref)))
      for (const active of rules) {
        const { rule } = active
        if (rule.scope !== 'manifest' && rule.scope !== 'snapshot') continue
        // What it states of this change ends at a touched object.
        if (!whole && !readsOneOf(active, touchedKinds)) continue
        const reported: RawFinding[] = []
        const { params, today, isWritten, isAdded, report, skip } = this.contextOf(active, cluster, reported, facts)
        const judged = (manifest: Manifest, among: Snapshot) => {
          // Each part is named: to spread them takes longer than many a rule, for each of its objects.
          const context = { params, today, isWritten, isAdded, report, skip, manifest, snapshot: among }
          this.guarded(active, manifest, () => rule.check(context))
          return reported.length > 0 ? reported.splice(0) : none
        }
        for (const manifest of candidates.of(active)) {
          if (rule.scope === 'manifest' && !whole && !this.touched(manifest)) continue
          const drafts = judged(manifest, snapshot)
          if (drafts.length === 0) continue
          const made = drafts.filter((draft) => whole || draft.ends.some((end) => this.touched(end.manifest)))
          const { isDeployed } = this.evidence
          findings.push(...(isDeployed ? withoutUndeployed(made, { isDeployed, snapshot, judged }) : made))
        }
      }
    }
    return findings.map((draft) => withDoubt(draft, this.evidence))
  }

  /** Findings of `change` and `removal` rules. */
  evaluateChanges(): RawFinding[] {
    const findings: RawFinding[] = []
    const all = [...this.evidence.changes, ...this.evidence.described]
    for (const change of all.filter(({ cluster }) => this.isJudged(cluster))) {
      const { base, head: whole } =
        change.kind === 'removed' ? this.among(change.cluster) : this.snapshotsOf(change.cluster)
      const head = change.kind === 'removed' ? this.withoutLapsed(whole, change.before) : whole
      const own = { change, base, head: change.kind === 'changed' ? head.withOnly(change.after) : head }
      const replaced = replacementsIn(change, base, head).map(({ before, after, words }) => ({
        change: { kind: 'changed' as const, cluster: change.cluster, before, after },
        base,
        head: head.withOnly(after),
        words,
      }))
      // A copy is compared with the object it is a copy of, and is not new.
      const isCopy = change.kind === 'added' && !change.after.ref.generated && base.get(change.after.ref).length > 0
      for (const active of this.rules) {
        if (!isCopy || active.rule.scope !== 'change') findings.push(...this.evaluateChange(active, own))
        findings.push(...this.evaluateReplacements(active, replaced))
      }
    }
    for (const move of this.evidence.moves.filter(({ cluster }) => this.isJudged(cluster))) {
      for (const active of this.rules) {
        const { rule } = active
        if (rule.scope !== 'change' || !rule.checkMove || !judges(active, move.before)) continue
        const context = {
          ...this.contextOf(active, move.cluster, findings, 'head'),
          ...this.snapshotsOf(move.cluster),
          move,
        }
        this.guarded(active, move.before, () => rule.checkMove?.(context))
      }
    }
    return dropShadowed(findings).map((draft) => withDoubt(draft, this.evidence))
  }

  private isJudged(cluster: string): boolean {
    const { judges } = this.evidence
    return !judges || judges(cluster)
  }

  /** Without the objects that the head still writes and that do not keep one of the base. */
  private withoutLapsed(head: Snapshot, before: Manifest): Snapshot {
    const { lapseOf } = this.evidence
    return lapseOf ? head.without((manifest) => lapseOf(manifest, before) !== undefined) : head
  }

  /** A rule that crashes ends the run, with its name: a gate must not skip a rule. */
  private guarded({ rule }: ActiveRule, manifest: Manifest, run: () => void): void {
    this.before(rule.id, manifest.origin.path)
    try {
      run()
    } catch (cause) {
      throw new GuardError(
        'internal',
        `The rule ${rule.id} crashed on ${nameOf(manifest.ref)}. Please report this with the manifest; until then \`rules: {${rule.id}: {level: off}}\` in the config turns it off.`,
        { path: manifest.origin.path, region: manifest.object.region },
        { cause },
      )
    }
  }

  /** A rule on changes is run again without what nothing deploys, where it compared with that: nothing is lost there. */
  private evaluateChange(active: ActiveRule, judged: Judged): RawFinding[] {
    const made = this.evaluateOnce(active, judged)
    const { isDeployed } = this.evidence
    const { before, after } = sidesOf(judged.change)
    const isIdle = (one: Manifest) => isDeployed?.(one) === false && one !== before && one !== after
    if (active.rule.scope !== 'change' || !made.some(({ ends }) => ends.some(({ manifest }) => isIdle(manifest))))
      return made
    const among = this.evaluateOnce(active, { ...judged, head: judged.head.without(isIdle) })
    return among.filter(({ message }) => made.some((one) => one.message === message))
  }

  private evaluateOnce(active: ActiveRule, { change, base, head }: Judged): RawFinding[] {
    const { rule } = active
    const manifest = change.kind === 'added' ? change.after : change.before
    const asks = rule.scope === 'snapshot' ? rule.checkChange && reads(active, manifest) : judges(active, manifest)
    if (!asks || rule.scope === 'manifest') return []
    const findings: RawFinding[] = []
    const context = { ...this.contextOf(active, change.cluster, findings, 'head'), change, base, head }
    const isUsed = (name: string) => this.evidence.isUsed?.(change.cluster, name) ?? false
    this.guarded(active, manifest, () => {
      if (rule.scope === 'change') return rule.check({ ...context, isUsed })
      if (rule.scope === 'snapshot') return rule.checkChange?.({ ...context, isUsed })
      if (isGone(change, head)) rule.check({ ...context, removed: manifest })
      rule.checkChange?.(context)
    })
    const { isDeployed } = this.evidence
    const made = change.kind === 'removed' ? this.withLapse(findings, change) : findings
    if (rule.scope !== 'snapshot' || !isDeployed) return made
    return made.filter(({ ends }) => ends.every((end) => isDeployed(end.manifest)))
  }

  /** Adds why an object is removed which the head still writes. */
  private withLapse(findings: RawFinding[], { before, cluster }: Extract<Change, { kind: 'removed' }>): RawFinding[] {
    const { head, lapseOf } = this.evidence
    const copies = findings.length > 0 && lapseOf ? (head.get(cluster)?.get(before.ref) ?? []) : []
    const [why] = copies.flatMap((copy) => lapseOf?.(copy, before) ?? [])
    return why === undefined ? findings : findings.map((draft) => ({ ...draft, text: `${draft.text} ${why}` }))
  }

  /** Keeps the smallest set of findings among all copies: it is true for each copy that may be applied last. */
  private evaluateReplacements(active: ActiveRule, replaced: readonly Replaced[]): RawFinding[] {
    const stated = replaced.map((judged) => {
      const { before, after } = judged.change
      return this.evaluateChange(active, judged)
        .map((draft) => ({ ...draft, text: `${draft.text} ${judged.words}`, ends: this.endsAt(draft, after) }))
        .map((draft) => withDoubtOfPair(draft, [before, after], this.evidence))
    })
    const sizeOf = (findings: readonly RawFinding[]) => findings.reduce((sum, { keys }) => sum + 1 + keys.length, 0)
    return stated.sort((a, b) => sizeOf(a) - sizeOf(b))[0] ?? []
  }

  /** A finding about a copy is placed where the change is: in the copy, when the rule read only untouched objects. */
  private endsAt({ ends }: RawFinding, copy: Manifest): readonly Cursor[] {
    return ends.some((end) => this.touched(end.manifest)) ? ends : [copy.root, ...ends]
  }

  /** The snapshots of what another answer removes: all that the cluster of its release has beside it. */
  private among(cluster: string): { base: Snapshot; head: Snapshot } {
    const own = this.snapshotsOf(cluster)
    const real = this.evidence.among?.get(cluster)
    if (real === undefined) return own
    const known = this.surrounded.get(cluster)
    if (known) return known
    const around = this.snapshotsOf(real)
    const idOf = ({ ref }: Manifest) => identityOf(ref)
    const ids = new Set([...own.base.manifests, ...own.head.manifests].map(idOf))
    // A copy of another release keeps the object, unless that one asks, too.
    const isReplaced = (one: Manifest) => ids.has(idOf(one)) && this.uncertain.has(placeOf(one))
    const made = {
      base: around.base.without(isReplaced).with(own.base.manifests),
      head: around.head.without(isReplaced).with(own.head.manifests),
    }
    this.surrounded.set(cluster, made)
    return made
  }

  /** The objects that differ with some answer, by identity and origin. */
  private get uncertain(): ReadonlySet<string> {
    this.placesOfUncertain ??= new Set(
      [...(this.evidence.among?.keys() ?? [])].flatMap((cluster) => {
        const { base, head } = this.snapshotsOf(cluster)
        return [...base.manifests, ...head.manifests].map(placeOf)
      }),
    )
    return this.placesOfUncertain
  }

  private snapshotsOf(cluster: string): { base: Snapshot; head: Snapshot } {
    const { base, head } = this.evidence
    const none = new Snapshot(cluster, [])
    return { base: base.get(cluster) ?? none, head: head.get(cluster) ?? none }
  }

  private contextOf(active: ActiveRule, cluster: string, findings: RawFinding[], side: Side) {
    return {
      params: active.params,
      today: this.today,
      isWritten: this.touched,
      isAdded: (manifest: Manifest) =>
        this.touched(manifest) && this.snapshotsOf(cluster).base.get(manifest.ref).length === 0,
      report: (
        at: Cursor | readonly Cursor[],
        latest: string,
        args: object,
        more: Pick<Partial<RawFinding>, 'keys' | 'fix' | 'value' | 'subject'> & { readonly before?: string } = {},
      ) => {
        const message = active.has(latest) ? latest : (more.before ?? latest)
        const level = active.levelOf(message)
        if (!level) return
        const text: string = active.rule.messages[message](args)
        const ends = Array.isArray(at) ? at : [at]
        findings.push({
          active,
          message,
          text,
          level,
          cluster,
          ends,
          keys: more.keys ?? [],
          fix: more.fix,
          value: more.value,
          subject: more.subject,
        })
      },
      skip: (at: Cursor, reason: string) => {
        const { ref, origin } = at.manifest
        const of = cluster ? `${nameOf(ref)} of cluster ${cluster}` : nameOf(ref)
        if (side === 'head') this.skipped.push({ path: origin.path, reason: `${of}: ${reason}` })
      },
    }
  }
}

function placeOf({ ref, origin }: Manifest): string {
  return JSON.stringify([origin.kind === 'rendered' ? origin.id : origin.path, identityOf(ref)])
}

function asksForFacts({ rule }: ActiveRule): boolean {
  return rule.reads?.includes(clusterKind) === true || rule.kinds.includes(clusterKind)
}

function readsOneOf({ rule }: ActiveRule, kinds: ReadonlySet<GroupKind>): boolean {
  return rule.kinds === '*' || [...rule.kinds, ...(rule.reads ?? [])].some((kind) => kinds.has(kind))
}

function reads(active: ActiveRule, manifest: Manifest): boolean {
  return judges(active, manifest) || active.rule.reads?.includes(groupKindOf(manifest.ref)) === true
}

/**
 * No copy of an object is left. A tool chose the namespace of one without any, so a copy with a namespace may be the
 * same.
 */
function isGone(change: Change, head: Snapshot): boolean {
  if (change.kind !== 'removed' || head.get(change.before.ref).length > 0) return false
  const { ref } = change.before
  return ref.namespace !== '' || !head.ofKind(groupKindOf(ref)).some(({ ref: { name } }) => name === ref.name)
}

/** Drops findings of rules that yield to another rule that reported the same object. */
function dropShadowed(findings: readonly RawFinding[]): RawFinding[] {
  const subject = (rule: string, { cluster, ends }: RawFinding) =>
    JSON.stringify([rule, cluster, ends[0] && identityOf(ends[0].manifest.ref)])
  const reported = new Set(findings.map((draft) => subject(draft.active.rule.id, draft)))
  return findings.filter((draft) => {
    const { rule } = draft.active
    return rule.scope !== 'removal' || !rule.yieldsTo?.some((other) => reported.has(subject(other, draft)))
  })
}
