import type { AskedRendering } from './ask-helm'
import type { AnsweredRendering } from './helm-answers'
import type { Piece } from './rendering'

/** How the result of a rendering is kept as its pieces. */
export interface Entry<T> {
  /** Where there is no tool. */
  readonly none: T
  /** Nothing for what is not kept. */
  readonly written: (result: T) => readonly Piece[] | undefined
  readonly read: (pieces: readonly Piece[]) => T
}

/** What is kept besides the pieces is in the first one. */
const name = 'ingress-guard/asked'

export const answeredEntry: Entry<AnsweredRendering> = {
  none: { pieces: undefined, refused: [] },
  written: ({ pieces, refused }) => (refused.length > 0 ? undefined : pieces),
  read: (pieces) => ({ pieces, refused: [] }),
}

export const askedEntry: Entry<AskedRendering> = {
  none: { questions: [], fault: 'stopped' },
  written: (result) => {
    if ('fault' in result && result.fault !== 'refused') return undefined
    const text = JSON.stringify({ questions: result.questions, isRefused: 'fault' in result })
    return [{ path: '', template: name, text }, ...('pieces' in result ? result.pieces : [])]
  },
  read: ([first, ...pieces]) => {
    const { questions, isRefused } = JSON.parse(first?.text ?? '{}') as { questions: string[]; isRefused: boolean }
    return isRefused ? { questions, fault: 'refused' } : { questions, pieces }
  },
}
