import type { Static, TSchema } from 'typebox'
import type { Snapshot } from '../cluster/snapshot'
import type { Change, Move } from '../manifest/change'
import type { Cursor } from '../manifest/cursor'
import type { GroupKind, Manifest } from '../manifest/manifest'
import type { Region } from '../region'

/** A text replacement that fixes a finding. */
export interface Fix {
  readonly edits: readonly { readonly path: string; readonly region: Region; readonly newText: string }[]
}

type Args = Record<string, string | number>
// biome-ignore lint/suspicious/noExplicitAny: each message declares its own arguments; `any` lets every such function in
type Messages = Record<string, (args: any) => string>

/**
 * Reports a finding.
 *
 * @param at the cursors that were read, in the rule's order: one for each object the statement is about
 * @param keys the subject of the statement (a host, a Secret's name), which keeps the fingerprint stable; never a line,
 * a list index or a path
 * @param subject the subject of the statement, where an object that is renamed is no new one: a product and its release
 * @param before the message that versions of the policy have in its place, from before it was added
 * @param value the path of a chart's value that decides the first cursor, if a chart renders it: `controller.kind`
 */
export type ReportFunction<M extends Messages> = <Id extends keyof M & string>(
  at: Cursor | readonly Cursor[],
  message: Id,
  args: Parameters<M[Id]>[0] & Args,
  more?: { keys?: readonly string[]; fix?: Fix; value?: string; subject?: string; before?: keyof M & string },
) => void

/** The input of every rule, apart from the objects it judges. */
interface Context<M extends Messages, P extends TSchema> {
  readonly params: Static<P>
  readonly report: ReportFunction<M>
  /** Lists something as not inspected that could not be judged (it is encrypted, or a tool fills it in). */
  readonly skip: (at: Cursor, reason: string) => void
  /** Whether the change wrote the object, so that advice goes to its author; false if a whole revision is judged. */
  readonly isWritten: (manifest: Manifest) => boolean
  /** Whether the change adds the object, so that none of its fields is in a cluster yet; false as for `isWritten`. */
  readonly isAdded: (manifest: Manifest) => boolean
  /** The day of the run, YYYY-MM-DD. */
  readonly today: string
}

/** `changed`: a line that was changed or added, too; `nothing`: the removal is wanted, and asks for a further change. */
export type PutBack = 'changed' | 'nothing'

/** Objects of some kinds; where there are marks, those that contain one. */
export interface Subjects {
  readonly kinds: readonly GroupKind[]
  readonly marks?: readonly string[]
}

interface CommonRule<M extends Messages, P extends TSchema> {
  /** `policy/what-must-hold`; also the path of the rule's file and page. */
  readonly id: string
  /** One sentence: the state in which the rule reports nothing. */
  readonly summary: string
  /** The first version of the policy that has the rule. */
  readonly since: string
  /** The kinds the rule judges; every kind for `*`. */
  readonly kinds: readonly GroupKind[] | '*'
  /** Further kinds it has to see for that. */
  readonly reads?: readonly GroupKind[]
  /**
   * Whether it also judges assumed objects: the Ingresses that remote charts are assumed to create from their values.
   * With `since`, changes of other objects are judged for them, too, from that version of the policy on; before it, none
   * are, or their own.
   */
  readonly assumed?: true | { readonly since: string; readonly before?: 'own' }
  readonly params?: P
  /** Two sentences each: what is wrong, with the names in it; what to do. */
  readonly messages: M
  /**
   * The messages that were added later, with the first version of the policy that has them: earlier versions do not
   * report them.
   */
  readonly later?: Partial<Record<keyof M & string, string>>
  /** Messages that were reworded later, and the version of the policy with the new wording. */
  readonly until?: Partial<Record<keyof M & string, string>>
  /**
   * Messages that state the same as another one with less weight: what is left of a finding with the other one, and has
   * the milder message, is no news.
   */
  readonly milder?: Partial<Record<keyof M & string, keyof M & string>>
  /** The messages for which a fix does not just put back the lines and items that the change removed. */
  readonly putBack?: Partial<Record<keyof M & string, PutBack>>
  /**
   * Strings that an object must contain to be this one's partner: files without any of them are not parsed.
   *
   * @param isGone whether the change may take the object away
   * @param isTouched whether the change touches it; otherwise it is a partner of another object
   */
  partners?(manifest: Manifest, params: Static<P>, isGone: boolean, isTouched: boolean): Iterable<string>
  /**
   * The objects without which it has nothing to state: any other object matters only as a partner of one of them. If a
   * change touches none, they are looked for first, and its other partners only where one is found.
   */
  readonly subjects?: readonly Subjects[]
  /** Whether it needs only the partners of touched objects, and not those of partners. */
  readonly direct?: true
  /**
   * The kinds that the partners of an object are of, where they are fewer than those of the rule, or that is on every
   * kind: no others are rendered for it.
   */
  partnerKinds?(manifest: Manifest): readonly GroupKind[] | undefined
  /**
   * Those kinds of partners that are in the namespace of an object, or name it: no source that gives its objects another
   * namespace, and does not name this one, is rendered for them.
   */
  nearKinds?(manifest: Manifest): readonly GroupKind[]
}

