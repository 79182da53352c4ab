import { append } from '../../append'
import type { Cursor } from '../../manifest/cursor'
import { namesCovering } from './ingress'

/** The names in TLS entries, each with what has it, to be looked up by host: an Ingress may have thousands of both. */
export class ListedNames<Holder> {
  private readonly byName = new Map<string, { readonly index: number; readonly holder: Holder }[]>()

  constructor(names: Iterable<readonly [name: Cursor, holder: Holder]>) {
    let index = 0
    for (const [{ string }, holder] of names) {
      if (string) append(this.byName, string.toLowerCase(), { index, holder })
      index += 1
    }
  }

  /** What has a name that covers a host, in the order of the names. */
  covering(host: string): Holder[] {
    return this.under(namesCovering(host))
  }

  /** What has the host itself as a name. */
  exactly(host: string): Holder[] {
    return this.under([host])
  }

  private under(names: readonly string[]): Holder[] {
    const found = names.flatMap((name) => this.byName.get(name) ?? []).sort((a, b) => a.index - b.index)
    return [...new Set(found.map(({ holder }) => holder))]
  }
}
