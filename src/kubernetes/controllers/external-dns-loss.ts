import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { releaseKinds } from '../charts/chart-release'
import { isPlaceholder, routedHosts } from '../ingress/ingress'
import { valuesOfFlag } from '../workload/settings'
import { dnsNamesOf, makesOthers } from './external-dns-records'
import { type DnsScope, dnsKinds, dnsScopesIn, dnsSources } from './external-dns-scope'

const furtherKinds = dnsKinds.filter((kind) => !(kind in dnsSources))

/** The records of a cluster, by their names. */
interface Records {
  /** The names of the records that may be made, also by values that a release has since a change. */
  readonly made: ReadonlySet<string>
  /** Whether there may be others. */
  readonly isOpen: boolean
  /** The hosts that Ingresses route, by the names of the records that lead to them. */
  readonly hosts: ReadonlyMap<string, readonly string[]>
  /** The hosts without a record, for the names that were asked for. */
  readonly asked: Map<string, readonly string[]>
}

const known = new WeakMap<Snapshot, Records>()

function recordsIn(head: Snapshot, base: Snapshot): Records {
  const records = known.get(head) ?? findRecords(head, base)
  known.set(head, records)
  return records
}

function findRecords(snapshot: Snapshot, base: Snapshot): Records {
  const scopes = dnsScopesIn(snapshot)
  const objects = dnsObjectsIn(snapshot)
  const own = scopes.flatMap((scope) => objects.flatMap((object) => [...dnsNamesOf(scope, object).names]))
  const hosts = new Map<string, string[]>()
  const routed = new Set(snapshot.ofKind('Ingress.networking.k8s.io').flatMap((one) => [...routedHosts(one).keys()]))
  for (const host of routed)
    if (!isPlaceholder(host)) {
      for (const name of recordsFor(host)) {
        const led = hosts.get(name) ?? []
        led.push(host)
        hosts.set(name, led)
      }
    }
  return {
    made: new Set([
      ...own,
      ...(scopes.some(readsFurther) ? wordsOf(furtherKinds, snapshot) : []),
      ...newWordsOf(releaseKinds, snapshot, base),
    ]),
    isOpen: scopes.some(makesOthers),
    hosts,
    asked: new Map(),
  }
}

function dnsObjectsIn(snapshot: Snapshot): Manifest[] {
  return Object.keys(dnsSources).flatMap((kind) => [...snapshot.ofKind(kind as GroupKind)])
}

function readsFurther({ settings }: DnsScope): boolean {
  const sources = valuesOfFlag(settings, 'source')
  return !sources?.every((source) => Object.values(dnsSources).includes(source))
}

/** The words of objects: some are the names of the records that other sources, and the charts of releases, have made. */
function wordsOf(kinds: readonly GroupKind[], snapshot: Snapshot): Set<string> {
  const objects = kinds.flatMap((kind) => [...snapshot.ofKind(kind)])
  return new Set(objects.flatMap(({ object }) => object.content.toLowerCase().match(/[\w.*-]+/g) ?? []))
}

function newWordsOf(kinds: readonly GroupKind[], head: Snapshot, base: Snapshot): string[] {
  const before = wordsOf(kinds, base)
  return [...wordsOf(kinds, head)].filter((word) => !before.has(word))
}

/** The names of the records that lead to a host: its own, and the wildcards above it. */
function recordsFor(host: string): string[] {
  const labels = host.split('.')
  return [host, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)]
}

/** The hosts that stay routed, and have a record of these names alone, which nothing makes any more. */
export function hostsWithout(names: Iterable<string>, base: Snapshot, head: Snapshot): string[] {
  const records = recordsIn(head, base)
  if (records.isOpen) return []
  return [...new Set([...names].flatMap((name) => unrecorded(name, records)))].sort()
}

function unrecorded(name: string, { made, hosts, asked }: Records): readonly string[] {
  const found =
    asked.get(name) ?? (hosts.get(name) ?? []).filter((host) => !recordsFor(host).some((one) => made.has(one)))
  asked.set(name, found)
  return found
}

/** The names of the records that an ExternalDNS certainly makes. */
export function dnsNamesIn(scope: DnsScope, snapshot: Snapshot): string[] {
  return dnsObjectsIn(snapshot).flatMap((object) => {
    const { names, isSure } = dnsNamesOf(scope, object)
    return isSure ? [...names] : []
  })
}

/** The names of the records that an ExternalDNS, as it is after a change, no longer makes because an object changed. */
export function namesLostBy(before: Manifest, after: Manifest | undefined, was: DnsScope, is: DnsScope): string[] {
  const [past, made] = [dnsNamesOf(was, before), dnsNamesOf(is, before)]
  if (!past.isSure || !made.isSure) return []
  const kept = after ? dnsNamesOf(is, after).names : new Set<string>()
  return [...made.names].filter((name) => past.names.has(name) && !kept.has(name))
}

/** Whether an object is of a kind that is known here. */
export function isDnsObject({ ref }: Manifest): boolean {
  return groupKindOf(ref) in dnsSources
}
