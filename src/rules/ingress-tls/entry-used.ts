import { covers, isPlaceholder, routedHosts, tlsEntries } from '../../kubernetes/ingress/ingress'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'ingress-tls/entry-used',
  summary: 'Every TLS entry serves a host that the Ingress routes, and every rule under TLS has a host.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    unrouted: ({ host }: { host: string }) =>
      `No rule of this Ingress routes ${host}, so its TLS entry is not used for it here. Add the rule, or take the host out of spec.tls.`,
    hostless: ({ ingress }: { ingress: string }) =>
      `A rule of ${ingress} has no host, so no TLS entry applies to it and it is served with the controller's default certificate. Give it a host.`,
  },
  check({ manifest, report }) {
    const entries = tlsEntries(manifest)
    const rules = [...manifest.root.at('spec', 'rules').items()]
    if (entries.length === 0 || rules.length === 0) return
    const hostless = rules.find((rule) => !rule.at('host').exists || rule.at('host').string === '')
    if (hostless) report(hostless, 'hostless', { ingress: manifest.ref.name })
    // Requests for any host reach a default backend or a rule without a host.
    const takesAll = hostless || ['defaultBackend', 'backend'].some((key) => manifest.root.at('spec', key).exists)
    const routed = [...routedHosts(manifest).keys()]
    if (takesAll || routed.some(isPlaceholder)) return
    const seen = new Set<string>()
    for (const at of entries.flatMap(({ hosts }) => hosts)) {
      const host = at.string?.toLowerCase()
      if (!host || isPlaceholder(host) || seen.has(host)) continue
      seen.add(host)
      if (!routed.some((name) => covers(host, name) || covers(name, host)))
        report(at, 'unrouted', { host: at.string ?? host }, { keys: [host] })
    }
  },
})
