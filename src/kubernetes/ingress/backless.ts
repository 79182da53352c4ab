import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** The fields of filters that answer requests in place of a backend, or may. */
const answering = ['extensionRef', 'requestRedirect']

/**
 * The rules of a route that come to have no backend for requests that had one. Source: Gateway API 1.6.1,
 * apis/v1/httproute_types.go, BackendRefs, and the Gateways that implement it: all of them answer with an error.
 *
 * @param before a route whose rules are all made for it, as charts do, has none
 */
export function backlessRules(before: Manifest, after: Manifest): Cursor[] {
  const [was, is] = [before, after].map(({ root }) => [...root.at('spec', 'rules').items()])
  const [served, bare] = [isAnswered, isBare].map((has) => new Set((was ?? []).filter(has).map(matchesOf)))
  const isLost = (matches: string) => was?.length === 0 || (served?.has(matches) && !bare?.has(matches))
  return (is ?? []).filter((rule) => isBare(rule) && isLost(matchesOf(rule)))
}

function isAnswered(rule: Cursor): boolean {
  const [backends, filters] = [[...rule.at('backendRefs').items()], [...rule.at('filters').items()]]
  return backends.length > 0 || filters.some((filter) => answering.some((field) => filter.at(field).exists))
}

function isBare(rule: Cursor): boolean {
  return !isAnswered(rule)
}

/** The requests that a rule takes; without matches it takes all. */
function matchesOf(rule: Cursor): string {
  return JSON.stringify(rule.at('matches').value ?? null)
}
