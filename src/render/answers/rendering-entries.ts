import type { AskedRendering } from '../stub-cluster/ask-helm'
import type { Piece } from '../tools/rendering'
import type { AnsweredRendering } from './helm-answers'

/** The form in which the result of a rendering is kept. */
export interface RenderingEntry<T> {
  /** The result without a tool. */
  readonly none: T
  /** Undefined for a result that is not kept. */
  readonly written: (result: T) => readonly Piece[] | undefined
  readonly read: (pieces: readonly Piece[]) => T
}

/** The first piece has the data besides the pieces. */
const name = 'ingress-guard/asked'

export const answeredEntry: RenderingEntry<AnsweredRendering> = {
  none: { pieces: undefined, refused: [], questions: [] },
  written: ({ pieces, refused, questions }) =>
    refused.length > 0 || !pieces
      ? undefined
      : [{ path: '', template: name, text: JSON.stringify({ questions }) }, ...pieces],
  read: ([first, ...pieces]) => ({ pieces, refused: [], questions: headIn(first).questions }),
}

export const askedEntry: RenderingEntry<AskedRendering> = {
  none: { questions: [], fault: 'stopped' },
  written: (result) => {
    if ('fault' in result && result.fault !== 'refused') return undefined
    const reason = 'fault' in result ? result.reason : undefined
    const text = JSON.stringify({ isRefused: 'fault' in result, questions: result.questions, reason })
    return [{ path: '', template: name, text }, ...('pieces' in result ? result.pieces : [])]
  },
  read: ([first, ...pieces]) => {
    const { isRefused, questions, reason } = headIn(first)
    return isRefused ? { questions, fault: 'refused', ...(reason && { reason }) } : { questions, pieces }
  },
}

interface Head {
  readonly questions: readonly string[]
  readonly isRefused?: boolean
  readonly reason?: string
}

function headIn(first: Piece | undefined): Head {
  return JSON.parse(first?.text ?? '{"questions":[]}') as Head
}
