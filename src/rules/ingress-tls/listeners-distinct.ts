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
    const before = new Map<string, Listener>()
    for (const one of [...manifest.root.at('spec', 'listeners').items()].flatMap(listenerAt)) {
      const other = rivalsOf(one).flatMap((key) => before.get(key) ?? [])[0]
      for (const key of keysOf(one)) if (!before.has(key)) before.set(key, one)
      if (!other) continue
      const args = {
        gateway: nameOf(manifest.ref),
        listener: one.name,
        other: other.name,
        port: String(one.port),
        protocols: `${other.protocol} and ${one.protocol}`,
      }
      const ends = [one.at.at('protocol'), other.at]
      const keys = [other.name, one.name]
      const hostname = one.hostname === '' ? 'no hostname' : `the hostname ${one.hostname}`
      if (groups[other.protocol] !== groups[one.protocol]) report(ends, 'protocol', args, { keys })
      else report(ends, 'hostname', { ...args, hostname }, { keys })
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
  return [{ at, name, port, protocol, hostname: (at.at('hostname').string ?? '').toLowerCase() }]
}

/** What others may meet a listener by: its port with the group of its protocol, and with its protocol and hostname. */
function keysOf({ port, protocol, hostname }: Pick<Listener, 'port' | 'protocol' | 'hostname'>): string[] {
  return [`${port} ${groups[protocol]}`, `${port} ${protocol} ${hostname}`]
}

/**
 * The keys of the listeners that conflict with one. Two of the same protocol and hostname are not for this rule: the API
 * server refuses them.
 */
function rivalsOf({ port, protocol, hostname }: Listener): string[] {
  const others = Object.keys(groups).filter((one) => one !== protocol)
  return others.flatMap((other) => {
    const [group = '', place = ''] = keysOf({ port, protocol: other, hostname })
    return groups[other] === groups[protocol] ? [place] : [group]
  })
}
