import type { Cursor } from '../../manifest/cursor'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/**
 * A key of an Ingress's values that charts made with `helm create` read in another place. `nested`: `tls` in an entry of the hosts;
 * `beside`: the name of the Secret beside the list of TLS entries; `unnamed`: an entry of the hosts with a `name` in place of a `host`;
 * `among`: a TLS entry among the hosts; `within`: `tls` in a path, or in an entry of the hosts of `ingress.main`; `cased`: a key in
 * another case; `outside`: `hosts` beside `ingress`.
 */
export interface MisplacedValue {
  readonly kind: 'nested' | 'beside' | 'unnamed' | 'among' | 'within' | 'cased' | 'outside'
  readonly at: Cursor
  /** `server.ingress` */
  readonly path: string
  readonly text: string
}

/**
 * The misplaced keys in the values of a release, if all of them are known: others may have the key in its place. Source: helm/helm
 * at 0d1f9dad3e48, pkg/chart/v2/util/create.go, defaultIngress: the template of `helm create` reads `host` and `paths` of each entry
 * of the hosts, and `hosts` and `secretName` of each TLS entry. That of app-template does so, too, for each Ingress by its key:
 * bjw-s-labs/helm-charts at common-4.1.1, charts/library/common/templates/classes/_ingress.tpl.
 */
export function misplacedValuesOf(release: RemoteRelease): MisplacedValue[] {
  const { layers, elsewhere } = release
  if (elsewhere.length > 0 || layers.some((layer) => 'hidden' in layer)) return []
  const values = seenValuesOf(release)
  return readBlocks(values, new Set(['ingress']), (value, path) => {
    const around = path.slice(0, -1).reduce((one, key) => one.get(key), values)
    const outside = besideIngress(value, around).map(located(path))
    if (outside.length > 0) return outside
    if (value.get('hosts').isSet) return [...casedIn(value), ...inPlain(value)].map(located(path))
    return value.keys.flatMap((key) => {
      const its = value.get(key)
      return [...casedIn(its), ...inKeyed(its)].map(located([...path, key]))
    })
  })
}

type Found = Omit<MisplacedValue, 'path'>

function located(path: readonly string[]): (found: Found) => MisplacedValue {
  return (found) => ({ ...found, path: path.join('.') })
}

/** Hosts, and what else an Ingress has, at the level of its block, which has none: all of them lost their indentation. */
function besideIngress(value: LayeredValue, around: LayeredValue): Found[] {
  const isBare = value.get('enabled').scalar === true && !ofHosts.some((key) => value.get(key).isSet)
  const { at, items = [] } = around.get('hosts')
  if (!isBare || !at || items.length === 0 || !items.every(isHost)) return []
  const others = ['annotations', 'tls'].filter((key) => isOfIngress(around.get(key)))
  return others.length > 0 ? [{ kind: 'outside', at, text: ['hosts', ...others].join() }] : []
}

const ofHosts = ['host', 'hosts', 'hostname', 'hostnames', 'tls']

function isHost(one: LayeredValue): boolean {
  return one.isMap ? one.get('host').isSet : typeof one.scalar === 'string' && one.scalar.includes('.')
}

/** TLS entries, or annotations for a controller or for cert-manager. */
function isOfIngress({ items, keys }: LayeredValue): boolean {
  return items ? items.some((one) => one.get('secretName').isSet) : keys.some((key) => /ingress|cert-manager/.test(key))
}

/** The keys that charts read in the values of an Ingress. */
const keysOfIngress = ['enabled', 'className', 'ingressClassName', 'annotations', 'hosts', 'tls']

/** Keys with a capital letter at the start in place of a small one. */
function casedIn(value: LayeredValue): Found[] {
  if (!value.get('hosts').isSet || value.get('enabled').scalar === false) return []
  return value.keys.flatMap((key): Found[] => {
    const meant = `${key.charAt(0).toLowerCase()}${key.slice(1)}`
    const at = value.get(key).at
    if (!at || meant === key || !keysOfIngress.includes(meant) || value.get(meant).isSet) return []
    return [{ kind: 'cased', at, text: key }]
  })
}

