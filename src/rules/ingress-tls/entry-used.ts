import { isPlaceholder, namesCovering, routedHosts, tlsEntries } from '../../kubernetes/ingress/ingress'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'ingress-tls/entry-used',
  summary: 'Every TLS entry lists a host that the Ingress routes, and every rule of an Ingress with TLS has a host.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    unrouted: ({ host }: { host: string }) =>
      `No rule of this Ingress routes ${host}, so its TLS entry has no effect for this host. Add a rule for the host, or remove it from spec.tls.`,
    hostless: ({ ingress }: { ingress: string }) =>
      `A rule of ${ingress} has no host, so no TLS entry applies to it and the controller serves it with its default certificate. Set a host on the rule.`,
  },
  putBack: { unrouted: 'nothing' },
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
    const names = new Set(routed.map((name) => name.toLowerCase()))
    const covering = new Set(routed.flatMap(namesCovering))
    const seen = new Set<string>()
    for (const at of entries.flatMap(({ hosts }) => hosts)) {
      const host = at.string?.toLowerCase()
      if (!host || isPlaceholder(host) || seen.has(host)) continue
      seen.add(host)
      if (!covering.has(host) && !namesCovering(host).some((name) => names.has(name)))
        report(at, 'unrouted', { host: at.string ?? host }, { keys: [host] })
    }
  },
})
