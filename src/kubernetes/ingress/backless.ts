import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** The filters that answer requests in place of a backend, or may. */
const answering: readonly (string | undefined)[] = ['ExtensionRef', 'RequestRedirect']

/**
 * The rules of a route that come to have no backend for requests that had one. Source: Gateway API 1.6.1,
 * apis/v1/httproute_types.go, BackendRefs, and the Gateways that implement it: all of them answer with an error.
 *
 * @param before a route whose rules are all made for it, as charts do, has none
 */
export function backlessRules(before: Manifest, after: Manifest): Cursor[] {
  const [was, is] = [before, after].map(({ root }) => [...root.at('spec', 'rules').items()])
  const served = new Set((was ?? []).filter(isAnswered).map(matchesOf))
  const isServed = (rule: Cursor) => was?.length === 0 || served.has(matchesOf(rule))
  return (is ?? []).filter((rule) => !isAnswered(rule) && isServed(rule))
}

function isAnswered(rule: Cursor): boolean {
  const [backends, filters] = [[...rule.at('backendRefs').items()], [...rule.at('filters').items()]]
  return backends.length > 0 || filters.some((filter) => answering.includes(filter.at('type').string))
}

/** The requests that a rule takes; without matches it takes all. */
function matchesOf(rule: Cursor): string {
  return JSON.stringify(rule.at('matches').value ?? null)
}
