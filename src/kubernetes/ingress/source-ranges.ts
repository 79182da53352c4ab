import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** An annotation by which an Ingress refuses all clients. */
interface Closing {
  readonly how: 'closed' | 'denied'
  readonly at: Cursor
  /** The addresses that it names. */
  readonly ranges: string
}

/**
 * The annotations that list who is let in, and who is not. Sources:
 * https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/,
 * https://haproxy-ingress.github.io/docs/configuration/keys/#allowlist and
 * https://www.haproxy.com/documentation/kubernetes-ingress/community/configuration-reference/ingress/
 */
const annotations = {
  closed: [
    'nginx.ingress.kubernetes.io/whitelist-source-range',
    'nginx.ingress.kubernetes.io/allowlist-source-range',
    'haproxy-ingress.github.io/whitelist-source-range',
    'haproxy-ingress.github.io/allowlist-source-range',
    'haproxy.org/whitelist',
    'haproxy.org/allow-list',
  ],
  denied: [
    'nginx.ingress.kubernetes.io/denylist-source-range',
    'haproxy-ingress.github.io/denylist-source-range',
    'haproxy.org/blacklist',
    'haproxy.org/deny-list',
  ],
} as const

/** The annotation by which an Ingress refuses all clients: it lets in only addresses that none of them has, or denies every one. */
export function closedBy({ root }: Manifest): Closing | undefined {
  const written = root.at('metadata', 'annotations')
  // Then a client that logs in is let in, too.
  if (written.at('nginx.ingress.kubernetes.io/satisfy').string === 'any') return undefined
  for (const how of ['closed', 'denied'] as const) {
    for (const key of annotations[how]) {
      const at = written.at(key)
      const ranges = (at.string ?? '').split(/[\s,]+/).filter((range) => range !== '')
      const isNobody = ranges.length > 0 && ranges.every((range) => ofNobody.test(range))
      const isEverybody = ranges.some((range) => range === '0.0.0.0/0')
      if (how === 'closed' ? isNobody : isEverybody) return { how, at, ranges: ranges.join(', ') }
    }
  }
  return undefined
}

/** Addresses of the controller's own Pod, and those that nothing has: https://www.rfc-editor.org/rfc/rfc6890 */
const ofNobody =
  /^(?:127\.\d+\.\d+\.\d+(?:\/(?:[89]|[12]\d|3[0-2]))?|0\.0\.0\.0(?:\/32)?|255\.255\.255\.255(?:\/32)?|::1?(?:\/128)?)$/
