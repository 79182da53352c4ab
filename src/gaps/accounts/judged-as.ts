import type { Account } from '../../ledger/entry'
import type { LoadedObject } from '../../manifest/load'
import { nameOf } from '../../manifest/manifest'

/** The account of a file by the objects that are written in it. */
export function objectsAccount(objects: readonly LoadedObject[], sources: readonly string[] = []): Account | undefined {
  if (objects.length === 0) return undefined
  const names = [...new Set(objects.map(({ ref }) => nameOf(ref)))]
  return judgedAs(names, sources)
}

/** The account of a file that was judged as some objects, through some sources. */
export function judgedAs(objects: readonly string[], sources: readonly string[]): Account {
  const through = sources.length > 0 ? 'its objects are rendered and judged' : 'its objects are judged'
  return { state: 'judged', reason: through, objects, ...(sources.length > 0 ? { sources } : {}) }
}
