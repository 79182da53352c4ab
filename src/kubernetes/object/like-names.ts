import { oneEditFrom } from '../../closest'
import { gitOpsKind } from '../../gitops/kinds'
import type { GroupKind } from '../../manifest/manifest'

/**
 * Whether one name is probably meant by another: it is one edit away, or has one part more or less of at least three. Names that
 * differ by their digits are two of a row.
 */
export function isLikeName(given: string, name: string): boolean {
  const [a, b] = [given, name].map((one) => one.replace(/\d+/g, '0'))
  if (a === b) return false
  const isShort = (one: string) => one.split('-').length < 2
  const isLess = (one: string, other: string) => !isShort(one) && withoutOnePart(other).includes(one)
  return oneEditFrom(given, [name]) !== undefined || isLess(name, given) || isLess(given, name)
}

/** Strings of which each name that is like a given one contains at least one, as far as they are few. */
export function* partsOfLikeNames(given: string, kind: GroupKind): Iterable<string> {
  yield* withoutOnePart(given).filter((one) => one.includes('-'))
  // Kustomizations of Flux are few; other objects that contain a part of a name are many.
  if (kind === gitOpsKind.fluxKustomization && given.length >= 8) {
    const middle = given.length >> 1
    yield* [given.slice(0, middle), given.slice(middle)]
  }
}

/** `web-api` of `web-shop-api`. */
function withoutOnePart(name: string): string[] {
  const parts = name.split('-')
  return parts.map((_, index) => parts.toSpliced(index, 1).join('-'))
}
