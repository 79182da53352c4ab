import type { ObjectRef } from '../../manifest/manifest'
import { skimIdentities } from '../../manifest/skim'
import type { MayHold } from './may-hold'
import { WordSearch } from './word-search'

/** What was found in the texts and sources in which partners are looked for: all trials of a change share nearly all of theirs. */
export class PartnerSearch {
  readonly words = new WordSearch()
  private readonly known = new Map<string, Promise<MayHold>>()
  private readonly identities = new Map<string, readonly ObjectRef[]>()

  /** @param key identifies the source with its files; undefined for one that is not known again */
  mayHold(key: string | undefined, find: () => Promise<MayHold>): Promise<MayHold> {
    const found = (key !== undefined && this.known.get(key)) || find()
    if (key !== undefined) this.known.set(key, found)
    return found
  }

  /** The identities of the objects in a file. */
  identitiesIn(text: string): readonly ObjectRef[] {
    const found = this.identities.get(text) ?? skimIdentities(text)
    this.identities.set(text, found)
    return found
  }
}
