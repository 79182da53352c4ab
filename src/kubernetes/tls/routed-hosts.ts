import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { covers, isPlaceholder, mayCover, routedHosts, tlsEntries } from '../ingress/ingress'
import { areComparable } from '../ingress/placeholder'
import { isCanary } from './ingress-nginx'

/** The hosts that the Ingresses of a snapshot route and give TLS, canaries apart. Read once: each changed Ingress asks. */
export class RoutedHosts {
  private readonly routes = new Map<string, Cursor>()
  private readonly names = new Set<string>()
  /** Names that a tool fills in. */
  private readonly filled = new Set<string>()
  /** An entry whose hosts its certificate decides may cover any host. */
  private coversAll = false

  private constructor(snapshot: Snapshot) {
    for (const ingress of snapshot.ofKind('Ingress.networking.k8s.io')) {
      if (isCanary(ingress)) continue
      for (const [host, at] of routedHosts(ingress)) if (!this.routes.has(host)) this.routes.set(host, at)
      for (const { hosts, secretName } of tlsEntries(ingress)) {
        if (hosts.length === 0 && secretName.string) this.coversAll = true
        for (const { string } of hosts) {
          if (string && isPlaceholder(string)) this.filled.add(string)
          else if (string) this.names.add(string.toLowerCase())
        }
      }
    }
  }

  static of(snapshot: Snapshot): RoutedHosts {
    const hosts = known.get(snapshot) ?? new RoutedHosts(snapshot)
    known.set(snapshot, hosts)
    return hosts
  }

  /** Where a host is routed first. */
  route(host: string): Cursor | undefined {
    return this.routes.get(host)
  }

  /** Whether some entry lists or covers a host. */
  hasTls(host: string): boolean {
    if (isPlaceholder(host) && [...this.names].some((name) => mayCover(name, host))) return true
    return (
      this.coversAll ||
      [...this.filled].some((name) => mayCover(name, host)) ||
      [host, `*${host.slice(host.indexOf('.'))}`].some((name) => this.names.has(name) && covers(name, host))
    )
  }
}

const known = new WeakMap<Snapshot, RoutedHosts>()

/** Where an Ingress gives a host TLS: the name that covers it, or an entry that leaves the hosts to its certificate. */
export function tlsNameFor(ingress: Manifest, host: string): Cursor | undefined {
  for (const { at, hosts, secretName } of tlsEntries(ingress)) {
    if (hosts.length === 0 && secretName.string) return at
    const name = hosts.find(({ string }) => {
      if (!string) return false
      return covers(string, host) || (isPlaceholder(string) && !areComparable(string, host))
    })
    if (name) return name
  }
  return undefined
}
