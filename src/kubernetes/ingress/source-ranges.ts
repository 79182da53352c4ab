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
      const closing = closingOf(how, at)
      if (closing) return closing
    }
  }
  return undefined
}

/** The keys of ingress-nginx's ConfigMap. Source: controller-v1.15.1, internal/ingress/controller/config/config.go */
const settings = {
  closed: ['whitelist-source-range'],
  denied: ['denylist-source-range', 'block-cidrs'],
} as const

/** The setting by which a ConfigMap of ingress-nginx refuses all clients of Ingresses without a list of their own. */
export function closedBySetting({ root }: Manifest): Closing | undefined {
  const of = (how: Closing['how']) => settings[how].map((key) => closingOf(how, root.at('data', key)))
  return [...of('closed'), ...of('denied')].find((closing) => closing !== undefined)
}

function closingOf(how: Closing['how'], at: Cursor): Closing | undefined {
  const ranges = (at.string ?? '').split(/[\s,]+/).filter((range) => range !== '')
  const isNobody = ranges.length > 0 && ranges.every(isOfNobody)
  return (how === 'closed' ? isNobody : areEverybody(ranges)) ? { how, at, ranges: ranges.join(', ') } : undefined
}

/** Whether ranges have all addresses of IPv4 together. */
function areEverybody(ranges: readonly string[]): boolean {
  const spans = ranges
    .map(spanOf)
    .filter((span) => span !== undefined)
    .sort(([one], [other]) => one - other)
  const end = spans.reduce((reached, [from, to]) => (from <= reached ? Math.max(reached, to) : reached), 0)
  return end === 2 ** 32
}

/** The first address of a range, and that after its last one, as numbers. */
function spanOf(range: string): readonly [from: number, to: number] | undefined {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(range) ?? []
  const [a = 0, b = 0, c = 0, d = 0, bits] = parts.map(Number)
  if (bits === undefined || bits > 32) return undefined
  const size = 2 ** (32 - bits)
  const from = Math.floor((((a * 256 + b) * 256 + c) * 256 + d) / size) * size
  return [from, from + size]
}

/** Whether no client has an address, or one of a range: it is one of the controller's own Pod, or such that nothing has. */
export function isOfNobody(range: string): boolean {
  return ofNobody.test(range)
}

/** Addresses of the controller's own Pod, and those that nothing has: https://www.rfc-editor.org/rfc/rfc6890 */
const ofNobody =
  /^(?:127\.\d+\.\d+\.\d+(?:\/(?:[89]|[12]\d|3[0-2]))?|0\.0\.0\.0(?:\/32)?|255\.255\.255\.255(?:\/32)?|::1?(?:\/128)?)$/
