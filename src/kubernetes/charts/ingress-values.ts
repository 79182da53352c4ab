import type { Cursor } from '../../manifest/cursor'
import type { Placed } from '../../manifest/placed'
import type { LayeredValue } from './layered-value'
import type { BackendOf } from './service-values'
import { all, annotationsOf, type Filled, type Reading, readBlocks, textOf } from './value-blocks'

/** An Ingress as values lay it out. */
export interface IngressValues {
  /** The path in the values: `ingress`, `server.ingress`, `ingress.main`. */
  readonly path: readonly string[]
  /** Whether it is the only one below the key `ingress`. */
  readonly isAlone: boolean
  readonly annotations: Placed | undefined
  readonly className: Placed | undefined
  readonly rules: Placed
  readonly tls: Placed | undefined
  readonly at: Cursor
}

const keys: ReadonlySet<string> = new Set(['ingress'])

/**
 * The Ingresses in values, in the form of charts made with `helm create`, or in another common form: `hosts: [{host}]`
 * or `hosts: [a.example.com]`, one `host` next to a list of `tls`, Bitnami's `hostname` with `tls: true`, and the keyed
 * `ingress.main` of bjw-s/common and k8s-at-home, also below the name of a component (`server.ingress`). Anything else
 * is left alone.
 */
export function ingressValuesIn(values: LayeredValue, reading: Reading): IngressValues[] {
  return readBlocks(values, keys, (value, path) => ingressesAt(value, path, reading))
}

function ingressesAt(value: LayeredValue, path: readonly string[], reading: Reading): IngressValues[] {
  if (!value.isMap) return []
  const enabled = value.get('enabled')
  const isPlain = ['enabled', 'hosts', 'hostname'].some((key) => value.get(key).isSet)
  const isSingle = value.get('host').isSet && hasItems(value.get('tls'))
  // The charts with a single host have no switch, or one that is on.
  if (isPlain || isSingle) {
    const isOn = enabled.scalar === true || (isSingle && !enabled.isSet)
    return isOn ? ingressAt(value, path, reading) : []
  }
  const found = value.keys.flatMap((key) => {
    const keyed = value.get(key)
    const isOn = !keyed.get('enabled').isSet || keyed.get('enabled').scalar === true
    return keyed.isMap && isOn && keyed.get('hosts').isSet ? ingressAt(keyed, [...path, key], reading) : []
  })
  return found.map((one) => ({ ...one, isAlone: found.length === 1 }))
}

function ingressAt(value: LayeredValue, path: readonly string[], reading: Reading): IngressValues[] {
  const { at } = value
  const { fill } = reading
  const read = hasItems(value.get('hosts'))
    ? byHosts(value, reading)
    : value.get('hostname').isSet
      ? byHostname(value, fill)
      : byHost(value, fill)
  if (!at || !read || read.rules.length === 0) return []
  const named = ['hosts', 'hostname', 'host'].flatMap((key) => value.get(key).at ?? [])[0]
  const [rules, tls] = [named ?? at, value.get('tls').at ?? at]
  const className = ['className', 'ingressClassName'].map((key) => value.get(key)).find(({ isSet }) => isSet)
  return [
    {
      path,
      isAlone: true,
      at,
      annotations: annotationsOf(value.get('annotations'), fill),
      className: className && textOf(className, fill),
      rules: { at: rules, list: read.rules },
      tls: read.tls.length > 0 ? { at: tls, list: read.tls } : undefined,
    },
  ]
}

interface ReadHosts {
  readonly rules: readonly Placed[]
  readonly tls: readonly Placed[]
}

/**
 * `hosts: [{host, paths}]` or `hosts: [text]`, and `tls: [{hosts, secretName}]`. Undefined where it is something else.
 */
function byHosts(value: LayeredValue, { fill, backendOf }: Reading): ReadHosts | undefined {
  if (value.get('hostname').scalar) return undefined
  // An entry of `tls` that lost its key ends up among the hosts; a chart makes no host of it.
  const items = value.get('hosts').items?.filter((item) => !isEntry(item))
  const rules = all(items, (item) =>
    item.isMap
      ? ruleOf(item.get('host'), item, fill, backendOf)
      : ruleOf(item, item, (text) => withoutPath(fill(text))),
  )
  const tls = entriesOf(value.get('tls'), fill)
  return rules && tls && { rules, tls }
}

