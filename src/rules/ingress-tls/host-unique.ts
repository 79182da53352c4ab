import { ClaimPairs } from '../../kubernetes/ingress/claim-pairs'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { comparableName, startsWritten } from '../../kubernetes/ingress/placeholder'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const pairs = new ClaimPairs(
  (ingress) => (isExempt(ingress) ? new Map<string, Cursor>() : claimsOf(ingress)),
  (ingress) => identityOf(ingress.ref),
)

export default defineRule({
  id: 'ingress-tls/host-unique',
  summary: 'No two Ingresses of one class claim the same host and path.',
  since: '1.1.0',
  scope: 'snapshot',
  assumed: { since: '1.14.0' },
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    // Source: kubernetes/ingress-nginx, internal/ingress/controller/controller.go, checkOverlap;
    // nginx/kubernetes-ingress, internal/k8s/configuration.go: the oldest Ingress keeps the host.
    twice: ({ first, second, claims }: { first: string; second: string; claims: string }) =>
      `${first} and ${second} both claim ${claims}: the controller rejects the newer Ingress or serves only the older one, and the files do not show which is older. Remove it from one of them.`,
    twiceFilled: ({ first, second, claims }: { first: string; second: string; claims: string }) =>
      `${first} and ${second} both claim ${claims}, whatever the variables are replaced by: the controller rejects the newer Ingress or serves only the older one. Give one of them its own host, or remove the path from it.`,
  },
  later: { twiceFilled: '1.14.0' },
  *partners(manifest) {
    for (const claim of claimsOf(manifest).keys()) yield claim.split(' ')[0] ?? claim
  },
  check({ manifest, snapshot, report }) {
    for (const other of pairs.partnersOf(manifest, snapshot)) {
      const shared = pairs.shared(manifest, other)
      // One name in two namespaces is one application in two environments, each with variables of its own.
      const filled = manifest.ref.name === other.ref.name ? [] : shared.filter(isPlaceholder)
      const claimed = { twice: shared.filter((claim) => !isPlaceholder(claim)), twiceFilled: filled }
      for (const message of ['twice', 'twiceFilled'] as const) {
        const keys = claimed[message]
        const [key = ''] = keys
        const [at, there] = [manifest, other].map((ingress) => pairs.claimsOf(ingress).get(key))
        if (!at || !there) continue
        const names = { first: nameOf(manifest.ref), second: nameOf(other.ref), claims: abridged(keys) }
        report([at, there], message, names, { keys })
      }
    }
  },
})

/** A canary shares its host on purpose, and so do the minions of a mergeable Ingress. */
function isExempt(ingress: Manifest): boolean {
  const annotations = ingress.root.at('metadata', 'annotations')
  return isCanary(ingress) || annotations.at('nginx.org/mergeable-ingress-type').exists || isSolver(ingress)
}

/** cert-manager answers an ACME challenge with a temporary Ingress. */
function isSolver(ingress: Manifest): boolean {
  return ingress.root.at('metadata', 'labels', 'acme.cert-manager.io/http01-solver').exists
}

/** The `host path` pairs of an Ingress, each at its path, else at its host. */
function claimsOf(ingress: Manifest): Map<string, Cursor> {
  const claims = new Map<string, Cursor>()
  for (const rule of ingress.root.at('spec', 'rules').items()) {
    const host = comparableName(rule.at('host').string ?? '')
    // What a tool fills in as a whole, or from its beginning, may be any name.
    if (host === '' || (isPlaceholder(host) && !startsWritten(host))) continue
    const paths = [...rule.at('http', 'paths').items()]
    for (const path of paths) {
      const written = path.at('path').string || '/'
      const exact = path.at('pathType').string === 'Exact'
      const claim = `${host} ${exact ? '=' : ''}${written}`
      if (!isPlaceholder(written) && !claims.has(claim))
        claims.set(claim, path.at('path').exists ? path.at('path') : rule.at('host'))
    }
  }
  return claims
}
