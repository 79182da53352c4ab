import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'

/** The reason why the API server refuses an object, as a clause, and the way out of it. */
export interface GatewayFault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
}

/**
 * The faults of a Gateway for which its CustomResourceDefinition has a validation. Source, for this file: Gateway API
 * v0.8.0 to v1.6.1, config/crd/standard, x-kubernetes-validations; that of HTTPS with Passthrough since v1.1.0.
 */
export function* faultsOfGateway(spec: Cursor): Iterable<GatewayFault> {
  const listeners = [...spec.at('listeners').items()]
  const names = new Set<string>()
  const places = new Set<string>()
  for (const at of listeners) {
    const name = at.at('name').string ?? ''
    const [port, protocol, hostname] = [at.at('port').value, at.at('protocol').string ?? '', at.at('hostname').string]
    const place = JSON.stringify([port, protocol, hostname])
    if (names.has(name))
      yield {
        at: at.at('name'),
        fault: `two listeners have the name ${name}`,
        remedy: 'Give one of them another name.',
      }
    else if (places.has(place)) {
      const fault = `two listeners have the port ${port}, the protocol ${protocol} and ${hostname ? `the hostname ${hostname}` : 'no hostname'}`
      yield { at, fault, remedy: 'Remove one of them, or give it another hostname or port.' }
    }
    names.add(name)
    places.add(place)
    yield* ofListener(at, name, protocol)
  }
}

function* ofListener(at: Cursor, name: string, protocol: string): Iterable<GatewayFault> {
  const tls = at.at('tls')
  const mode = tls.at('mode').string ?? 'Terminate'
  if (at.at('hostname').string && ['TCP', 'UDP'].includes(protocol))
    yield {
      at: at.at('hostname'),
      fault: `the listener ${name} has a hostname, which the protocol ${protocol} does not know`,
      remedy: 'Remove the hostname.',
    }
  if (!tls.isSet) return
  if (['HTTP', 'TCP', 'UDP'].includes(protocol))
    yield {
      at: tls,
      fault: `the listener ${name} has tls and the protocol ${protocol}`,
      remedy: 'Set its protocol to HTTPS or TLS, or remove tls.',
    }
  else if (protocol === 'HTTPS' && mode === 'Passthrough')
    yield {
      at: tls.at('mode'),
      fault: `the listener ${name} has the protocol HTTPS and the mode Passthrough`,
      remedy: 'Set its protocol to TLS and name it in a TLSRoute, or set the mode to Terminate.',
    }
  else if (mode === 'Terminate' && isEmpty(tls.at('certificateRefs')) && !tls.at('options').isSet)
    yield {
      at: tls,
      fault: `the listener ${name} ends TLS and has no certificateRefs`,
      remedy: 'Name the Secret of its certificate under certificateRefs.',
    }
}

/** The faults in the parents of a route. */
export function* faultsOfParents(spec: Cursor): Iterable<GatewayFault> {
  const seen = new Map<string, Cursor[]>()
  for (const at of spec.at('parentRefs').items()) {
    const name = at.at('name').string ?? ''
    const [group, kind] = [at.at('group').string ?? 'gateway.networking.k8s.io', at.at('kind').string ?? 'Gateway']
    const key = JSON.stringify([group, kind, at.at('namespace').string ?? '', name])
    const others = seen.get(key) ?? []
    seen.set(key, [...others, at])
    // The experimental channel takes several with different ports.
    if (at.at('port').exists || others.some((one) => one.at('port').exists)) continue
    const section = at.at('sectionName').string ?? ''
    const sections = others.map((one) => one.at('sectionName').string ?? '')
    if (sections.includes(section)) {
      const which = section ? ` with the listener ${section}` : ''
      yield { at, fault: `its parentRefs have the ${kind} ${name}${which} twice`, remedy: 'Remove one of them.' }
    } else if (sections.some((one) => (one === '') !== (section === ''))) {
      const fault = `its parentRefs have the ${kind} ${name} twice, and only one of them names a listener`
      yield { at, fault, remedy: 'Name a listener under sectionName in both, or keep the one without it.' }
    }
  }
}

