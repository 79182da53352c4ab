import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { controllersHere } from '../controllers/controller'
import { takesIngress } from '../controllers/controller-ingresses'
import { covers, isPlaceholder, mayCover, routedHosts, tlsEntries } from '../ingress/ingress'
import { classOf, controllerOf } from '../ingress/ingress-class'
import { ListedNames } from '../ingress/listed-names'
import { areComparable } from '../ingress/placeholder'
import { isCanary } from './ingress-nginx'
import { producersOf } from './tls-producer'

/**
 * The hosts that the Ingresses of a snapshot route and give TLS, canaries apart. Read once: each changed Ingress asks.
 */
export class RoutedHosts {
  private readonly routes = new Map<string, { ingress: Manifest; at: Cursor }[]>()
  private readonly names = new Map<string, Manifest[]>()
  /** Names that a tool fills in. */
  private readonly filled = new Map<string, Manifest[]>()
  /** Those with an entry whose hosts its certificate decides, which may cover any host. */
  private readonly coverAll: Manifest[] = []

  private constructor(private readonly snapshot: Snapshot) {
    for (const ingress of snapshot.ofKind('Ingress.networking.k8s.io')) {
      if (isCanary(ingress)) continue
      for (const [host, at] of routedHosts(ingress)) push(this.routes, host, { ingress, at })
      for (const { hosts, secretName } of tlsEntries(ingress)) {
        if (hosts.length === 0 && secretName.string) this.coverAll.push(ingress)
        for (const { string } of hosts) {
          if (string) push(isPlaceholder(string) ? this.filled : this.names, string.toLowerCase(), ingress)
        }
      }
    }
  }

  static of(snapshot: Snapshot): RoutedHosts {
    const hosts = known.get(snapshot) ?? new RoutedHosts(snapshot)
    known.set(snapshot, hosts)
    return hosts
  }

  /**
   * The place where a host that an Ingress gave TLS is routed without it: by that Ingress, by one of the same class, or
   * by any once the Ingress no longer routes it.
   *
   * @param base the side before the change: an Ingress that routed the host without TLS there loses none
   */
  withoutTls(host: string, was: Manifest, base: Snapshot): Cursor | undefined {
    const before = RoutedHosts.of(base)
    const routes = this.routes.get(host) ?? []
    const own = routes.find(({ ingress }) => isOne(ingress, was))
    const others = routes.filter(
      ({ ingress }) => !own || ingress === own.ingress || this.areServedTogether(ingress, own.ingress),
    )
    return others.find(
      ({ ingress }) => !this.hasTls(host, ingress, before) && !before.isRoutedWithoutTls(host, ingress),
    )?.at
  }

  private isRoutedWithoutTls(host: string, ingress: Manifest): boolean {
    return (this.routes.get(host) ?? []).some(
      (one) => isOne(one.ingress, ingress) && !this.hasTls(host, one.ingress, this),
    )
  }

  /** Whether an entry of an Ingress, or of one that the same controller serves, lists or covers a host. */
  private hasTls(host: string, ingress: Manifest, before: RoutedHosts): boolean {
    return this.coverers(host).some(
      (other) =>
        other === ingress ||
        isOne(other, ingress) ||
        (this.areServedTogether(other, ingress) && this.isReal(host, other, ingress, before)),
    )
  }

  /** The Ingresses with an entry that lists or covers a host. */
  private coverers(host: string): Manifest[] {
    const wildcard = `*${host.slice(host.indexOf('.'))}`
    const listed = [host, wildcard].flatMap((name) => (covers(name, host) ? (this.names.get(name) ?? []) : []))
    const mayList = isPlaceholder(host) ? [...this.names].filter(([name]) => mayCover(name, host)) : []
    const filled = [...this.filled].filter(([name]) => mayCover(name, host))
    return [...this.coverAll, ...listed, ...[...mayList, ...filled].flatMap(([, ingresses]) => ingresses)]
  }

  /**
   * Whether one controller takes both: by the name of their class, by the controller of its IngressClass, or by known
   * facts about it.
   */
  private areServedTogether(a: Manifest, b: Manifest): boolean {
    const [one, other] = [classOf(a), classOf(b)]
    if (one === other || [one, other].some((name) => name !== undefined && isPlaceholder(name))) return true
    const [ofOne, ofOther] = [controllerOf(this.snapshot, a), controllerOf(this.snapshot, b)]
    if (ofOne !== undefined && ofOne === ofOther) return true
    if (one !== undefined && other !== undefined) return false
    const controllers = controllersHere(this.snapshot)
    return (
      controllers.length === 0 ||
      controllers.some((controller) => [a, b].every((ingress) => takesIngress(controller, ingress, this.snapshot)))
    )
  }

  /** An Ingress of another namespace gives TLS if it did before the change, or if something makes its Secret. */
  private isReal(host: string, other: Manifest, ingress: Manifest, before: RoutedHosts): boolean {
    const { namespace } = other.ref
    if (namespace === ingress.ref.namespace || before === this) return true
    if (before.coverers(host).some((one) => isOne(one, other))) return true
    return tlsEntries(other).some(
      ({ hosts, secretName }) =>
        secretName.string &&
        (hosts.length === 0 || hosts.some(({ string = '' }) => mayCover(string, host))) &&
        producersOf(this.snapshot, namespace, secretName.string).length > 0,
    )
  }
}

const known = new WeakMap<Snapshot, RoutedHosts>()

function isOne(a: Manifest, b: Manifest): boolean {
  return identityOf(a.ref) === identityOf(b.ref)
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** A name in a TLS entry, or an entry without names. */
interface TlsPlace {
  readonly at: Cursor
  readonly name?: string
}

/**
 * The routed hosts of an Ingress with TLS, each at the first place that gives it: a name that covers it, or an entry whose
 * certificate decides the hosts.
 */
export function tlsHosts(ingress: Manifest): Map<string, Cursor> {
  const places = tlsEntries(ingress).flatMap(({ at, hosts, secretName }): TlsPlace[] =>
    hosts.length === 0 && secretName.string ? [{ at }] : hosts.map((at) => ({ at, name: at.string ?? '' })),
  )
  const indexed = places.map((place, index) => ({ ...place, index }))
  const listed = new ListedNames(indexed.flatMap((place) => (place.name ? [[place.at, place] as const] : [])))
  const open = indexed.filter(({ name }) => name === undefined || isPlaceholder(name))
  const found = new Map<string, Cursor>()
  for (const host of routedHosts(ingress).keys()) {
    const [named] = listed.covering(host)
    const other = open.find(({ name }) => name === undefined || !areComparable(name, host))
    const [first] = [named, other].filter((place) => place !== undefined).sort((a, b) => a.index - b.index)
    if (first) found.set(host, first.at)
  }
  return found
}
