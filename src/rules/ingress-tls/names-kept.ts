import type { Snapshot } from '../../cluster/snapshot'
import { covers, isPlaceholder } from '../../kubernetes/ingress/ingress'
import { namedHosts } from '../../kubernetes/tls/certificate'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const certificateKinds = ['Certificate.cert-manager.io', 'Certificate.certmanager.k8s.io']

/** The kinds that route a host. */
const routeKinds = [
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
  'HTTPRoute.gateway.networking.k8s.io',
  'TLSRoute.gateway.networking.k8s.io',
  'Gateway.networking.istio.io',
  'VirtualService.networking.istio.io',
  'IngressRoute.traefik.io',
  'HTTPProxy.projectcontour.io',
  'Route.route.openshift.io',
]

export default defineRule({
  id: 'ingress-tls/names-kept',
  summary: 'A Certificate whose names are replaced keeps those that may still be in use.',
  since: '1.6.0',
  scope: 'change',
  kinds: certificateKinds,
  reads: [...certificateKinds, ...routeKinds],
  messages: {
    replaced: ({ certificate, lost, added }: Record<'certificate' | 'lost' | 'added', string>) =>
      `This change has ${certificate} request a certificate for ${added}, and no longer for ${lost}, so clients that still use the old name reject the renewed certificate. Keep the old name beside the new one until nothing uses it.`,
  },
  *partners(manifest) {
    yield* namesOf(manifest).keys()
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const [before, after] = [namesOf(change.before), namesOf(change.after)]
    const added = [...after.keys()].filter((name) => !before.has(name))
    // A name that is only removed is retired.
    if (added.length === 0 || [...before.keys(), ...after.keys()].some(isPlaceholder)) return
    // A move to another domain takes its clients along.
    const domains = new Set(added.map(domainOf))
    const others = certificateKinds.flatMap((kind) => head.ofKind(kind)).flatMap((one) => [...namesOf(one).keys()])
    const lost = [...before].filter(
      ([name]) =>
        domains.has(domainOf(name)) &&
        !others.some((other) => other === name || covers(other, name)) &&
        !isRouted(name, base, head),
    )
    const [first] = lost
    if (!first) return
    const names = lost.map(([name]) => name)
    const texts = { certificate: nameOf(change.after.ref), lost: namedHosts(names), added: namedHosts(added) }
    report([placeOf(change.after), first[1]], 'replaced', texts, { keys: names })
  },
})

/** The names that a Certificate requests, each at its place. */
function namesOf({ root }: Manifest): Map<string, Cursor> {
  const written = [...root.at('spec', 'dnsNames').items(), root.at('spec', 'commonName')]
  return new Map(written.flatMap((at) => (at.string ? [[at.string.toLowerCase(), at] as const] : [])))
}

/** `example.com` of `shop.example.com`. */
function domainOf(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

function placeOf({ root }: Manifest): Cursor {
  const names = root.at('spec', 'dnsNames')
  return names.exists ? names : root.at('spec', 'commonName')
}

/** Whether a known route names a host: other rules judge it, and one that goes with the name retires it. */
function isRouted(host: string, base: Snapshot, head: Snapshot): boolean {
  return [base, head].some((side) =>
    routeKinds.flatMap((kind) => side.ofKind(kind)).some((one) => textOf(one).includes(host)),
  )
}

function textOf({ root }: Manifest): string {
  return JSON.stringify(root.value).toLowerCase()
}
