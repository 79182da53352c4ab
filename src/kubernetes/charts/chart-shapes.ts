import { subset, validRange } from 'semver'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/chart-shapes.yaml'
import type { Cursor } from '../../manifest/cursor'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { isPlaceholder } from '../ingress/ingress'
import { chartName, chartNamed } from './chart-named'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'

const Shape = Type.Object(
  {
    /** The path of the values; `*` is any key. */
    at: text,
    /** The versions of the chart that read them so. */
    versions: text,
    /** An item of `hosts`: a text, or a map with the host under this key. */
    hosts: Type.Optional(Type.Enum(['text', 'host', 'name'])),
    /** An item of the `paths` of each host; where hosts are texts, of the `paths` beside them. */
    paths: Type.Optional(Type.Enum(['text', 'path'])),
    /** Whether blocks without the key `enabled` are on. */
    onByDefault: Type.Optional(Type.Literal(true)),
    /** The key below `service` by which each path has to name one; beside `identifier`, `name` does so, too. */
    service: Type.Optional(Type.Enum(['identifier', 'name'])),
    /** The values that the chart reads in place of these. */
    instead: Type.Optional(texts),
    source: proof.source,
  },
  strict,
)
type Shape = Static<typeof Shape>

/** `facts/chart-shapes.yaml` */
export const ChartShapesFile = factsFile({
  charts: Type.Array(
    Type.Object({ ...chartName, shapes: Type.Array(Shape, { minItems: 1 }), checked: proof.checked }, strict),
  ),
})

const { charts } = factsIn(ChartShapesFile, rows)

/**
 * Values in another shape than their chart reads them in. `entry`: a map with `key` for a text; `plain`: a text for a
 * map with `key`; `keyed`: a map with another key than `key`; `moved`: values that the chart reads at `key`; `serviceless`: a
 * path that names no Service by `key`.
 */
export interface ShapeFault {
  readonly kind: 'entry' | 'plain' | 'keyed' | 'moved' | 'serviceless'
  readonly at: Cursor
  /** `server.ingress.hosts` */
  readonly list: string
  readonly key: string
  /** The host or the path. */
  readonly text: string
  /** The paths that the map of a host has to have, too. */
  readonly paths: string
}

/** The first fault of each list of hosts and paths that the chart reads, at a version that is written. */
export function shapeFaultsOf(release: RemoteRelease): ShapeFault[] {
  const { chart, repository, version, layers, elsewhere } = release
  const written = validRange(version)
  if (written === null) return []
  const values = seenValuesOf(release)
  const isWhole = elsewhere.length === 0 && !layers.some((layer) => 'hidden' in layer)
  const shapes = chartNamed(charts, chart, repository)?.shapes ?? []
  return shapes
    .filter(({ versions }) => subset(written, versions))
    .flatMap((shape) => placesOf(shape, values).map((place) => ({ ...shape, ...place })))
    .flatMap((shape) => {
      const { at: path, instead } = shape
      const value = switchedOn(values, shape)
      if (!value?.at) return []
      if (instead) return isWhole ? movedFrom(value.at, path, instead, values) : []
      return elsewhere.some((one) => one.startsWith(path) || `${path}.`.startsWith(`${one}.`))
        ? []
        : [...faultsIn(value, shape), ...withoutService(value, shape, values)]
    })
}

/** The paths of a shape with the keys that the values have for `*`. */
function placesOf({ at, instead }: Shape, values: LayeredValue): Pick<Shape, 'at' | 'instead'>[] {
  const [above, below] = at.split('*')
  if (above === undefined || below === undefined) return [{ at, instead }]
  const filled = (key: string) => (path: string) => path.replace('*', key)
  return valueAt(values, above.slice(0, -1)).keys.map((key) => ({
    at: filled(key)(at),
    instead: instead?.map(filled(key)),
  }))
}

function valueAt(values: LayeredValue, path: string): LayeredValue {
  return path.split('.').reduce((value, key) => value.get(key), values)
}

/** A value, if its map is switched on and nothing above it is off. */
function switchedOn(values: LayeredValue, { at, onByDefault }: Shape): LayeredValue | undefined {
  const route = [values]
  for (const key of at.split('.')) route.push((route.at(-1) ?? values).get(key))
  const states = route.filter(({ isMap }) => isMap).map((map) => map.get('enabled').scalar)
  const isOn = (states.at(-1) === true || (onByDefault && states.at(-1) === undefined)) && !states.includes(false)
  return isOn && route.at(-1)?.isSet ? route.at(-1) : undefined
}

function movedFrom(at: Cursor, list: string, instead: readonly string[], values: LayeredValue): ShapeFault[] {
  const [key = ''] = instead
  return instead.some((path) => valueAt(values, path).isSet)
    ? []
    : [{ kind: 'moved', at, list, key, text: '', paths: '' }]
}

/** The first path without a Service, where the chart needs one for each path. */
function withoutService(block: LayeredValue, { at: path, service }: Shape, values: LayeredValue): ShapeFault[] {
  if (!service || block.get('defaultBackend').isSet) return []
  const keys = service === 'name' ? ['name'] : ['identifier', 'name']
  const paths = (block.get('hosts').items ?? []).flatMap((one) => one.get('paths').items ?? [])
  const at = paths.find((one) => one.isMap && !keys.some((key) => one.get('service').get(key).isSet))?.at
  const text = values.get('service').keys.find((key) => !isPlaceholder(key)) ?? 'main'
  return at ? [{ kind: 'serviceless', at, list: `${path}.hosts.paths`, key: service, text, paths: '' }] : []
}

const pathsOf = { text: '[/]', path: '[{ path: /, pathType: Prefix }]' }

function faultsIn(block: LayeredValue, { at, hosts = 'text', paths }: Shape): ShapeFault[] {
  const items = block.get('hosts').items ?? []
  const ofHosts = { list: `${at}.hosts`, wanted: hosts, keys: ['host', 'name'], paths: paths ? pathsOf[paths] : '' }
  const found = firstFault(items, ofHosts)
  if (!paths) return found
  const [above, list] = hosts === 'text' ? [[block], `${at}.paths`] : [items, `${at}.hosts.paths`]
  const below = above.flatMap((one) => one.get('paths').items ?? [])
  return [...found, ...firstFault(below, { list, wanted: paths, keys: ['path'], paths: '' })]
}

interface Wanted extends Pick<ShapeFault, 'list' | 'paths'> {
  readonly wanted: string
  /** The keys of maps that show a host or a path: other maps may be anything, such as a template of a tool. */
  readonly keys: readonly string[]
}

function firstFault(items: readonly LayeredValue[], wanted: Wanted): ShapeFault[] {
  return items.flatMap((item) => faultOf(item, wanted) ?? []).slice(0, 1)
}

function faultOf(item: LayeredValue, { list, wanted, keys, paths }: Wanted): ShapeFault | undefined {
  const { at, scalar } = item
  if (!at) return undefined
  if (typeof scalar === 'string') {
    // A placeholder at the start may be filled in with anything.
    const isText = /^[a-z\d*/]/i.test(scalar)
    return isText && wanted !== 'text' ? { kind: 'plain', at, list, key: wanted, text: scalar, paths } : undefined
  }
  const key = keys.find((one) => item.get(one).isSet)
  if (key === undefined || item.get(wanted).isSet) return undefined
  const text = String(item.get(key).scalar ?? key)
  if (wanted === 'text') return { kind: 'entry', at, list, key, text, paths }
  // A host that is written as `name` is for values-placed.
  return wanted === 'name' ? { kind: 'keyed', at, list, key: wanted, text, paths } : undefined
}
