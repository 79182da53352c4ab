import { coerce, minVersion, satisfies, validRange } from 'semver'
import * as Type from 'typebox'
import rows from '../../../facts/value-identifiers.yaml'
import type { Cursor } from '../../manifest/cursor'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { isPlaceholder } from '../ingress/ingress'
import { chartName, chartNamed } from './chart-named'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'

const outcome = Type.Enum(['refused', 'unmounted', 'podless'])

const Identifier = Type.Object(
  {
    at: text,
    keys: Type.Optional(Type.Literal(true)),
    of: texts,
    when: Type.Optional(Mapping(text)),
    unless: Type.Optional(texts),
    off: Type.Optional(Type.Literal(true)),
    versions: text,
    outcome,
  },
  strict,
)
type Identifier = Type.Static<typeof Identifier>

/** A key that the chart has of its own. */
const Always = Type.Object({ in: text, key: text, versions: text }, strict)

const Chart = Type.Object(
  {
    ...chartName,
    marks: text,
    newest: text,
    always: Type.Array(Always),
    identifiers: Type.Array(Identifier, { minItems: 1 }),
    ...proof,
  },
  strict,
)
type Chart = Type.Static<typeof Chart>

/** `facts/value-identifiers.yaml` */
export const ValueIdentifiersFile = factsFile({ charts: Type.Array(Chart) })

const { charts } = factsIn(ValueIdentifiersFile, rows)

/** An identifier in the values of a release that nothing in them has. */
export interface LostIdentifier {
  readonly at: Cursor
  /** `service.web.controller` */
  readonly path: string
  readonly name: string
  /** The maps that are to have it as a key. */
  readonly of: readonly string[]
  readonly known: readonly string[]
  readonly outcome: Identifier['outcome']
}

/** A value of an entry, with the keys that its path has for each `*`. */
interface Found {
  readonly value: LayeredValue
  readonly path: readonly string[]
  readonly stars: readonly string[]
  /** The value at the first `*`. */
  readonly entry: LayeredValue
}

/** The identifiers that are lost in the values of a release, where all of its values are known. */
export function lostIdentifiers(release: RemoteRelease): LostIdentifier[] {
  const { chart, repository, version, layers, elsewhere } = release
  const facts = chartNamed(charts, chart, repository)
  if (!facts || elsewhere.length > 0 || layers.some((layer) => 'hidden' in layer || layer.parameters)) return []
  const values = seenValuesOf(release)
  if (!found(values, facts.marks, true).some(({ value }) => value.isMap)) return []
  const known = (validRange(version || undefined) ? minVersion(version) : coerce(version)) ?? facts.newest
  const has = (versions: string) => satisfies(known, versions)
  return facts.identifiers
    .filter(({ versions }) => has(versions))
    .flatMap((identifier) => lostBy(identifier, values, facts, has))
}

function lostBy(
  { at, keys, of, when = {}, unless = [], off, outcome }: Identifier,
  values: LayeredValue,
  { always }: Chart,
  has: (versions: string) => boolean,
): LostIdentifier[] {
  return found(values, at, !off).flatMap(({ value, path, stars, entry }) => {
    const isRead =
      Object.entries(when).every(([key, is]) => entry.get(key).scalar === is) &&
      !unless.some((one) => valueAt(entry, one).isSet)
    const paths = of.map((one) => one.replace(/\{(\d)\}/g, (_, star) => stars[Number(star) - 1] ?? ''))
    // What a map that is not there lacks is reported once, of the map.
    const outer = paths.every((one) => one.includes('.') && !valueAt(values, one.slice(0, one.lastIndexOf('.'))).isMap)
    if (!isRead || outer) return []
    const maps = paths.map((one) => valueAt(values, one))
    const own = always.filter((one) => paths.includes(one.in) && has(one.versions)).map(({ key }) => key)
    const there = [...own, ...maps.flatMap((map) => keysOf(map, outcome === 'refused'))]
    const names = namesIn(value, keys)
    // A key beside one that is there is the rest of something that was removed.
    const isRest = outcome === 'unmounted' && names.some(({ name }) => there.includes(name))
    if (isRest || there.some(isPlaceholder)) return []
    return names.flatMap(({ name, at }): LostIdentifier[] =>
      there.includes(name) || isPlaceholder(name)
        ? []
        : [{ at, path: path.join('.'), name, of: paths, known: [...new Set(there)], outcome }],
    )
  })
}

function namesIn(value: LayeredValue, keys: true | undefined): { name: string; at: Cursor }[] {
  const { at, scalar } = value
  if (!keys) return at && typeof scalar === 'string' && scalar !== '' ? [{ name: scalar, at }] : []
  return keysOf(value, true).flatMap((name) => {
    const place = value.get(name).at
    return place ? [{ name, at: place }] : []
  })
}

/** @param isOn whether entries that are switched off do not count */
function keysOf(value: LayeredValue, isOn: boolean): string[] {
  return value.isMap ? value.keys.filter((key) => value.get(key).isSet && !(isOn && isOff(value.get(key)))) : []
}

function isOff(value: LayeredValue): boolean {
  return value.isMap && value.get('enabled').scalar === false
}

/**
 * The values at a path with stars.
 *
 * @param isOn whether entries that are switched off do not count
 */
function found(values: LayeredValue, path: string, isOn: boolean): Found[] {
  const step = (before: readonly Found[], key: string): Found[] =>
    before.flatMap(({ value, path, stars, entry }) => {
      if (key !== '*') return [{ value: value.get(key), path: [...path, key], stars, entry }]
      return keysOf(value, isOn).map((own) => {
        const inner = value.get(own)
        return { value: inner, path: [...path, own], stars: [...stars, own], entry: stars.length === 0 ? inner : entry }
      })
    })
  return path.split('.').reduce(step, [{ value: values, path: [], stars: [], entry: values }])
}

function valueAt(values: LayeredValue, path: string): LayeredValue {
  return path.split('.').reduce((outer, key) => outer.get(key), values)
}
