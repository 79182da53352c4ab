import { closest } from '../closest'
import type { UnsetVariable } from '../manifest/manifest'
import type { Source } from '../sources/source'

/** The variables in an object that nothing sets, as its origin has them. */
export function unsetOf(names: readonly string[], source: Source): { unset?: readonly UnsetVariable[] } {
  if (names.length === 0) return {}
  const set = (source.kind === 'kustomize' && source.variables) || []
  return { unset: names.map((name) => withLike(name, set)) }
}

/** With the variable that may be meant: its name in other letters, or nearly the same. */
function withLike(name: string, set: readonly string[]): UnsetVariable {
  const like = set.find((one) => one.toLowerCase() === name.toLowerCase()) ?? closest(name, set)
  return like === undefined ? { name } : { name, like }
}
