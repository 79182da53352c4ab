import type { Cursor } from '../../manifest/cursor'
import type { Placed } from '../../manifest/placed'
import type { LackKind } from '../ingress/backend'
import { isPlaceholder } from '../ingress/ingress'
import type { LayeredValue } from './layered-value'

/** Writes the backend of an Ingress or a route as far as it names a Service of its own. */
export type BackendOf = (backend: LayeredValue, of: 'ingress' | 'route') => Placed | undefined

/**
 * The Services in the values of app-template: those that are not switched off, by their identifiers. A chart with other Services
 * than these has no `controllers` with `containers`. Source: bjw-s-labs/helm-charts at common-4.1.1, charts/library/common,
 * templates/lib/service and templates/classes/_ingress.tpl, _route.tpl
 *
 * @param release the name of the release
 * @param isWhole whether all Services are known; otherwise only a port is looked for that the values have in another of them
 */
export function backendsIn(values: LayeredValue, release: string, isWhole: boolean): BackendOf {
  const controllers = enabledIn(values.get('controllers'))
  const services = enabledIn(values.get('service'))
  const isOwn = [...controllers.values()].some((one) => one.get('containers').isMap)
  if (!isOwn || [...controllers.keys(), ...services.keys()].some(isPlaceholder)) return () => undefined
  const suffixed = suffixedName(values, services, release)
  return (backend, of) => {
    const [identifier, name, port] = ['identifier', 'name', 'port'].map((key) => backend.get(key))
    if (!identifier || !name || !port) return undefined
    const own = textOf(name.isSet ? name : identifier)
    if (!own || isPlaceholder(own.text)) return undefined
    const service = services.get(own.text)
    if (!isWhole) return service && !name.isSet ? portOfAnother(own, service, port, services, of) : undefined
    // The name of the release is that of its only Service, or begins that of each.
    const made = services.size > 1 ? `${release}-${own.text}` : release
    if (name.isSet && own.text === suffixed) {
      // Something else may have created a Service of that name.
      return { at: own.at, map: { ...mapOf(rawBackend(own, port, of)), ...mapOf(lack('suffix', own, [release])) } }
    }
    if (name.isSet) return !service || own.text === release ? rawBackend(own, port, of) : lack('name', own, [made])
    if (!service) return lack('service', own, [...services.keys()])
    const controller = textOf(service.get('controller'))
    if (controller && !isPlaceholder(controller.text) && !controllers.has(controller.text))
      return lack('controller', own, [...controllers.keys()], controller.text)
    return lackOfPort(own, service, port, of) ?? (of === 'route' ? lack('identifier', own, [made]) : undefined)
  }
}

/** A port that a Service does not have, by its name or number. */
function lackOfPort(own: Text, service: LayeredValue, port: LayeredValue, of: 'ingress' | 'route'): Placed | undefined {
  const ports = enabledIn(service.get('ports'))
  const numbers = [...ports.values()].flatMap((one) => [
    one.get('port').scalar,
    ...(of === 'ingress' ? [one.get('targetPort').scalar] : []),
  ])
  const wanted = port.scalar
  const isThere =
    !port.isSet ||
    (typeof wanted === 'string' && (isPlaceholder(wanted) || /^\d+$/.test(wanted) || ports.has(wanted))) ||
    numbers.includes(wanted) ||
    ports.size === 0 ||
    [...ports.values()].some((one) => typeof one.get('port').scalar !== 'number')
  const named = [...ports].map(([key, one]) => `${key} (${one.get('port').scalar})`)
  return !isThere && port.at ? lack('port', { at: port.at, text: String(wanted) }, named, own.text) : undefined
}

/**
 * The same for values that are partly unknown, such as those that a Secret adds: they seldom add a port, and least of all a
 * second one of a name that another Service has.
 */
function portOfAnother(
  own: Text,
  service: LayeredValue,
  port: LayeredValue,
  services: ReadonlyMap<string, LayeredValue>,
  of: 'ingress' | 'route',
): Placed | undefined {
  const others = [...services].filter(([key, one]) => key !== own.text && one.isMap)
  const hasPort = others.some(
    ([, one]) => typeof port.scalar === 'string' && enabledIn(one.get('ports')).has(port.scalar),
  )
  return hasPort ? lackOfPort(own, service, port, of) : undefined
}

/**
 * The name that the only Service of a release would have among several; undefined where its name is set. Source:
 * templates/lib/_determineResourceNameFromValues.tpl
 */
function suffixedName(values: LayeredValue, services: ReadonlyMap<string, LayeredValue>, release: string) {
  const [only, ...others] = services
  if (!only || others.length > 0) return undefined
  const [identifier, service] = only
  const isRenamed = ['forceRename', 'nameOverride', 'prefix', 'suffix'].some((key) => service.get(key).isSet)
  const global = values.get('global')
  const setting = ['alwaysAppendIdentifierToResourceName', 'fullnameOverride', 'nameOverride']
  if (isRenamed || setting.some((key) => global.get(key).isSet || values.get(key).isSet)) return undefined
  return services.has(`${release}-${identifier}`) ? undefined : `${release}-${identifier}`
}

interface Text {
  readonly at: Cursor
  readonly text: string
}

function textOf({ at, scalar }: LayeredValue): Text | undefined {
  return at && typeof scalar === 'string' ? { at, text: scalar } : undefined
}

/** A Service by its whole name. */
function rawBackend({ at, text }: Text, port: LayeredValue, of: 'ingress' | 'route'): Placed {
  const name: Placed = { at, scalar: text }
  if (!port.at || !port.isSet) return { at, map: of === 'route' ? { name } : { service: { at, map: { name } } } }
  const number: Placed = { at: port.at, scalar: port.scalar }
  if (of === 'route') return { at, map: { name, ...(typeof port.scalar === 'number' ? { port: number } : {}) } }
  const key = typeof port.scalar === 'number' ? 'number' : 'name'
  return { at, map: { service: { at, map: { name, port: { at: port.at, map: { [key]: number } } } } } }
}

function lack(kind: LackKind, { at, text }: Text, known: readonly string[], of = ''): Placed {
  const fields = { kind, text, of }
  const placed = Object.entries(fields).map(([key, scalar]): [string, Placed] => [key, { at, scalar }])
  const list = known.map((scalar): Placed => ({ at, scalar }))
  return { at, map: { lack: { at, map: { ...Object.fromEntries(placed), known: { at, list } } } } }
}

function mapOf(placed: Placed): Readonly<Record<string, Placed>> {
  return 'map' in placed ? placed.map : {}
}

function enabledIn(value: LayeredValue): Map<string, LayeredValue> {
  const entries = value.isMap ? value.keys.map((key) => [key, value.get(key)] as const) : []
  return new Map(entries.filter(([, one]) => one.isMap && one.get('enabled').scalar !== false))
}
