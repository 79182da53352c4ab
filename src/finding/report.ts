import type { ClusterOwnership } from '../kubernetes/controllers/controller-ownership'
import type { Coverage } from '../ledger/coverage'
import type { LedgerEntry } from '../ledger/entry'
import type { ObjectRef, RenderedSource, Side } from '../manifest/manifest'
import type { PlacedException } from '../policy/config'
import type { ResolvedPolicy } from '../policy/policy'
import type { Exception, FailOn, Level, NotJudged } from '../policy/schema'
import type { Region } from '../region'
import type { Fix } from '../rule/rule'
import type { Bump } from './bump'
import type { Patch } from './edited-text'
import type { Timings } from './timings'

/** The precision of a place: the exact line, a template's line, a line of values, or only the file. */
export type Precision = 'exact' | 'template' | 'values' | 'file'

/** A few lines of a file, for showing a place to a reader. */
export interface Excerpt {
  readonly startLine: number
  readonly lines: readonly string[]
}

/** A place in rendered output, before its origin is known. */
export interface RenderedPlace {
  /** The source's id. */
  readonly id: string
  /** As helm names it; empty for a Kustomization's object. */
  readonly template: string
  /** The lines of the rendered piece, and where in them the place is. */
  readonly text: string
  readonly line: number
  readonly object: ObjectRef
  /** The keys that lead to it in the object. */
  readonly keys: readonly (string | number)[]
  /** The value of the chart that decides it, by its path. */
  readonly value?: string
  /** The text is that of the file itself. */
  readonly isWritten?: true
}

/** A place that a reader can open. */
export interface Location {
  readonly side: Side
  readonly path: string
  readonly region: Region
  readonly precision: Precision
  /** Its relation to the finding; set on related places, and where a file is deleted. */
  readonly note?: string
  readonly excerpt?: Excerpt
  /** This change wrote the line. */
  readonly changed?: boolean
  /** Set where it is a place of a rendering: `path` is then the file that is known without looking further. */
  readonly rendered?: RenderedPlace
}

/** The origin of an object, and the cluster it goes to. */
export type FindingSource = ({ readonly kind: 'file'; readonly path: string } | RenderedSource) & {
  readonly cluster: string
}

/** `introduced` by this change, `existing` before it, or `resolved` by it. */
export type Status = 'introduced' | 'existing' | 'resolved'

/** A statement of a rule, or of the gate itself (`source/*`, `config/*`), about one object at one place. */
export interface Finding {
  readonly rule: string
  readonly message: string
  readonly text: string
  readonly level: Level
  readonly status: Status
  /** None for `source/*` and `config/*`. */
  readonly policy: { readonly name: string; readonly version: string } | null
  readonly cluster: string
  /** The object of the location; none where no object could be read. */
  readonly object: ObjectRef | null
  /** The objects of findings that were merged into this one, because they have its cause. */
  readonly likewise?: readonly ObjectRef[]
  /** The objects of every end, that one included. */
  readonly objects: readonly ObjectRef[]
  readonly sources: readonly FindingSource[]
  readonly location: Location
  readonly related: readonly Location[]
  /** The lines of the rendering that the finding is about, where it is about a rendered object. */
  readonly rendered?: Excerpt
  readonly keys: readonly string[]
  readonly fix?: Fix
  readonly fingerprint: string
  readonly exception?: { readonly reason: string; readonly expires: string }
  /** The exception that covered it until it expired, and the line of the config that it begins at. */
  readonly expired?: Omit<Exception, 'expires'> & { readonly line: number }
  /** Statements of other rules about the same cause. */
  readonly also?: readonly Consequence[]
}

/** The statement of a rule about a cause that another rule's finding reports. */
export type Consequence = Pick<Finding, 'rule' | 'message' | 'text' | 'level' | 'policy' | 'fingerprint'>

/** The inspected parts of one revision. */
export interface Inspected {
  /** The name of the revision in messages. */
  readonly revision: string
  /** Files that can hold manifests. */
  readonly files: number
  /** Files and other sources that were read and hold manifests. */
  readonly sources: number
  /** The number of rendered sources. */
  readonly rendered: number
  /** Objects that were read. */
  readonly manifests: number
}

/** A place that was not judged, or not wholly, and why. */
export interface Skipped {
  readonly path: string
  readonly reason: string
  /** The id of its cause, by which reports group such places. */
  readonly cause?: string
}