function isEntry(item: LayeredValue): boolean {
  return item.isMap && !item.get('host').isSet && ['hosts', 'secretName'].some((key) => item.get(key).isSet)
}

/** `host: a.example.com` and `tls: [{hosts, secretName}]`. */
function byHost(value: LayeredValue, fill: Filled): ReadHosts | undefined {
  const rule = ruleOf(value.get('host'), value.get('host'), fill)
  const tls = entriesOf(value.get('tls'), fill)
  return rule && tls && { rules: [rule], tls }
}

/** `hostname: a.example.com`, `tls: true`, and more by `extraHosts: [{name}]` and `extraTls`. */
function byHostname(value: LayeredValue, fill: Filled): ReadHosts | undefined {
  const hostname = value.get('hostname')
  const [tls, extra] = [value.get('tls'), value.get('extraHosts')]
  const host = textOf(hostname, fill)
  if (!host || !('scalar' in host) || (tls.isSet && typeof tls.scalar !== 'boolean')) return undefined
  const more = extra.isSet ? all(extra.items, (item) => ruleOf(item.get('name'), item, fill)) : []
  const entries = entriesOf(value.get('extraTls'), fill)
  if (!more || !entries) return undefined
  const own = tls.scalar === true && tls.at ? [entryFor(host, tls.at)] : []
  return { rules: [{ at: host.at, map: { host } }, ...more], tls: [...own, ...entries] }
}

/** The entry that Bitnami's charts make: the Secret is named after the host, and a name with a star is none. */
function entryFor(host: Extract<Placed, { scalar: unknown }>, at: Cursor): Placed {
  const secretName = { at, scalar: `${String(host.scalar).replace(/^\*\./, '')}-tls` }
  return { at, map: { hosts: { at: host.at, list: [host] }, secretName } }
}

function entriesOf(tls: LayeredValue, fill: Filled): Placed[] | undefined {
  if (!tls.isSet || (tls.isMap && tls.keys.length === 0)) return []
  return all(tls.items, (entry) => {
    const hosts = entry.get('hosts')
    const names = hosts.isSet ? all(hosts.items, (name) => textOf(name, fill)) : []
    const secret = entry.get('secretName')
    const secretName = secret.isSet ? textOf(secret, fill) : undefined
    if (!entry.isMap || !entry.at || !names || (secret.isSet && !secretName)) return undefined
    const list: Placed | undefined = hosts.at && { at: hosts.at, list: names }
    return { at: entry.at, map: { ...(list ? { hosts: list } : {}), ...(secretName ? { secretName } : {}) } }
  })
}

/** A rule without a host takes every one. */
function ruleOf(host: LayeredValue, rule: LayeredValue, fill: Filled, backendOf?: BackendOf): Placed | undefined {
  const name = textOf(host, fill)
  if (!name || !rule.at) return undefined
  const [paths, at] = [pathsOf(rule.get('paths'), fill, backendOf), rule.get('paths').at]
  const http: Placed | undefined = paths && at && { at, map: { paths: { at, list: paths } } }
  return {
    at: rule.at,
    map: { ...('scalar' in name && name.scalar === '' ? {} : { host: name }), ...(http ? { http } : {}) },
  }
}

/** `paths: [{path, pathType}]`, or texts alone. */
function pathsOf(paths: LayeredValue, fill: Filled, backendOf?: BackendOf): Placed[] | undefined {
  return all(paths.items, (item) => {
    const [path, pathType] = item.isMap
      ? [textOf(item.get('path'), fill), textOf(item.get('pathType'), fill)]
      : [textOf(item, fill)]
    const backend = item.isMap ? backendOf?.(item.get('service'), 'ingress') : undefined
    const map = path && { path, ...(pathType ? { pathType } : {}), ...(backend ? { backend } : {}) }
    return item.at && map && { at: item.at, map }
  })
}

/** A name alone may have a path behind it, as the chart of Prometheus takes it. */
function withoutPath(text: string): string {
  return text.includes('://') || text.includes('{{') ? text : text.replace(/\/.*$/s, '')
}

function hasItems(value: LayeredValue): boolean {
  return value.items === undefined ? value.isSet : value.items.length > 0
}
