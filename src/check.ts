import { GuardError } from './errors'
import type { Change } from './manifest/change'
import type { ClusterMap } from './manifest/cluster'
import type { Cursor } from './manifest/cursor'
import { Hunks } from './manifest/hunks'
import { groupKindOf, type Manifest, nameOf, type Side } from './manifest/manifest'
import { Snapshot } from './manifest/snapshot'
import type { PlacedException } from './policy/config'
import { applyExceptions } from './policy/exception'
import type { ActiveRule, Resolution } from './policy/policy'
import type { FailOn, Level } from './policy/schema'
import {
  type Draft,
  findingOf,
  fingerprintOf,
  mergeByPlace,
  type Placing,
  sortFindings,
  subjectOf,
} from './report/finding'
import { countsFor, type Finding, type Report } from './report/report'

/** Everything the gate judges: data only, gathered by a host. */
export interface Evidence {
  /** A change between two revisions, or one revision (the head) whole. */
  readonly mode: Report['mode']
  readonly changes: readonly Change[]
  /** By cluster. */
  readonly base: ReadonlyMap<string, Snapshot>
  readonly head: ReadonlyMap<string, Snapshot>
  readonly clusters: ClusterMap
  /** The texts of every file this change adds, changes or removes. */
  readonly changedTexts: ReadonlyMap<string, { readonly before?: string; readonly after?: string }>
  /** What could not be read, and what the change does to the config: `source/*` and `config/*`. */
  readonly findings: readonly Finding[]
  readonly inspected: Omit<Report['inspected'], 'changes'>
}

export interface Terms {
  readonly resolution: Resolution
  readonly exceptions: readonly PlacedException[]
  readonly exceptionsPath: string | undefined
  readonly failOn: FailOn
  /** YYYY-MM-DD */
  readonly today: string
}

/** The whole gate, and a pure function: the same evidence and terms give the same report. */
export function check(evidence: Evidence, terms: Terms): Report {
  const { mode, changes } = evidence
  const placing = placingIn(evidence)
  const { rules } = terms.resolution
  const findings = [
    ...statused(draftsOn('base', rules, evidence, placing), draftsOn('head', rules, evidence, placing), placing, mode),
    ...draftsOfChanges(rules, evidence).map((draft) => findingOf(draft, 'introduced', placing)),
  ]
  const judged = applyExceptions(findings, terms, mode)
  const all = sortFindings(mergeByPlace([...judged, ...evidence.findings]))
  const fails = all.some((finding) => countsFor(finding, mode) && reaches(finding.level, terms.failOn))
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length
  return {
    format: 1,
    verdict: fails ? 'fail' : 'pass',
    mode,
    policies: terms.resolution.policies,
    inspected: {
      ...evidence.inspected,
      changes: { added: count('added'), changed: count('changed'), removed: count('removed') },
    },
    findings: all,
  }
}

const severity: Record<Level, number> = { error: 3, warning: 2, notice: 1 }

function reaches(level: Level, failOn: FailOn): boolean {
  return failOn !== 'never' && severity[level] >= severity[failOn]
}

function placingIn({ changes, changedTexts }: Evidence): Placing {
  const touched = new Set<Manifest>()
  for (const change of changes) {
    if (change.kind !== 'added') touched.add(change.before)
    if (change.kind !== 'removed') touched.add(change.after)
  }
  const hunks = new Map<string, Hunks>()
  return {
    touched: (manifest) => touched.has(manifest),
    isNew: (path) => changedTexts.has(path) && changedTexts.get(path)?.before === undefined,
    hunks(path) {
      const { before, after } = changedTexts.get(path) ?? {}
      if (before === undefined || after === undefined) return undefined
      const known = hunks.get(path) ?? new Hunks(before, after)
      hunks.set(path, known)
      return known
    },
  }
}

/** What `manifest` and `snapshot` rules state about one side. */
function draftsOn(side: Side, rules: readonly ActiveRule[], evidence: Evidence, placing: Placing): Draft[] {
  const drafts: Draft[] = []
  const whole = evidence.mode === 'all'
  for (const [cluster, snapshot] of evidence[side]) {
    for (const active of rules) {
      const { rule, params } = active
      if (rule.scope === 'change') continue
      for (const manifest of snapshot.manifests.filter((candidate) => judges(active, candidate))) {
        if (rule.scope === 'manifest' && !whole && !placing.touched(manifest)) continue
        const made: Draft[] = []
        const report = reporter(active, cluster, made)
        guarded(active, manifest, () => {
          if (rule.scope === 'manifest') rule.check({ manifest, params, report })
          else rule.check({ manifest, snapshot, params, report })
        })
        drafts.push(...made.filter((draft) => whole || draft.ends.some((end) => placing.touched(end.manifest))))
      }
    }
  }
  return drafts.map((draft) => withDoubt(draft, evidence))
}

