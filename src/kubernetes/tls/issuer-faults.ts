import { alternatives, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { written } from '../fields/written-path'

/** A reason for which cert-manager rejects an issuer, as a clause, and what to do. */
export interface IssuerFault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
}

/** The types of an issuer. */
const issuerTypes = ['acme', 'ca', 'selfSigned', 'vault', 'venafi']

/** The ways in which the http01 solver gets its requests. */
const httpTypes = ['ingress', 'gatewayHTTPRoute']

/** The providers of the dns01 solver; one of them is at a webhook of its own. */
const dnsProviders = [
  'acmeDNS',
  'akamai',
  'azureDNS',
  'cloudDNS',
  'cloudflare',
  'digitalocean',
  'rfc2136',
  'route53',
  'webhook',
]

/**
 * The reasons for which cert-manager rejects the spec of an Issuer or a ClusterIssuer. Source: cert-manager 1.21,
 * internal/apis/certmanager/validation/issuer.go, ValidateIssuerConfig
 */
export function* faultsOfIssuer(spec: Cursor): Generator<IssuerFault> {
  yield* oneOf(spec, issuerTypes, 'type')
  const acme = spec.at('acme')
  if (acme.isSet) yield* faultsOfAcme(acme)
  if (spec.at('ca').isSet) yield* required(spec.at('ca'), ['secretName'])
  if (spec.at('vault').isSet) yield* required(spec.at('vault'), ['server', 'path'])
}

function* faultsOfAcme(acme: Cursor): Generator<IssuerFault> {
  yield* required(acme, ['server', 'privateKeySecretRef'])
  if (acme.at('privateKeySecretRef').isSet) yield* required(acme.at('privateKeySecretRef'), ['name'])
  for (const solver of acme.at('solvers').items()) {
    yield* oneOf(solver, ['http01', 'dns01'], 'solver')
    const [http, dns] = [solver.at('http01'), solver.at('dns01')]
    if (http.isSet) yield* oneOf(http, httpTypes, 'way to get the requests of the challenge')
    if (http.at('ingress').isSet) yield* atMostOne(http.at('ingress'), ['ingressClassName', 'class', 'name'])
    if (!dns.isSet) continue
    yield* oneOf(dns, dnsProviders, 'provider')
    if (dns.at('cloudflare').isSet) yield* faultsOfCloudflare(dns.at('cloudflare'))
    if (dns.at('cloudDNS').isSet) yield* required(dns.at('cloudDNS'), ['project'])
    if (dns.at('azureDNS').isSet) yield* required(dns.at('azureDNS'), ['subscriptionID', 'resourceGroupName'])
    if (dns.at('acmeDNS').isSet) yield* required(dns.at('acmeDNS'), ['host'])
    if (dns.at('rfc2136').isSet) yield* required(dns.at('rfc2136'), ['nameserver'])
  }
}

function* faultsOfCloudflare(cloudflare: Cursor): Generator<IssuerFault> {
  const secrets = ['apiTokenSecretRef', 'apiKeySecretRef']
  yield* oneOf(cloudflare, secrets, 'Secret with a token or a key')
  if (cloudflare.at('apiKeySecretRef').isSet) yield* required(cloudflare, ['email'])
}

/** Where a map has none of some fields, or several. */
function* oneOf(map: Cursor, fields: readonly string[], what: string): Generator<IssuerFault> {
  const set = [...map.entries()].filter(([, value]) => value.isSet).map(([key]) => key)
  if (set.some((key) => isOf(key, fields))) yield* atMostOne(map, fields)
  // Another field may be that of a newer release.
  else if (map.isMap && set.every((key) => besides.has(key)))
    yield { at: map, fault: `${written(map)} has no ${what}`, remedy: `Set ${alternatives(fields)} in it.` }
}

/** Fields beside which one of several is needed. */
const besides: ReadonlySet<string> = new Set(['cnameStrategy', 'nameservers', 'selector', 'waitInsteadOfSelfCheck'])

/** Whether a key is one of some fields: before v1, those of providers had small letters alone. */
function isOf(key: string, fields: readonly string[]): boolean {
  return fields.some((field) => field === key || field.toLowerCase() === key)
}

function* atMostOne(map: Cursor, fields: readonly string[]): Generator<IssuerFault> {
  const found = fields.filter((field) => map.at(field).isSet)
  const [, second] = found
  if (second === undefined) return
  const fault = `${written(map)} has ${enumerated(found)}, of which only one may be set`
  yield { at: map.at(second), fault, remedy: 'Keep one of them.' }
}

/** The fields that a map lacks. */
function* required(map: Cursor, fields: readonly string[]): Generator<IssuerFault> {
  for (const field of fields) {
    const its = map.at(field)
    if (its.isSet && its.string !== '') continue
    yield { at: its.exists ? its : map, fault: `${written(map)} has no ${field}`, remedy: `Set ${field} in it.` }
  }
}
