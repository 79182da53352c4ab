import { compare, gte, minVersion, validRange } from 'semver'
import * as Type from 'typebox'
import rows from '../../../facts/moved-values.yaml'
import type { Cursor } from '../../manifest/cursor'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { chartName, chartNamed } from './chart-named'
import type { RemoteRelease } from './remote-release'

const Moved = Type.Object(
  {
    /** Keys with dots; `*` is any key. */
    path: text,
    /** The value that the chart reads now; a row without it has a remedy. */
    to: Type.Optional(text),
    /** The first release that refuses or ignores the value. */
    from: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    /** The values it is about, where others are read as before or change nothing. */
    only: Type.Optional(Type.Array(Type.Union([text, Type.Boolean()]), { minItems: 1 })),
    /** Of a refused value: an `if` of a template refuses it, and so lets an empty one through. */
    byTemplate: Type.Optional(Type.Literal(true)),
    /** What happens without the value. Only values that the chart ignores have it. */
    loss: Type.Optional(text),
    /** Of an ignored value: others by whose presence it is not needed. */
    unless: Type.Optional(texts),
    /** What to write, where it is not the same value at `to`: a sentence. */
    remedy: Type.Optional(text),
  },
  strict,
)

/** `facts/moved-values.yaml` */
export const MovedValuesFile = factsFile({
  charts: Type.Array(Type.Object({ ...chartName, moved: Type.Array(Moved, { minItems: 1 }), ...proof }, strict)),
})

type Row = Type.Static<typeof Moved>

const { charts } = factsIn(MovedValuesFile, rows)

/** A value that the chart of a release refuses or ignores where it is written. */
export interface MovedValue {
  readonly at: Cursor
  /** `ports.web.redirections` */
  readonly path: string
  /** `The chart reads ports.web.http.redirections; write it there.` */
  readonly remedy: string
  /** The first release of the chart that does so: `39.0.0` */
  readonly from: string
  /** What happens without the value, where it is ignored; refused values have none. */
  readonly loss: string | undefined
}

/** The values of a release that its chart refuses or ignores in any version that the release allows. */
export function movedValues({ chart, repository, version, layers }: RemoteRelease): MovedValue[] {
  const least = version && validRange(version) ? minVersion(version) : undefined
  const known = least && chartNamed(charts, chart, repository)
  if (!known) return []
  const shown = layers.flatMap((layer) => ('hidden' in layer ? [] : [layer]))
  const isSeen = shown.length === layers.length
  const roots = shown.map(({ root }) => root)
  const written = shown.filter(({ parameters }) => !parameters).map(({ root }) => root)
  const reached = known.moved.filter(({ from }) => gte(least, from)).toSorted((a, b) => compare(a.from, b.from))
  const moves = new Map(reached.map((move) => [move.path, move]))
  return [...moves.values()].flatMap((row) =>
    written.flatMap((root) =>
      placesOf(root, row.path.split('.')).flatMap(({ at, any }) => {
        const fill = (pattern: string) => any.reduce((one, key) => one.replace('*', () => key), pattern)
        const placesIn = (path: string) => roots.map((one) => one.at(...fill(path).split('.')))
        const isMoved = row.to !== undefined && placesIn(row.to).some(({ isSet }) => isSet)
        const isSpared = row.unless?.some((path) => placesIn(path).some(({ value }) => isGiven(value)))
        // What is hidden may have the value at its new place.
        const isLost = isSeen && !isMoved && !isSpared
        if (!isMeant(row, at.value)) return []
        if (row.loss !== undefined && (!isLost || isOff(root, fill(row.path).split('.')))) return []
        const remedy = row.remedy ?? `The chart reads ${row.to}; write it there.`
        return [{ at, path: fill(row.path), remedy: fill(remedy), from: row.from, loss: row.loss }]
      }),
    ),
  )
}

/** Whether a row is about this value of its path. */
function isMeant({ only, byTemplate, loss }: Row, value: unknown): boolean {
  if (only) return only.some((one) => one === value)
  if (loss !== undefined) return isGiven(value)
  return !byTemplate || (typeof value === 'object' && value ? Object.keys(value).length > 0 : Boolean(value))
}

/** Whether a value asks for anything: not where it is empty or switched off. */
function isGiven(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return Boolean(value)
  if ('enabled' in value && value.enabled === false) return false
  return Object.values(value).some(isGiven)
}

/** Whether a block around the value is switched off, so that it had no effect before either. */
function isOff(root: Cursor, keys: readonly string[]): boolean {
  const around = keys.map((_, length) => keys.slice(0, length)).filter(({ length }) => length > 0)
  return keys.at(-1) !== 'enabled' && around.some((block) => root.at(...block, 'enabled').value === false)
}

/** The values at a path, and the keys that are there for each `*`. */
function placesOf(
  root: Cursor,
  keys: readonly string[],
  any: readonly string[] = [],
): { at: Cursor; any: readonly string[] }[] {
  const [key, ...more] = keys
  if (key === undefined) return root.isSet ? [{ at: root, any }] : []
  if (key !== '*') return placesOf(root.at(key), more, any)
  return [...root.entries()].flatMap(([name, at]) => placesOf(at, more, [...any, name]))
}
