import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { type Settings, valuesOfFlag } from '../workload/settings'
import { dnsPrefixes } from './external-dns-instance'
import { type DnsScope, takesForDns } from './external-dns-scope'

/** The names of the records that an ExternalDNS makes for one object. */
export interface DnsNames {
  readonly names: ReadonlySet<string>
  /** Whether it certainly makes them; otherwise it may. */
  readonly isSure: boolean
}

/**
 * The names of the records that it makes for an Ingress, a Service or a DNSEndpoint, in lower case. Source:
 * https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0, endpointsFromIngress of source/ingress.go, generateEndpoints of
 * source/service.go, Endpoints of source/crd.go; records outside of the domains are ignored: plan/plan.go, filterRecordsForPlan
 */
export function dnsNamesOf(scope: DnsScope, object: Manifest): DnsNames {
  const isTaken = takesForDns(scope, object)
  if (isTaken === false || isDeclined(scope, object)) return { names: new Set(), isSure: true }
  const written = (readers[groupKindOf(object.ref)] ?? (() => []))(object, scope)
  const names = written.map(normalized).filter((name) => name !== '' && isInDomains(scope.settings, name) !== false)
  const isSure =
    isTaken === true &&
    scope.prefix !== undefined &&
    hasTarget(object, scope) &&
    unreadFlags.every((flag) => !scope.settings.has(flag)) &&
    names.every((name) => !isPlaceholder(name) && isInDomains(scope.settings, name) === true)
  return { names: new Set(names), isSure }
}

/** Flags that decide about single records, and are not read here. */
const unreadFlags = ['managed-record-types', 'exclude-record-types', 'target-net-filter', 'exclude-target-net']

/** Whether it may make records of names that its objects do not show: from a template, or from annotations of other programs. */
export function makesOthers({ settings }: DnsScope): boolean {
  return settings.opaque || ['fqdn-template', 'compatibility'].some((flag) => settings.has(flag))
}

/**
 * Whether a name is within the domains of its filters; undefined if that is unknown. Source:
 * https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/endpoint/domain_filter.go, DomainFilter.Match
 */
export function isInDomains(settings: Settings, name: string): boolean | undefined {
  if (settings.has('regex-domain-filter') || settings.has('regex-domain-exclusion')) return undefined
  const [taken, excluded] = [valuesOfFlag(settings, 'domain-filter'), valuesOfFlag(settings, 'exclude-domains')]
  if (!taken || !excluded || [...taken, ...excluded].some(isPlaceholder)) return undefined
  const isWithin = (domain: string) => matchesDomain(name, normalized(domain))
  return (taken.length === 0 || taken.some(isWithin)) && !excluded.some(isWithin)
}

function matchesDomain(name: string, domain: string): boolean {
  return name === domain || name.endsWith(domain.startsWith('.') ? domain : `.${domain}`)
}

function normalized(name: string): string {
  return name.trim().replace(/\.$/, '').toLowerCase()
}

/** Annotations of an object that an ExternalDNS reads, in their order: with both prefixes, where its own is unknown. */
export function dnsAnnotationsOf({ root }: Manifest, { prefix }: DnsScope, name: string): Cursor[] {
  const prefixes = prefix === undefined ? Object.values(dnsPrefixes) : [prefix]
  const annotations = prefixes.map((one) => root.at('metadata', 'annotations', `${one}${name}`))
  return annotations.filter(({ exists }) => exists)
}

/** The items of such an annotation. Source: source/annotations/processors.go, SplitHostnameAnnotation */
export function dnsItemsOf(object: Manifest, scope: DnsScope, name: string): string[] {
  const texts = dnsAnnotationsOf(object, scope, name).map(({ string = '' }) => string)
  return texts.flatMap((text) => text.split(',').map((item) => item.trim()))
}

/** Whether an annotation gives an Ingress or a Service to another program. */
function isDeclined(scope: DnsScope, object: Manifest): boolean {
  const given = dnsAnnotationsOf(object, scope, 'controller')
  const isRead = groupKindOf(object.ref) !== 'DNSEndpoint.externaldns.k8s.io'
  return isRead && scope.prefix !== undefined && given.some(({ string }) => string !== 'dns-controller')
}

type Reader = (object: Manifest, scope: DnsScope) => string[]

const readers: Readonly<Record<string, Reader>> = {
  'Ingress.networking.k8s.io': namesOfIngress,
  Service: annotatedNames,
  'DNSEndpoint.externaldns.k8s.io': ({ root }) =>
    [...root.at('spec', 'endpoints').items()]
      .filter((one) => addressTypes.includes(one.at('recordType').string ?? ''))
      .map((one) => one.at('dnsName').string ?? ''),
}

const addressTypes = ['A', 'AAAA', 'CNAME']

function annotatedNames(object: Manifest, scope: DnsScope): string[] {
  if (scope.settings.isOn('ignore-hostname-annotation', false)) return []
  return dnsItemsOf(object, scope, 'hostname')
}

function namesOfIngress(ingress: Manifest, scope: DnsScope): string[] {
  const { settings } = scope
  const spec = ingress.root.at('spec')
  const rules = [...spec.at('rules').items()].map((rule) => rule.at('host'))
  const entries = [...spec.at('tls').items()].flatMap((entry) => [...entry.at('hosts').items()])
  const defined = [
    ...(settings.isOn('ignore-ingress-rules-spec', false) ? [] : rules),
    ...(settings.isOn('ignore-ingress-tls-spec', false) ? [] : entries),
  ].map(({ string = '' }) => string)
  const [source] = dnsItemsOf(ingress, scope, 'ingress-hostname-source')
  // Any other value than these two leaves all of them out.
  return [
    ...(source === undefined || source.toLowerCase() === 'defined-hosts-only' ? defined : []),
    ...(source === undefined || source.toLowerCase() === 'annotation-only' ? annotatedNames(ingress, scope) : []),
  ]
}

/** Whether the records of an object have an address: one of a Service in the cluster alone is not published by default. */
function hasTarget(object: Manifest, scope: DnsScope): boolean {
  if (groupKindOf(object.ref) !== 'Service' || dnsItemsOf(object, scope, 'target').length > 0) return true
  const { settings } = scope
  return object.root.at('spec', 'type').string === 'LoadBalancer' && !settings.has('service-type-filter')
}
