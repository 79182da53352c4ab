import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'

/** A port of a Pod: its number, and the names that its containers give it. */
export interface PodPort {
  readonly number: number
  readonly names: readonly string[]
}

/** An entry of a policy that opens TCP ports. */
export interface PolicyPort {
  readonly at: Cursor
  /** A number, the first one of several, or a name; undefined where a tool fills it in. */
  readonly port: number | string | undefined
  readonly last: number | undefined
}

/** The ports that a policy opens: undefined for all, `unread` where they are no list. */
export type PolicyPorts = readonly PolicyPort[] | 'unread' | undefined

/** The ports of a rule of a NetworkPolicy. Source: the comments of NetworkPolicyPort in the API. */
export function portsOfRule(rule: Cursor): PolicyPorts {
  const ports = rule.at('ports')
  const entries = [...ports.items()]
  if (entries.length === 0) return ports.exists && !ports.isList ? 'unread' : undefined
  return entries.flatMap(portAt)
}

/** The ports of a rule of a policy of Cilium. Source: https://docs.cilium.io/en/stable/security/policy/language/#layer-4-examples */
export function portsOfCiliumRule(rule: Cursor): PolicyPorts {
  const lists = [...rule.at('toPorts').items()].map((one) => one.at('ports'))
  if (rule.at('icmps').exists) return []
  if (lists.length === 0) return rule.at('toPorts').exists && !rule.at('toPorts').isList ? 'unread' : undefined
  const entries = lists.map((list) => [...list.items()])
  return entries.some(({ length }) => length === 0) ? 'unread' : entries.flat().flatMap(portAt)
}

function portAt(entry: Cursor): PolicyPort[] {
  const at = entry.at('port')
  const protocol = entry.at('protocol').string ?? 'TCP'
  if (protocol !== 'TCP' && protocol !== 'ANY') return []
  const port = portIn(at)
  // Without a port it is every port, which Cilium writes as 0.
  if (port === null || port === 0) return [{ at, port: 0, last: 65_535 }]
  const end = entry.at('endPort').value
  return [{ at, port, last: typeof end === 'number' ? end : undefined }]
}

function portIn({ value, string }: Cursor): number | string | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return value
  if (string === undefined || isPlaceholder(string)) return undefined
  return /^\d+$/.test(string) ? Number(string) : string
}

/** Whether ports of a policy contain one of a Pod; undefined where they may. */
export function opens(ports: PolicyPorts, { number, names }: PodPort): boolean | undefined {
  if (ports === undefined) return true
  if (ports === 'unread') return undefined
  const answers = ports.map(({ port, last }) => {
    // The proxies of Linkerd and of Istio's ambient mode take the connections for all ports of a Pod.
    if (port === undefined || port === 4143 || port === 15008) return undefined
    return typeof port === 'number' ? port <= number && number <= (last ?? port) : names.includes(port)
  })
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}
