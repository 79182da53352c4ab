import { isPlaceholder, tlsEntries } from '../../kubernetes/ingress'
import { isCanary } from '../../kubernetes/ingress-nginx'
import { partnersOfClass } from '../../kubernetes/ingress-pairs'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

interface Args {
  first: string
  second: string
  hosts: string
}

export default defineRule({
  id: 'ingress-tls/secret-agrees',
  summary: 'Ingresses of a class that serve one host name one Secret for it.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    // Source: kubernetes/ingress-nginx, internal/ingress/controller/controller.go, createServers: Ingresses are taken by age
    // and the first that lists the host sets its certificate, the default one included (issues 4926 and 9040).
    differs: ({ first, second, hosts }: Args) =>
      `${first} and ${second} name different Secrets for ${hosts}, and the older Ingress decides, which no file tells. Name one Secret in both.`,
    hidden: ({ first, second, hosts }: Args) =>
      `Of ${first} and ${second} one names no Secret for ${hosts}: if it is the older, the host is served with the controller's default certificate. Name the same Secret in both.`,
  },
  *partners(manifest) {
    yield* secretsByHost(manifest).keys()
  },
  check({ manifest, snapshot, report }) {
    const own = secretsByHost(manifest)
    for (const other of partnersOfClass(manifest, snapshot, isCanary)) {
      const theirs = secretsByHost(other)
      const sameNamespace = other.ref.namespace === manifest.ref.namespace
      const disagreeing = [...own.keys()].filter((host) => {
        const [a, b] = [own.get(host), theirs.get(host)]
        return a && b && (nameIn(a) !== nameIn(b) || (nameIn(a) !== undefined && !sameNamespace))
      })
      for (const message of ['hidden', 'differs'] as const) {
        const keys = disagreeing
          .filter((host) => (message === 'hidden') === lacksOne(own.get(host), theirs.get(host)))
          .sort()
        const [at, there] = [own.get(keys[0] ?? ''), theirs.get(keys[0] ?? '')]
        if (!at || !there) continue
        const hosts = `${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ` and ${keys.length - 3} more` : ''}`
        report([at, there], message, { first: nameOf(manifest.ref), second: nameOf(other.ref), hosts }, { keys })
      }
    }
  },
})

/** For each host that an entry lists: the entry's secretName, or the entry where it has none. */
function secretsByHost(ingress: Manifest): Map<string, Cursor> {
  const found = new Map<string, Cursor>()
  for (const { at, hosts, secretName } of tlsEntries(ingress)) {
    for (const { string: host } of hosts) {
      if (!host || isPlaceholder(host) || isPlaceholder(secretName.string ?? '')) continue
      if (!found.has(host.toLowerCase())) found.set(host.toLowerCase(), secretName.string ? secretName : at)
    }
  }
  return found
}

function nameIn(cursor: Cursor): string | undefined {
  return cursor.string
}

function lacksOne(a: Cursor | undefined, b: Cursor | undefined): boolean {
  return a?.string === undefined || b?.string === undefined
}