/** The faults in the rules of an HTTPRoute. */
export function* faultsOfHttpRules(spec: Cursor): Iterable<GatewayFault> {
  for (const rule of spec.at('rules').items()) {
    const [matches, filters] = [[...rule.at('matches').items()], [...rule.at('filters').items()]]
    for (const match of matches) yield* ofPath(match.at('path'))
    for (const at of rule.at('backendRefs').items()) yield* ofBackend(at)
    yield* ofFilters(filters)
    const redirect = filters.find((filter) => filter.at('requestRedirect').isSet)
    if (redirect && !isEmpty(rule.at('backendRefs')))
      yield {
        at: redirect,
        fault: 'a rule has both a RequestRedirect and backendRefs',
        remedy: 'Remove the backendRefs, as the redirect answers each request.',
      }
    const replaced = filters
      .flatMap((filter) => [filter.at('urlRewrite', 'path'), filter.at('requestRedirect', 'path')])
      .find((path) => path.at('type').string === 'ReplacePrefixMatch')
    const types = matches.map((match) => match.at('path', 'type').string ?? 'PathPrefix')
    const [type = 'PathPrefix', second] = types
    if (replaced && (type !== 'PathPrefix' || second !== undefined))
      yield {
        at: replaced.at('type'),
        fault: `a rule with ReplacePrefixMatch has ${second === undefined ? `a match of the type ${type}` : `${types.length} matches`}`,
        remedy: 'Give such a rule one match of the type PathPrefix.',
      }
  }
}

const refusedParts: readonly string[] = ['//', '/./', '/../', '%2f', '%2F', '#']
const refusedEnds: readonly string[] = ['/..', '/.']

function* ofPath(at: Cursor): Iterable<GatewayFault> {
  const [value, type] = [at.at('value').string ?? '/', at.at('type').string ?? 'PathPrefix']
  if (!['Exact', 'PathPrefix'].includes(type) || isPlaceholder(value)) return
  const part = refusedParts.find((one) => value.includes(one)) ?? refusedEnds.find((one) => value.endsWith(one))
  if (!value.startsWith('/'))
    yield {
      at: at.at('value'),
      fault: `the path ${value || '""'} does not begin with a slash`,
      remedy: `Write /${value}.`,
    }
  else if (part)
    yield {
      at: at.at('value'),
      fault: `the path ${value} contains ${part}, which the type ${type} forbids`,
      remedy: 'Write the path without it, or use the type RegularExpression.',
    }
}

function* ofBackend(at: Cursor): Iterable<GatewayFault> {
  const isService = (at.at('kind').string ?? 'Service') === 'Service' && !at.at('group').string
  if (isService && !at.at('port').exists)
    yield {
      at,
      fault: `the backendRef ${at.at('name').string ?? ''} has no port`,
      remedy: 'Add a port of that Service.',
    }
}

/** The field of each type of filter. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['RequestHeaderModifier', 'requestHeaderModifier'],
  ['ResponseHeaderModifier', 'responseHeaderModifier'],
  ['RequestMirror', 'requestMirror'],
  ['RequestRedirect', 'requestRedirect'],
  ['URLRewrite', 'urlRewrite'],
  ['ExtensionRef', 'extensionRef'],
])

/** The types that a rule may have more than once. */
const repeatable: readonly string[] = ['RequestMirror', 'ExtensionRef']

function* ofFilters(filters: readonly Cursor[]): Iterable<GatewayFault> {
  const types = new Set<string>()
  for (const at of filters) {
    const type = at.at('type').string ?? ''
    const own = fieldOf.get(type)
    const other = [...fieldOf.values()].find((field) => field !== own && at.at(field).isSet)
    if (own && other)
      yield {
        at: at.at(other),
        fault: `a filter of the type ${type} sets ${other}`,
        remedy: `Move it to a filter of its own type.`,
      }
    else if (own && !at.at(own).isSet)
      yield {
        at,
        fault: `a filter of the type ${type} does not set ${own}`,
        remedy: `Set ${own}, or remove the filter.`,
      }
    if (types.has(type) && own && !repeatable.includes(type))
      yield { at, fault: `a rule has the filter ${type} twice`, remedy: 'Make one of them.' }
    types.add(type)
  }
  const rewrite = filters.find((at) => at.at('type').string === 'URLRewrite')
  if (rewrite && types.has('RequestRedirect'))
    yield { at: rewrite, fault: 'a rule has both a RequestRedirect and a URLRewrite', remedy: 'Keep one of them.' }
}

function isEmpty(list: Cursor): boolean {
  return [...list.items()].length === 0
}
