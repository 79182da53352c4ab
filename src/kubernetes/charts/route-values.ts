import type { Cursor } from '../../manifest/cursor'
import type { Placed } from '../../manifest/placed'
import type { LayeredValue } from './layered-value'
import { all, annotationsOf, type Filled, type Reading, readBlocks, textOf } from './value-blocks'

/** A route of Gateway API as values lay it out. */
export interface RouteValues {
  /** The path in the values: `route.app`, `server.route.main`, `httpRoute`. */
  readonly path: readonly string[]
  /** Whether it is the only one below its key. */
  readonly isAlone: boolean
  readonly kind: string
  readonly annotations: Placed | undefined
  readonly parentRefs: Placed
  readonly hostnames: Placed | undefined
  readonly rules: Placed | undefined
  readonly at: Cursor
}

/** The keys of routes, with the kind that each makes where the values name none. */
const kindOf: ReadonlyMap<string, string> = new Map([
  ['route', 'HTTPRoute'],
  ['httpRoute', 'HTTPRoute'],
  ['httproute', 'HTTPRoute'],
  ['grpcRoute', 'GRPCRoute'],
  ['grpcroute', 'GRPCRoute'],
])

const keys: ReadonlySet<string> = new Set(kindOf.keys())

const kinds = ['GRPCRoute', 'HTTPRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute']

/**
 * The routes in values: the keyed `route.app` of app-template 3 and 4 (bjw-s-labs/helm-charts, charts/library/common,
 * schemas/route.json and templates/classes/_route.tpl), which are on unless they are switched off; with `enabled: true`,
 * the `route.main` of Grafana's and Prometheus' charts, also below a component, and `httpRoute` of charts made with
 * `helm create`. Only what names its parents is read: any other block of that name may be something else.
 */
export function routeValuesIn(values: LayeredValue, reading: Reading): RouteValues[] {
  return readBlocks(values, keys, (value, path) => routesAt(value, path, reading))
}

function routesAt(value: LayeredValue, path: readonly string[], reading: Reading): RouteValues[] {
  if (!value.isMap) return []
  const own = kindOf.get(path.at(-1) ?? '') ?? ''
  if (value.get('parentRefs').isSet)
    return value.get('enabled').scalar === true ? routeAt(value, path, own, reading) : []
  const isTop = path.length === 1
  const found = value.keys.flatMap((key) => {
    const keyed = value.get(key)
    const enabled = keyed.get('enabled')
    const isOn = enabled.scalar === true || (isTop && !enabled.isSet)
    return keyed.isMap && isOn ? routeAt(keyed, [...path, key], own, reading) : []
  })
  return found.map((one) => ({ ...one, isAlone: found.length === 1 }))
}

function routeAt(value: LayeredValue, path: readonly string[], own: string, reading: Reading): RouteValues[] {
  const { at } = value
  const { fill } = reading
  const [parents, hosts, kind] = [value.get('parentRefs'), value.get('hostnames'), value.get('kind')]
  const written = kind.isSet ? kind.scalar : own
  const refs = all(parents.items, (item) => parentOf(item, fill))
  const names = hosts.isSet ? all(hosts.items, (item) => textOf(item, fill)) : []
  const known = kinds.find((one) => one === written)
  if (!at || !parents.at || !refs || refs.length === 0 || !names || !known) return []
  return [
    {
      path,
      isAlone: true,
      kind: known,
      at,
      annotations: annotationsOf(value.get('annotations'), fill),
      parentRefs: { at: parents.at, list: refs },
      hostnames: hosts.at && names.length > 0 ? { at: hosts.at, list: names } : undefined,
      rules: rulesOf(value.get('rules'), reading),
    },
  ]
}

/** A parent by its name; undefined for one whose fields cannot be read. */
function parentOf(item: LayeredValue, fill: Filled): Placed | undefined {
  if (!item.isMap || !item.at || !item.get('name').isSet) return undefined
  const written = ['group', 'kind', 'name', 'namespace', 'sectionName'].filter((key) => item.get(key).isSet)
  const texts = written.flatMap((key): [string, Placed][] => {
    const text = textOf(item.get(key), fill)
    return text ? [[key, text]] : []
  })
  if (texts.length < written.length) return undefined
  const port = item.get('port')
  const number: [string, Placed][] = port.at && port.isSet ? [['port', { at: port.at, scalar: port.scalar }]] : []
  return { at: item.at, map: Object.fromEntries([...texts, ...number]) }
}

/** Rules, with the backends and the filters of a controller's own kinds, as far as they are read. */
function rulesOf({ at, items }: LayeredValue, reading: Reading): Placed | undefined {
  const isPlain = (items ?? []).every((rule) => !rule.get('matches').isSet)
  const read = (rule: LayeredValue) => ruleOf(rule, reading) ?? (isPlain ? bareRule(rule, reading) : undefined)
  const rules = (items ?? []).flatMap((rule) => read(rule) ?? [])
  return at && rules.length > 0 ? { at, list: rules } : undefined
}

function ruleOf(rule: LayeredValue, { backendOf, fill }: Reading): Placed | undefined {
  const [refs, filters] = [rule.get('backendRefs'), rule.get('filters')]
  const parts = Object.entries({
    backendRefs: placedList(refs, (ref) => backendOf(ref, 'route')),
    filters: placedList(filters, (filter) => extensionOf(filter, fill)),
  }).flatMap(([key, part]): [string, Placed][] => (part ? [[key, part]] : []))
  return rule.at && parts.length > 0 ? { at: rule.at, map: Object.fromEntries(parts) } : undefined
}

/** A rule without backends and filters, which the chart adds none to. */
function bareRule(rule: LayeredValue, { writesRules }: Reading): Placed | undefined {
  const isBare = writesRules && rule.isMap && !rule.get('backendRefs').isSet && !rule.get('filters').isSet
  return isBare && rule.at ? { at: rule.at, map: {} } : undefined
}

/** The items of a list that can be read, if there are some. */
function placedList({ at, items }: LayeredValue, read: (item: LayeredValue) => Placed | undefined) {
  const list = (items ?? []).flatMap((item) => read(item) ?? [])
  return at && list.length > 0 ? { at, list } : undefined
}

/** A filter that names an object of a controller's own kind. */
function extensionOf(filter: LayeredValue, fill: Filled): Placed | undefined {
  const named = filter.get('extensionRef')
  const parts = ['group', 'kind', 'name'].flatMap((key): [string, Placed][] => {
    const text = textOf(named.get(key), fill)
    return text ? [[key, text]] : []
  })
  if (!filter.at || !named.at || parts.length < 3) return undefined
  return { at: filter.at, map: { extensionRef: { at: named.at, map: Object.fromEntries(parts) } } }
}
