import { closest } from '../closest'
import type { UnsetVariable } from '../manifest/manifest'
import type { ReplacedHolder, Source } from '../sources/source'
import type { OpenVariable } from '../sources/substitution'

/**
 * The variables in an object that Flux replaces by nothing, because nothing sets them, as its origin has them. Without a
 * single variable Flux replaces none.
 *
 * @param open the variables in it without a known value
 */
export function unsetOf(open: readonly OpenVariable[], source: Source): { unset?: readonly UnsetVariable[] } {
  if (source.kind !== 'kustomize') return {}
  const { variables: set = [], replacedHolders = [] } = source
  const unset = set.length === 0 ? [] : open.filter(({ name }) => !set.includes(name))
  return unset.length === 0
    ? {}
    : { unset: unset.map((one) => ({ ...one, ...withLike(one.name, set), ...replacedIn(replacedHolders, one.name) })) }
}

/** With the variable that may be meant: its name in other letters, or nearly the same. */
function withLike(name: string, set: readonly string[]): UnsetVariable {
  const like = set.find((one) => one.toLowerCase() === name.toLowerCase()) ?? closest(name, set)
  return like === undefined ? { name } : { name, like }
}

function replacedIn(holders: readonly ReplacedHolder[], name: string): Pick<UnsetVariable, 'replaced'> {
  const replaced = holders.filter(({ variables }) => variables?.includes(name) ?? true).map(({ title }) => title)
  return replaced.length === 0 ? {} : { replaced }
}
