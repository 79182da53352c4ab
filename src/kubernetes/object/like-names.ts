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
  return oneEditFrom(given, [name]) !== undefined || differByOnePart(given, name)
}

/** Whether one of two names has one part more than the other, of at least three: `web-tls` and `web-dev-tls`. */
export function differByOnePart(one: string, other: string): boolean {
  const isLess = (short: string, long: string) => short.includes('-') && withoutOnePart(long).includes(short)
  return isLess(one, other) || isLess(other, one)
}

/** Strings to look for names that are like a given one by: each such name contains one of them, as far as they are few. */
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

/** Whether a name has the same parts in another order, or one part more or less: `web-main-api` and `web-api-main`. */
export function hasLikeParts(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.split('-').sort().join('-'))
  return a === b || differByOnePart(one, other)
}
