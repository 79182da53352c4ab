import { readMatch } from '../../kubernetes/controllers/traefik-match'
import { ingressRouteKinds } from '../../kubernetes/controllers/traefik-middleware'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isOfDefaultValues } from '../../manifest/default-values'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/match-valid',
  summary: 'Traefik can read the match of every route of an IngressRoute, and a request can have its hosts.',
  since: '1.6.0',
  scope: 'manifest',
  kinds: ingressRouteKinds,
  messages: {
    unreadable: ({ route, match, fault }: { route: string; match: string; fault: string }) =>
      `Traefik cannot read ${match}, a match of ${route}: ${fault}. It leaves this route out and answers 404 for it. Correct the match.`,
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/provider/kubernetes/crd/traefikio/v1alpha1/ingressroute.go,
    // Route: Match is required
    missing: ({ route, number }: { route: string; number: number }) =>
      `The API server rejects ${route}, because its route number ${number} has no match, and each route needs one. The version that was accepted last stays. Add match, such as match: Host(\`a.example.com\`).`,
    noHost: ({ route, value, instead }: { route: string; value: string; instead: string }) =>
      `${route} matches the host ${value}, which no request has: a host is a name alone, without a scheme, a port or a path. So Traefik answers 404 for it. Write ${instead}.`,
  },
  later: { missing: '1.15.0' },
  check({ manifest, report }) {
    const route = nameOf(manifest.ref)
    for (const [index, one] of [...manifest.root.at('spec', 'routes').items()].entries()) {
      const at = one.at('match')
      if (one.isMap && !at.exists && one.at('services').exists && !manifest.assumption && !isOfDefaultValues(manifest))
        report(one, 'missing', { route, number: index + 1 }, { keys: [String(index)] })
      const match = at.string
      // An empty match is refused by the definition of the kind; a tool fills in what is open.
      if (!match || isOpen(match)) continue
      const read = readMatch(match)
      if ('fault' in read) {
        report(at, 'unreadable', { route, match: shortened(match), fault: read.fault }, { keys: [match] })
        continue
      }
      for (const { name, values, isNegated } of read.matchers) {
        // Below `!`, a host that no request has excludes nothing, and the requests are answered.
        if (name.toLowerCase() !== 'host' || isNegated) continue
        for (const value of values.filter((one) => /[/:\s]/.test(one) && !isPlaceholder(one))) {
          report(at, 'noHost', { route, value, instead: matcherFor(value) }, { keys: [value] })
        }
      }
    }
  },
})

/** The matchers for what is written as a host. */
function matcherFor(value: string): string {
  if (value.includes('{')) return 'the pattern with HostRegexp'
  const host = value
    .trim()
    .replace(/^\w+:\/\//, '')
    .replace(/[/:\s].*$/s, '')
  return host === '' ? 'a path with PathPrefix' : `Host(\`${host}\`), and a path with PathPrefix`
}

/** Whether a placeholder is outside of a value: it may be any part of an expression. */
function isOpen(match: string): boolean {
  return isPlaceholder(match.replace(/`[^`]*`|"[^"]*"/g, ''))
}

function shortened(match: string): string {
  return match.length > 80 ? `${match.slice(0, 80)}…` : match
}
