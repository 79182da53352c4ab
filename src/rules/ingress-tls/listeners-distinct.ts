import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Conflict = Record<'gateway' | 'listener' | 'other' | 'port' | 'protocols', string>

export default defineRule({
  id: 'ingress-tls/listeners-distinct',
  summary: 'The listeners of a Gateway on one port differ in their hostnames, and their protocols go together.',
  since: '1.22.0',
  scope: 'manifest',
  kinds: ['Gateway.gateway.networking.k8s.io'],
  messages: {
    hostname: ({ gateway, listener, other, port, protocols, hostname }: Conflict & { hostname: string }) =>
      `The listeners ${other} and ${listener} of ${gateway} both have port ${port} and ${hostname}, with the protocols ${protocols}. A connection fits both, so the controller marks them as conflicted and serves one of them at most. Give one of them another hostname or port, or remove it.`,
    protocol: ({ gateway, listener, other, port, protocols }: Conflict) =>
      `The listeners ${other} and ${listener} of ${gateway} both have port ${port}, with the protocols ${protocols}, which cannot share a port. The controller marks them as conflicted and serves one of them at most. Give one of them another port, or remove it.`,
  },
  check({ manifest, report }) {
    const listeners = [...manifest.root.at('spec', 'listeners').items()].flatMap(listenerAt)
    for (const [index, one] of listeners.entries()) {
      const other = listeners.slice(0, index).find((before) => before.port === one.port && isConflict(before, one))
      if (!other) continue
      const args = {
        gateway: nameOf(manifest.ref),
        listener: one.name,
        other: other.name,
        port: String(one.port),
        protocols: `${other.protocol} and ${one.protocol}`,
      }
      const keys = [other.name, one.name]
      if (groups[other.protocol] !== groups[one.protocol])
        report([one.at.at('protocol'), other.at], 'protocol', args, { keys })
      else {
        const hostname = one.hostname === '' ? 'no hostname' : `the hostname ${one.hostname}`
        report([one.at.at('protocol'), other.at], 'hostname', { ...args, hostname }, { keys })
      }
    }
  },
})

interface Listener {
  readonly at: Cursor
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly hostname: string
}

/**
 * Protocols share a port if they are of one group. UDP shares any port, and protocols of an implementation's own are not
 * known. Source: Gateway API v1.4.0, apis/v1/gateway_types.go, GatewaySpec.Listeners
 */
const groups: Readonly<Record<string, string>> = { HTTP: 'HTTP', HTTPS: 'TLS', TLS: 'TLS', TCP: 'TCP' }

function listenerAt(at: Cursor): Listener[] {
  const [port, protocol, name] = [at.at('port').value, at.at('protocol').string ?? '', at.at('name').string ?? '']
  if (typeof port !== 'number' || !Object.hasOwn(groups, protocol)) return []
  return [{ at, name, port, protocol, hostname: at.at('hostname').string ?? '' }]
}

/** Two of the same protocol and hostname are not for this rule: the API server refuses them. */
function isConflict(one: Listener, other: Listener): boolean {
  if (groups[one.protocol] !== groups[other.protocol]) return true
  return one.protocol !== other.protocol && one.hostname.toLowerCase() === other.hostname.toLowerCase()
}