interface ManifestRule<M extends Messages, P extends TSchema> extends CommonRule<M, P> {
  /** Reads one object. */
  readonly scope: 'manifest'
  check(context: Context<M, P> & { manifest: Manifest }): void
}

interface SnapshotRule<M extends Messages, P extends TSchema> extends CommonRule<M, P> {
  /** Reads objects of one cluster together; called for each object of `kinds`. */
  readonly scope: 'snapshot'
  /** Those that `checkChange` asks for, for changes of `kinds`. */
  readonly names?: NamesInText
  check(context: Context<M, P> & { manifest: Manifest; snapshot: Snapshot }): void
  /**
   * Checks a change in addition, for faults that only the comparison of two sides shows; called for objects of `kinds`
   * and `reads`.
   *
   * @param context `isUsed`: whether an untouched file of the cluster uses one of its `names`
   */
  checkChange?(context: Context<M, P> & ChangeInCluster & { isUsed: (name: string) => boolean }): void
}

/** One change, in the snapshots of both sides. */
export interface ChangeInCluster {
  readonly change: Change
  readonly base: Snapshot
  readonly head: Snapshot
}

/** Names whose users may be in any file that a change does not touch: they are looked for in its text. */
export interface NamesInText {
  /** The names on which the statement about a change depends; none in nearly all cases, as the search takes long. */
  of(change: ChangeInCluster): Iterable<string>
  isUsedIn(text: string, name: string): boolean
  /** Whether the text of a file that the change touches makes an object of the name: it may be one that nothing deploys yet. */
  isMadeIn?(text: string, name: string): boolean
}

interface ChangeRule<M extends Messages, P extends TSchema> extends CommonRule<M, P> {
  /** Reads both sides; called for each changed object of `kinds`. */
  readonly scope: 'change'
  readonly names?: NamesInText
  /** @param context `isUsed`: whether an untouched file of the cluster uses one of its `names` */
  check(context: Context<M, P> & ChangeInCluster & { isUsed: (name: string) => boolean }): void
  /** Checks objects of `kinds` that another file or another source deploys to their cluster after the change. */
  checkMove?(context: Context<M, P> & { move: Move; base: Snapshot; head: Snapshot }): void
}

interface RemovalRule<M extends Messages, P extends TSchema> extends CommonRule<M, P> {
  /** Checks a removal: called for each object of `kinds` that has no copy left in its cluster. */
  readonly scope: 'removal'
  /** The rules that take precedence when they report the same object. */
  readonly yieldsTo?: readonly string[]
  check(context: Context<M, P> & { removed: Manifest; base: Snapshot; head: Snapshot }): void
  /** Checks objects that stay but lose their effect; they have their partners loaded too. */
  checkChange?(context: Context<M, P> & { change: Change; base: Snapshot; head: Snapshot }): void
}

type AnyRule<M extends Messages, P extends TSchema> =
  | ManifestRule<M, P>
  | SnapshotRule<M, P>
  | ChangeRule<M, P>
  | RemovalRule<M, P>

/** A rule of any messages and parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the engine runs rules of every message and parameter type
export type Rule = AnyRule<any, any>

/**
 * Ties a rule's messages and params to the functions that use them, so that a wrong id or argument does not compile.
 */
export function defineRule<const M extends Messages, P extends TSchema>(rule: AnyRule<M, P>): Rule {
  return rule
}
