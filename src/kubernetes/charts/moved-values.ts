import { compare, gte, minVersion, validRange } from 'semver'
import * as Type from 'typebox'
import rows from '../../../facts/moved-values.yaml'
import type { Cursor } from '../../manifest/cursor'
import { factsFile, factsIn, proof, strict, text } from '../facts-format/facts-file'
import { chartName, chartNamed } from './chart-named'
import type { RemoteRelease } from './remote-release'

const Moved = Type.Object(
  {
    /** Keys with dots; `*` is any key. */
    path: text,
    to: text,
    /** The first release that refuses the value. */
    from: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
  },
  strict,
)

/** `facts/moved-values.yaml` */
export const MovedValuesFile = factsFile({
  charts: Type.Array(Type.Object({ ...chartName, moved: Type.Array(Moved, { minItems: 1 }), ...proof }, strict)),
})

const { charts } = factsIn(MovedValuesFile, rows)

/** A value that the chart of a release refuses where it is written. */
export interface MovedValue {
  readonly at: Cursor
  /** `ports.web.redirections` */
  readonly path: string
  /** The place at which the chart reads it: `ports.web.http.redirections` */
  readonly to: string
  /** The first release of the chart that refuses it: `39.0.0` */
  readonly from: string
}

/** The values of a release that its chart refuses in any version that the release allows. */
export function movedValues({ chart, repository, version, layers }: RemoteRelease): MovedValue[] {
  const least = version && validRange(version) ? minVersion(version) : undefined
  const known = least && chartNamed(charts, chart, repository)
  if (!known) return []
  const roots = layers.flatMap((layer) => ('hidden' in layer || layer.parameters ? [] : [layer.root]))
  const reached = known.moved.filter(({ from }) => gte(least, from)).toSorted((a, b) => compare(a.from, b.from))
  const moves = new Map(reached.map((move) => [move.path, move]))
  return [...moves.values()].flatMap(({ path, to, from }) =>
    roots.flatMap((root) =>
      placesOf(root, path.split('.')).map(({ at, any }) => {
        const written = (pattern: string) => any.reduce((one, key) => one.replace('*', () => key), pattern)
        return { at, path: written(path), to: written(to), from }
      }),
    ),
  )
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
