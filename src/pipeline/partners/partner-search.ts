import type { MayHold } from './may-hold'
import { WordSearch } from './word-search'

/** The texts and sources in which partners were looked for: all trials of a change share nearly all of theirs. */
export class PartnerSearch {
  readonly words = new WordSearch()
  private readonly known = new Map<string, Promise<MayHold>>()

  /** @param key identifies the source with its files; undefined for one that is not known again */
  mayHold(key: string | undefined, find: () => Promise<MayHold>): Promise<MayHold> {
    const found = (key !== undefined && this.known.get(key)) || find()
    if (key !== undefined) this.known.set(key, found)
    return found
  }
}