function inPlain(value: LayeredValue): Found[] {
  const hosts = value.get('hosts').items ?? []
  if (value.get('enabled').scalar !== true || hosts.length === 0) return []
  if (!hosts.every((host) => hasPaths(host, ['path', 'pathType'])))
    return [...amongHosts(hosts), ...inPaths(value, hosts)]
  return [...inEntries(value, hosts, 'nested'), ...unnamedIn(hosts), ...besideTls(value)]
}

/** One Ingress of several that have keys of their own. */
function inKeyed(value: LayeredValue): Found[] {
  if (!value.isMap || value.get('enabled').scalar === false) return []
  const hosts = value.get('hosts').items ?? []
  if (hosts.every((host) => hasPaths(host, ['path', 'pathType', 'service']))) return inEntries(value, hosts, 'within')
  return [...amongHosts(hosts), ...inPaths(value, hosts)]
}

/** `paths: [{ path, pathType }]`, as charts made with `helm create` have it. */
function hasPaths(host: LayeredValue, known: readonly string[]): boolean {
  const paths = host.isMap ? (host.get('paths').items ?? []) : []
  return paths.length > 0 && paths.every(({ keys }) => keys.every((key) => known.includes(key)))
}

function inEntries(value: LayeredValue, hosts: readonly LayeredValue[], kind: 'nested' | 'within'): Found[] {
  return hasItems(value.get('tls')) ? [] : hosts.flatMap((entry) => tlsIn(entry, entry, kind))
}

function inPaths(value: LayeredValue, hosts: readonly LayeredValue[]): Found[] {
  if (hasItems(value.get('tls'))) return []
  return hosts.flatMap((entry) => (entry.get('paths').items ?? []).flatMap((path) => tlsIn(path, entry, 'within')))
}

/** TLS entries in an entry of the hosts, or in a path of one. */
function tlsIn(value: LayeredValue, entry: LayeredValue, kind: 'nested' | 'within'): Found[] {
  const { at, items } = value.get('tls')
  const isTls = items?.some((one) => one.get('hosts').isSet || one.get('secretName').isSet)
  return at && isTls ? [{ kind, at, text: String(entry.get('host').scalar ?? 'a host') }] : []
}

function unnamedIn(hosts: readonly LayeredValue[]): Found[] {
  return hosts.flatMap((entry): Found[] => {
    const name = entry.get('name')
    const isNamed = typeof name.scalar === 'string' && name.scalar.includes('.')
    return isNamed && name.at && !entry.get('host').isSet
      ? [{ kind: 'unnamed', at: name.at, text: String(name.scalar) }]
      : []
  })
}

function besideTls(value: LayeredValue): Found[] {
  const { at, scalar } = value.get('secretName')
  const entries = value.get('tls').items ?? []
  const isOpen = entries.length > 0 && entries.every((one) => one.get('hosts').isSet && !one.get('secretName').isSet)
  return at && typeof scalar === 'string' && isOpen ? [{ kind: 'beside', at, text: scalar }] : []
}

/** TLS entries that lost their key, so that they are items of the hosts. */
function amongHosts(hosts: readonly LayeredValue[]): Found[] {
  const isHost = (one: LayeredValue) => one.isMap && one.get('host').isSet && one.get('paths').items !== undefined
  if (!hosts.some(isHost)) return []
  return hosts.flatMap((entry): Found[] => {
    const { at, isMap, keys } = entry
    const isTls = isMap && keys.length > 0 && keys.every((key) => ['hosts', 'secretName'].includes(key))
    const named = entry.get('hosts').items?.[0]?.scalar ?? entry.get('secretName').scalar
    return at && isTls ? [{ kind: 'among', at, text: String(named ?? 'a host') }] : []
  })
}

function hasItems(value: LayeredValue): boolean {
  return (value.items ?? []).length > 0
}
