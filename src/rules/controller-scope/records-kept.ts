import { isStopped, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { isSuspended } from '../../kubernetes/charts/coming-release'
import { staysInCluster } from '../../kubernetes/controllers/controller-loss'
import {
  gatewayFlag,
  gatewayNameOf,
  gatewaysNamed,
  hostsUnattached,
  routeKinds,
  routesLeaving,
} from '../../kubernetes/controllers/external-dns-gateways'
import { dnsInstancesOf } from '../../kubernetes/controllers/external-dns-instance'
import { dnsNamesIn, hostsWithout, isDnsObject, namesLostBy } from '../../kubernetes/controllers/external-dns-loss'
import { dnsAnnotationsOf, isInDomains } from '../../kubernetes/controllers/external-dns-records'
import {
  type DnsScope,
  dnsKinds,
  dnsScopesIn,
  dnsScopesOf,
  dnsSources,
  leftOutBy,
  takesForDns,
} from '../../kubernetes/controllers/external-dns-scope'
import { parentsOf } from '../../kubernetes/ingress/gateway-route'
import { isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { type Settings, valueOr, valuesOfFlag } from '../../kubernetes/workload/settings'
import { abridged } from '../../listing'
import { sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'
const gatewayKind = 'Gateway.gateway.networking.k8s.io'

/** The annotations that decide about the names of an object's records, and whether it has any. */
const namingAnnotations = ['hostname', 'controller', 'ingress-hostname-source']

/** Words in the arguments of an ExternalDNS that reads further kinds, and in the objects of these. */
const marksOfSources = {
  'gateway-': 'Route',
  [gatewayFlag]: 'Gateway',
  istio: 'istio',
  traefik: 'traefik',
  contour: 'projectcontour',
  openshift: 'Route',
}

type Names = Record<'dns' | 'hosts', string>

export default defineRule({
  id: 'controller-scope/records-kept',
  summary: 'ExternalDNS goes on making the records of hosts that stay routed.',
  since: '1.30.0',
  scope: 'change',
  kinds: [...workloadKinds, ...releaseKinds, gatewayKind, ...routeKinds, ...(Object.keys(dnsSources) as GroupKind[])],
  reads: [...dnsKinds, ...releasePartKinds],
  messages: {
    // Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/plan/policy.go: sync deletes records without a source
    left: ({ dns, flag, hosts }: Names & { flag: string }) =>
      `After this change --${flag} leaves out Ingresses for which ${dns} made records, and with --policy=sync it deletes the records of ${hosts}, although these hosts stay routed. Keep these Ingresses in, or first set --policy=upsert-only.`,
    unnamed: ({ dns, object, names, hosts }: Names & Record<'object' | 'names', string>) =>
      `After this change ${object} no longer has ${dns} make records of ${names}, and with --policy=sync it deletes these, although Ingresses still route ${hosts}: clients no longer find the address of these hosts. Keep the names there until another object has them, or first set --policy=upsert-only.`,
    // Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/plan/plan.go, filterRecordsForPlan: neither kept nor deleted
    outside: ({ dns, flag, hosts }: Names & { flag: string }) =>
      `After this change --${flag} leaves out the domains of hosts for which ${dns} made records, so those of ${hosts} keep their last address: another one of the controller does not reach them. Keep the domains in, or let another ExternalDNS have them.`,
    // Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/plan/plan.go: owner id does not match; registry/txt.go
    disowned: ({ dns, was, is, hosts }: Names & Record<'was' | 'is', string>) =>
      `After this change ${dns} has the owner id ${is} instead of ${was}, and it neither updates nor deletes records of another owner: those of ${hosts} keep their last address. Keep the owner id, or have it take the records over: --migrate-from-txt-owner=${was}, from 0.20.0 on.`,
    unattached: ({ dns, gateway, hosts }: Names & { gateway: string }) =>
      `After this change the routes of ${hosts} are attached to no Gateway with the name ${gateway}, the only one whose routes ${dns} takes by --gateway-name, and with --policy=sync it deletes their records, although these hosts stay routed. Set the flag to the name of their Gateway in the same change, or first set --policy=upsert-only.`,
    stopped: ({ dns, outcome, hosts }: Names & { outcome: string }) =>
      `${dns} ${outcome}, and no other ExternalDNS here makes the records of ${hosts}, so they keep their last address, and new hosts get none. Keep it until another ExternalDNS has its work.`,
  },
  later: { unnamed: '1.31.0', outside: '1.31.0', stopped: '1.31.0', disowned: '1.32.0', unattached: '1.33.0' },
  putBack: {
    disowned: 'changed',
    left: 'changed',
    unattached: 'changed',
    unnamed: 'changed',
    outside: 'changed',
    stopped: 'changed',
  },
  *partners(manifest, _, isGone) {
    const { content } = manifest.object
    if (isGone && groupKindOf(manifest.ref) === gatewayKind) yield* [gatewayFlag, 'parentRefs', manifest.ref.name]
    if (routeKinds.includes(groupKindOf(manifest.ref))) yield* [gatewayFlag, ...namesInRoute(manifest)]
    if (!/external-?dns/.test(content)) return
    yield* ['Ingress', 'external-dns', 'externaldns.k8s.io', ...namesOfReleaseParts(manifest)]
    if (isDnsObject(manifest)) return
    for (const [source, mark] of Object.entries(marksOfSources)) if (content.includes(source)) yield mark
  },
  check({ change, base, head, report }) {
    const { before, after } = sidesOf(change)
    if (!before || (!after && (staysInCluster(before) || head.get(before.ref).length > 0))) return
    if (groupKindOf(before.ref) === gatewayKind) {
      for (const { is, hosts } of after ? [] : losersOf(before, base, head)) {
        const args = { dns: nameOf(is.workload.ref), gateway: before.ref.name, hosts: abridged(hosts) }
        report([before.root, placeOf(is, gatewayFlag)], 'unattached', args, { keys: [] })
      }
      return
    }
    if (after && routeKinds.includes(groupKindOf(before.ref))) {
      // One of the routes speaks for all that leave.
      for (const { is, hosts, first } of routesLeaving(base, head)) {
        if (first !== identityOf(before.ref)) continue
        const args = { dns: nameOf(is.workload.ref), gateway: gatewayNameOf(is) ?? '', hosts: abridged(hosts) }
        report([after.root.at('spec', 'parentRefs'), placeOf(is, gatewayFlag)], 'unattached', args, { keys: [] })
      }
    }
    if (isDnsObject(before)) {
      for (const { at, ...args } of namesLost(before, after, base, head)) report(at, 'unnamed', args, { keys: [] })
      return
    }
    const [was, is] = [dnsScopesOf(before, base)[0], after && dnsScopesOf(after, head)[0]]
    if (!was || isStopped(before) || isSuspended(after ?? before)) return
    const dns = nameOf(before.ref)
    if (!after || isStopped(after)) {
      const hosts = hostsWithout(dnsNamesIn(was, base), base, head)
      if (hosts.length === 0 || (!after && isInstalled(head))) return
      const outcome = after ? 'runs no Pod after this change' : 'is gone after this change'
      const at = after
        ? after.root.at('spec', after.root.at('spec', 'suspend').exists ? 'suspend' : 'replicas')
        : before.root
      report(at, 'stopped', { dns, outcome, hosts: abridged(hosts) }, { keys: [] })
      return
    }
    if (!is) return
    const disowned = disownedHosts(was, is, base, head)
    if (disowned) {
      const { at, hosts, ...owners } = disowned
      report(at, 'disowned', { dns, ...owners, hosts: abridged(hosts) }, { keys: [] })
      return
    }
    const unattached = gatewayNameOf(was) === gatewayNameOf(is) ? [] : hostsUnattached(was, is, base, head)
    if (unattached.length > 0) {
      const args = { dns, gateway: gatewayNameOf(is) ?? '', hosts: abridged(unattached) }
      report(placeOf(is, gatewayFlag), 'unattached', args, { keys: [] })
    }
    const outside = outsideHosts(was, is, base, head)
    for (const [message, lost] of Object.entries({ left: is.prunes ? lostHosts(was, is, base, head) : [], outside }))
      for (const [flag, hosts] of lost) {
        const args = { dns, flag, hosts: abridged([...hosts]) }
        report(placeOf(is, flag), message as 'left' | 'outside', args, { keys: [flag] })
      }
  },
})

/** The hosts whose records keep the owner that an ExternalDNS had before a change, where no other one may have them. */
function disownedHosts(was: DnsScope, is: DnsScope, base: Snapshot, head: Snapshot) {
  const [old, now] = [was, is].map(({ settings }) => ownerOf(settings))
  const others = dnsScopesIn(head).filter(({ workload }) => identityOf(workload.ref) !== identityOf(is.workload.ref))
  if (!old || !now || old === now || others.length > 0 || is.settings.has(migration)) return undefined
  const named = new Set(dnsNamesIn(was, base))
  const routed = head.ofKind(ingressKind).flatMap((one) => [...routedHosts(one).keys()])
  const kept = new Set(dnsNamesIn(is, head))
  const hosts = [...new Set(routed)].filter((host) => named.has(host) && kept.has(host)).sort()
  return hosts.length > 0 ? { at: placeOf(is, ownerFlag), was: old, is: now, hosts } : undefined
}

const ownerFlag = 'txt-owner-id'
const migration = 'migrate-from-txt-owner'

/** The owner that the TXT records of its records have; undefined where it is unknown or has no such records. */
function ownerOf(settings: Settings): string | undefined {
  const owner = valueOr(settings, ownerFlag, 'default')
  return owner && !isPlaceholder(owner) && valueOr(settings, 'registry', 'txt') === 'txt' ? owner : undefined
}

function placeOf({ settings }: DnsScope, flag: string): Cursor {
  return settings.all(flag).at(-1)?.at ?? settings.placeOf(flag)
}

/** Whether a release here installs an ExternalDNS, of which the objects may not be seen. */
function isInstalled(head: Snapshot): boolean {
  const releases = releaseKinds.flatMap((kind) => head.ofKind(kind))
  return releases.some((one) => one.object.content.includes('external-dns') && dnsInstancesOf(one, head).length > 0)
}

/** The ExternalDNS that take the routes of a removed Gateway by its name, with the hosts whose records they delete. */
function losersOf(gateway: Manifest, base: Snapshot, head: Snapshot): { is: DnsScope; hosts: string[] }[] {
  const { name } = gateway.ref
  if (gatewaysNamed(name, head).length > 0) return []
  return dnsScopesIn(base).flatMap((was) => {
    const is = asIn(head, was)
    const hosts = is && gatewayNameOf(is) === name ? hostsUnattached(was, is, base, head) : []
    return is && hosts.length > 0 ? [{ is, hosts }] : []
  })
}

/** The names of the Gateways that a route names, and its hosts, which other routes may have. */
function namesInRoute(route: Manifest): string[] {
  const hosts = [...route.root.at('spec', 'hostnames').items()].flatMap(({ string }) => string ?? [])
  return [...(parentsOf(route) ?? []).flatMap(({ name }) => name.string ?? []), ...hosts]
}

/** An ExternalDNS after the change. */
function asIn(head: Snapshot, was: DnsScope): DnsScope | undefined {
  return dnsScopesIn(head).find(({ workload }) => identityOf(workload.ref) === identityOf(was.workload.ref))
}

/** The hosts that lose a record because an object changes or goes, for the first ExternalDNS that deletes it. */
function namesLost(before: Manifest, after: Manifest | undefined, base: Snapshot, head: Snapshot) {
  for (const was of dnsScopesIn(base)) {
    const is = asIn(head, was)
    if (!is?.prunes) continue
    const names = namesLostBy(before, after, was, is)
    const hosts = hostsWithout(names, base, head)
    if (hosts.length === 0) continue
    const lost = {
      dns: nameOf(is.workload.ref),
      object: nameOf(before.ref),
      names: abridged(names),
      hosts: abridged(hosts),
    }
    return [{ at: after ? nameplateOf(before, after, is) : before.root, ...lost }]
  }
  return []
}

/** What names an object's records, at the first annotation about them that a change writes. */
function nameplateOf(before: Manifest, after: Manifest, is: DnsScope): Cursor {
  const [written] = namingAnnotations.flatMap((name) => {
    const [was, now] = [before, after].map((one) => dnsAnnotationsOf(one, is, name)[0])
    return now && now.string !== was?.string ? [now] : []
  })
  const endpoints = after.root.at('spec', 'endpoints')
  return written ?? (endpoints.exists ? endpoints : after.root.at('metadata'))
}

/** The hosts with a record that is outside of the domains of an ExternalDNS after a change, by the flag that has changed. */
function outsideHosts(was: DnsScope, is: DnsScope, base: Snapshot, head: Snapshot): [flag: string, hosts: string[]][] {
  const names = dnsNamesIn(was, base).filter((name) => isInDomains(is.settings, name) === false)
  const hosts = hostsWithout(names, base, head)
  const [before, after] = [was, is].map(({ settings }) => String(valuesOfFlag(settings, 'exclude-domains')))
  return hosts.length > 0 ? [[before === after ? 'domain-filter' : 'exclude-domains', hosts]] : []
}

/** The hosts of Ingresses that one ExternalDNS made records of and none does after a change, by the flag that leaves them out. */
function lostHosts(was: DnsScope, is: DnsScope, base: Snapshot, head: Snapshot): ReadonlyMap<string, Set<string>> {
  const others = dnsScopesIn(head)
  const lost = new Map<string, Set<string>>()
  const kept = new Set<string>()
  for (const ingress of head.ofKind(ingressKind)) {
    const hosts = [...routedHosts(ingress).keys()].filter((host) => !isPlaceholder(host))
    const [before] = base.get(ingress.ref)
    const isTaken = others.some((one) => takesForDns(one, ingress) !== false)
    if (isTaken) for (const host of hosts) kept.add(host)
    if (isTaken || hosts.length === 0 || !before || takesForDns(was, before) !== true) continue
    const flag = leftOutBy(is, ingress)
    lost.set(flag, new Set([...(lost.get(flag) ?? []), ...hosts]))
  }
  const left = [...lost].map(([flag, hosts]) => [flag, new Set([...hosts].filter((host) => !kept.has(host)))] as const)
  return new Map(left.filter(([, hosts]) => hosts.size > 0))
}
