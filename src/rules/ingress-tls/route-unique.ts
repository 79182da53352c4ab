import { ClaimPairs } from '../../kubernetes/ingress/claim-pairs'
import { parentsOf } from '../../kubernetes/ingress/gateway-route'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { comparableName, startsWritten } from '../../kubernetes/ingress/placeholder'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const kinds: readonly GroupKind[] = ['HTTPRoute.gateway.networking.k8s.io', 'GRPCRoute.gateway.networking.k8s.io']

/** A match of a route for one hostname at one listener. */
interface Claim {
  readonly hostname: Cursor
  /** What the rule of the match does with a request, as JSON. */
  readonly outcome: string
}

const pairs = new ClaimPairs<Claim>(claimsOf, (_route, { outcome }) => outcome, {
  kinds,
  among: ({ ref }) => groupKindOf(ref),
})

export default defineRule({
  id: 'ingress-tls/route-unique',
  summary: 'No two routes claim the same requests of one listener for different Services.',
  since: '1.14.0',
  scope: 'snapshot',
  kinds,
  messages: {
    // Source: Gateway API 1.6.1, apis/v1/httproute_types.go, HTTPRouteRule, Matches: of equal matches the oldest route by
    // its creation counts, then the first by namespace and name.
    twice: ({ first, second, hosts }: { first: string; second: string; hosts: string }) =>
      `${first} and ${second} both match the same requests for ${hosts} at the same listener: the older route gets all of them and the other none, and the files do not show which is older. Correct the hostname in one of them, or remove the match.`,
  },
  *partners(manifest) {
    for (const { hostname } of pairs.claimsOf(manifest).values()) if (hostname.string) yield hostname.string
  },
  check({ manifest, snapshot, report }) {
    for (const other of pairs.partnersOf(manifest, snapshot)) {
      const shared = pairs.shared(manifest, other)
      const [at, there] = [manifest, other].map((route) =>
        shared.flatMap((claim) => pairs.claimsOf(route).get(claim)?.hostname ?? []),
      )
      const hosts = [...new Set(at?.map(({ string = '' }) => comparableName(string)))]
      // One name in two namespaces is one application in two environments, each with variables of its own.
      const written = hosts.filter((host) => !isPlaceholder(host) || manifest.ref.name !== other.ref.name)
      const [first, second] = [at, there].map((one) =>
        one?.find(({ string = '' }) => written.includes(comparableName(string))),
      )
      if (!first || !second) continue
      const names = { first: nameOf(manifest.ref), second: nameOf(other.ref), hosts: abridged(written) }
      report([first, second], 'twice', names, { keys: written })
    }
  },
})

/** Each match of a route, for each of its hostnames at each listener that it names. */
function claimsOf(route: Manifest): Map<string, Claim> {
  const claims = new Map<string, Claim>()
  const spec = route.root.at('spec')
  const hostnames = [...spec.at('hostnames').items()].filter(({ string }) => string && isOneName(string))
  for (const { name, namespace, sectionName, port } of parentsOf(route) ?? []) {
    for (const hostname of hostnames) {
      for (const { match, outcome } of matchesOf(route)) {
        const claim = JSON.stringify([
          [namespace, name.string, sectionName.string, port],
          comparableName(hostname.string ?? ''),
          match,
        ])
        if (!claims.has(claim)) claims.set(claim, { hostname, outcome })
      }
    }
  }
  return claims
}

/** Whether a hostname is one name: written out, or a name of its own in a domain that is a variable. */
function isOneName(hostname: string): boolean {
  return !isPlaceholder(hostname) || startsWritten(hostname)
}

/** The path of a match without one. Source: Gateway API 1.6.1, apis/v1/httproute_types.go, HTTPRouteMatch, Path */
const everything = { type: 'PathPrefix', value: '/' }

/** The matches of a route, and what its rules do with their requests. */
function matchesOf({ root }: Manifest): { readonly match: unknown; readonly outcome: string }[] {
  return [...root.at('spec', 'rules').items()].flatMap((rule) => {
    const { matches, name: _, ...rest } = Object(rule.value)
    const written = Array.isArray(matches) && matches.length > 0 ? matches.map(Object) : [{}]
    const outcome = JSON.stringify(sorted(rest))
    return written.map((one) => ({ match: sorted({ ...one, path: { ...everything, ...Object(one.path) } }), outcome }))
  })
}

/** A value with its keys in order, so that equal ones are equal as JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
