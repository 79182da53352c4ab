import { GuardError } from '../errors'
import type { Side } from '../manifest/manifest'
import type { Region } from '../region'

/** The outcome for a changed file. */
export type FileState = 'judged' | 'input' | 'described' | 'not-kubernetes' | 'not-deployed' | 'not-judged'

/** The kind of change to a file. */
export type FileChange = 'added' | 'changed' | 'removed'

/** The first changed line of a file that is not judged, for the finding about it. */
export interface ChangedPlace {
  readonly side: Side
  /** Another file than the changed one, which names the cause. */
  readonly path?: string
  readonly region: Region
  readonly excerpt: { readonly startLine: number; readonly lines: readonly string[] }
}

/** The account of one changed file: its state, and why. */
export interface Account {
  readonly state: FileState
  /** The id of the cause, if the file was not judged. */
  readonly cause?: string
  readonly reason: string
  /** The remedy, if the cause alone does not show it. */
  readonly remedy?: string
  /** Only the base has the part that is not seen: the change removes it. */
  readonly isGone?: true
  /** SOPS encrypted its values: no tool reads them without its key. */
  readonly isEncrypted?: boolean
  /** The tool that takes it, if the gate does not run that tool. */
  readonly tool?: string
  /** The objects it was judged as: `Ingress shop/web`. */
  readonly objects?: readonly string[]
  /** The releases and Kustomizations through which it was judged. */
  readonly sources?: readonly string[]
  /** A finding of `source/unrendered` or `source/unreadable` states the cause already. */
  readonly reported?: true
  /** The kinds of the assumed objects of its values that are judged. */
  readonly assumed?: readonly string[]
  /** The change touches routes, TLS or permissions, as far as its text shows, or an ingress controller. */
  readonly weighs?: boolean
  readonly place?: ChangedPlace
  /** The subject of the cause: two subjects of one cause are two findings. */
  readonly about?: string
}

/** A file that the change adds, changes or removes, with its account. */
export interface LedgerEntry extends Account {
  readonly path: string
  readonly change: FileChange
  /** Its new path in the same folder, if it is removed there under its old name only. */
  readonly renamedTo?: string
}

/** The facts that one part of the run has about a changed file; undefined if it has none. */
export type Witness = (path: string) => Account | undefined

/**
 * Gives each changed file one entry, by the first witness that knows it.
 *
 * @throws GuardError `internal`, for a file that none knows
 */
export function accountFor(changed: ReadonlyMap<string, FileChange>, witnesses: readonly Witness[]): LedgerEntry[] {
  return [...changed].sort(byPath).map(([path, change]) => {
    for (const witness of witnesses) {
      const account = witness(path)
      if (account) return { path, change, ...account }
    }
    throw new GuardError(
      'internal',
      'No step of the run accounts for this changed file, so whether it was judged is unknown. This is a bug of ingress-guard: please report it.',
      { path },
    )
  })
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
