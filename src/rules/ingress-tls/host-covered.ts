import { covers, isPlaceholder, routedHosts, tlsEntries } from '../../kubernetes/ingress'
import { defineRule } from '../rule'

export default defineRule({
  id: 'ingress-tls/host-covered',
  summary: 'Every host an Ingress routes is named by one of its TLS entries.',
  since: '1.0.0',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    uncovered: ({ host }: { host: string }) =>
      `No entry of spec.tls names ${host}, so it is served with the controller's default certificate. Add it to the hosts of the entry whose Secret covers it.`,
  },
  check({ manifest, report, skip }) {
    const entries = tlsEntries(manifest)
    if (entries.length === 0) return // plain HTTP is not this rule's business
    // An entry with a Secret and no hosts lets the certificate itself decide; what it names is not written here.
    if (entries.some((entry) => entry.hosts.length === 0 && entry.secretName.string)) return
    const names = entries.flatMap((entry) => entry.hosts)
    const unknown = names.find((name) => isPlaceholder(name.string ?? ''))
    if (unknown) return skip(unknown, `the TLS host ${unknown.string} is filled in before it reaches the cluster`)
    for (const [host, at] of routedHosts(manifest)) {
      if (names.some((name) => covers(name.string ?? '', host))) continue
      if (isPlaceholder(host)) {
        skip(at, `the host ${at.string} is filled in before it reaches the cluster`)
        continue
      }
      report(at, 'uncovered', { host: at.string ?? host }, { keys: [host] })
    }
  },
})