/** The result of a run, from which every format is written. */
export interface Report {
  readonly format: 1
  readonly verdict: 'pass' | 'fail'
  /** The lowest level that fails. */
  readonly failOn: FailOn
  /** The day exceptions were judged by, YYYY-MM-DD. */
  readonly today: string
  /** Whether a change was judged, or one revision whole. */
  readonly mode: 'change' | 'all'
  readonly policies: readonly ResolvedPolicy[]
  /** The parts of the config in force that readers need. */
  readonly config: {
    /** The file; null where there is none. */
    readonly path: string | null
    readonly ignore: readonly string[]
    /** The exceptions that have not expired. */
    readonly exceptions: readonly Exception[]
  }
  readonly inspected: {
    readonly base: Inspected | null
    readonly head: Inspected
    readonly changes: { readonly added: number; readonly changed: number; readonly removed: number }
    /** The tools that rendered. */
    readonly tools: readonly { readonly name: string; readonly version: string }[]
    /** The confinement of the tools to the revision, if the machine supports it. */
    readonly confinement?: 'no-network'
    readonly skipped: readonly Skipped[]
    /** Every file that the change adds, changes or removes; none where a revision is judged whole. */
    readonly files?: readonly LedgerEntry[]
    /** The releases with another version of their chart, and the changes that it brings; none if no chart changed. */
    readonly bumps?: readonly Bump[]
    /** The seen part of a revision that is judged whole; none if a change is judged. */
    readonly coverage?: Coverage
  }
  readonly findings: readonly Finding[]
  /** The files that the fixes of the findings edit, where these were verified. */
  readonly patches?: readonly Patch[]
  /** All clusters, if only these were asked for; those that are judged together in one list. */
  readonly clusters?: readonly (readonly string[])[]
  /** Set where only some clusters were judged. */
  readonly shard?: ReportShard
  /** How long each part of the run took, if that was requested. */
  readonly timings?: Timings
  /** Set when the time ran out before everything was judged: the unfinished step, and its file. */
  readonly unfinished?: { readonly minutes: number; readonly doing: string; readonly path: string | null }
  /** The Ingresses that each controller serves, if the change touches a controller or an IngressClass. */
  readonly claims: readonly ClusterOwnership[]
}

/** What a report is built from; data only. */
export interface ReportParts extends Pick<Report, 'mode' | 'inspected' | 'claims'> {
  /** The statements of rules, each at its own place. */
  readonly findings: readonly Finding[]
  /** The statements of the gate itself. */
  readonly given: readonly Finding[]
}

/** The policies, exceptions and date that a report is built with; data only. */
export interface ReportTerms {
  /** The version of ingress-guard. */
  readonly tool?: string
  readonly policies: readonly ResolvedPolicy[]
  readonly exceptions: readonly PlacedException[]
  readonly exceptionsPath: string | undefined
  readonly ignore: readonly string[]
  /** The level of changed files that are not judged. */
  readonly notJudged?: NotJudged
  readonly failOn: FailOn
  /** YYYY-MM-DD */
  readonly today: string
}

/** The objects that were read of a file or rendering, as identities with lines. */
export interface ReadObjects {
  readonly of: string
  readonly isRendered: boolean
  readonly objects: readonly string[]
}

/** What a report of some clusters covers, and what it is built from. */
export interface ReportShard {
  /** Identify the content of both sides. */
  readonly revisions: { readonly base: string | null; readonly head: string }
  /** All clusters of both sides; those that are judged together in one list. */
  readonly all: readonly (readonly string[])[]
  /** The first names of the lists that this report covers. */
  readonly judged: readonly string[]
  readonly read: { readonly base: readonly ReadObjects[]; readonly head: readonly ReadObjects[] }
  /** The number of changed files, whichever report accounts for them. */
  readonly changedFiles: number
  readonly terms: ReportTerms
  readonly parts: ReportParts
}

/** The findings that decide the verdict: in a change, those that it introduces and that no exception covers. */
export function countsFor(finding: Finding, mode: Report['mode']): boolean {
  if (finding.exception) return false
  return finding.status === 'introduced' || (mode === 'all' && finding.status === 'existing')
}

const severity: Record<Level, number> = { error: 3, warning: 2, notice: 1 }

/** Higher for a level that is worse. */
export function severityOf(level: Level): number {
  return severity[level]
}

/** Whether a level is among those that fail. */
export function reaches(level: Level, failOn: FailOn): boolean {
  return failOn !== 'never' && severity[level] >= severity[failOn]
}