function draftsOfChanges(rules: readonly ActiveRule[], evidence: Evidence): Draft[] {
  const drafts: Draft[] = []
  for (const change of evidence.changes) {
    const manifest = change.kind === 'added' ? change.after : change.before
    const sides = { base: snapshotIn(evidence.base, change.cluster), head: snapshotIn(evidence.head, change.cluster) }
    for (const active of rules) {
      const { rule, params } = active
      if (rule.scope !== 'change' || !judges(active, manifest)) continue
      const report = reporter(active, change.cluster, drafts)
      guarded(active, manifest, () => rule.check({ change, ...sides, params, report }))
    }
  }
  return drafts.map((draft) => withDoubt(draft, evidence))
}

function snapshotIn(snapshots: ReadonlyMap<string, Snapshot>, cluster: string): Snapshot {
  return snapshots.get(cluster) ?? new Snapshot(cluster, [])
}

function judges({ rule }: ActiveRule, manifest: Manifest): boolean {
  return rule.kinds === '*' || rule.kinds.includes(groupKindOf(manifest.ref))
}

function reporter(active: ActiveRule, cluster: string, drafts: Draft[]) {
  return (
    at: Cursor | readonly Cursor[],
    message: string,
    args: object,
    more: Pick<Partial<Draft>, 'keys' | 'fix'> = {},
  ) => {
    const level = active.levelOf(message)
    if (!level) return
    const text: string = active.rule.messages[message](args)
    const ends = Array.isArray(at) ? at : [at]
    drafts.push({ active, message, text, level, cluster, ends, keys: more.keys ?? [], fix: more.fix })
  }
}

/** A rule that crashes ends the run, by name: a gate that skips a rule is no gate. */
function guarded({ rule }: ActiveRule, manifest: Manifest, run: () => void): void {
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

/**
 * Folders that repeat each other were taken for clusters. Where that happened, what rests on it is at most a warning and
 * says what would make it certain: two objects of the files that belong to no cluster, and a removal of which a copy stays.
 */
function withDoubt(draft: Draft, { clusters, head }: Evidence): Draft {
  if (!clusters.assumed || draft.level === 'notice') return draft
  const paths = [...new Set(draft.ends.map((end) => end.manifest.origin.path))]
  const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))
  if (draft.active.rule.scope !== 'change') {
    if (draft.cluster !== '' || folders.size < 2) return draft
    return weakened(
      draft,
      `Whether both reach one cluster is not certain: declare \`clusters: {<name>: {paths: [${globsFor(folders)}]}}\` in the config.`,
    )
  }
  const removed = draft.ends[0]?.manifest
  if (
    !removed ||
    clusters.of(removed.origin.path).evidence === 'declared' ||
    clusters.of(removed.origin.path).evidence === 'layout'
  )
    return draft
  const copies = [...head.values()].flatMap((snapshot) => snapshot.get(removed.ref))
  if (copies.length === 0) return draft
  const places = [...new Set(copies.map((copy) => copy.origin.path))].sort()
  return weakened(
    draft,
    `A copy stays in ${places.slice(0, 3).join(', ')}${places.length > 3 ? ` and ${places.length - 3} more` : ''}. If that is another cluster's, declare \`clusters: {<name>: {paths: [${globsFor(folders)}]}}\` in the config, and this is an error.`,
  )
}

function weakened(draft: Draft, why: string): Draft {
  return { ...draft, level: 'warning', text: `${draft.text} ${why}` }
}

function globsFor(folders: ReadonlySet<string>): string {
  return [...folders].map((folder) => JSON.stringify(`${folder}**`)).join(', ')
}

/** Compares the two sides by fingerprint: what the head has more of is introduced, what it has less of is resolved. */
function statused(base: readonly Draft[], head: readonly Draft[], placing: Placing, mode: Report['mode']): Finding[] {
  if (mode === 'all') return head.map((draft) => findingOf(draft, 'existing', placing))
  const left = new Map<string, Draft[]>()
  const knownKeys = new Map<string, Set<string>>()
  for (const draft of base) {
    const fingerprint = fingerprintOf(draft)
    left.set(fingerprint, [...(left.get(fingerprint) ?? []), draft])
    const keys = knownKeys.get(subjectOf(draft)) ?? new Set<string>()
    for (const key of draft.keys) keys.add(key)
    knownKeys.set(subjectOf(draft), keys)
  }
  const findings = head.map((draft) => {
    const same = left.get(fingerprintOf(draft))?.pop()
    const known = knownKeys.get(subjectOf(draft))
    const partOfOld = draft.keys.length > 1 && draft.keys.every((key) => known?.has(key))
    return findingOf(draft, same || partOfOld ? 'existing' : 'introduced', placing)
  })
  const resolved = [...left.values()].flat().map((draft) => findingOf(draft, 'resolved', placing))
  return [...findings, ...resolved]
}
