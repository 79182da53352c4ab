import type { Cursor } from '../manifest/cursor'
import { isPlaceholder } from './ingress'

/** A value of a release, where it is written; else where it would be. */
export interface ReleaseValue {
  readonly at: Cursor
  /** Undefined where none is given. */
  readonly value: unknown
  /** Whether the files tell: another source of values may give it, or a tool fills it in. */
  readonly told: boolean
}

/** Where values of a release are written: a map, or a list of parameters by their paths. */
export interface ValuesLayer {
  readonly root: Cursor
  readonly parameters?: true
}

/** The values of a release, the first layer over the later ones. */
export class ReleaseValues {
  constructor(
    /** Where a value is written that is nowhere yet. */
    readonly place: Cursor,
    private readonly layers: readonly ValuesLayer[],
    /** Whether there are others below, which no file of the cluster's objects shows. */
    private readonly more: boolean,
    /** The paths of single values that something else gives. */
    private readonly elsewhere: readonly string[] = [],
  ) {}

  /** @param path as `--set` takes it: `controller.scope.enabled` */
  get(path: string): ReleaseValue {
    const keys = path.split('.')
    const isTold = !this.elsewhere.some((one) => `${path}.`.startsWith(`${one}.`) || one.startsWith(`${path}.`))
    for (const { root, parameters } of this.layers) {
      const at = parameters ? parameterOf(root, path) : root.at(...keys)
      if (at?.exists) return { at, value: meaningOf(at, parameters), told: isTold && !holdsPlaceholder(at) }
    }
    const [first] = this.layers.filter(({ parameters }) => !parameters)
    return { at: first?.root.at(...keys) ?? this.place, value: undefined, told: isTold && !this.more }
  }
}

function parameterOf(list: Cursor, path: string): Cursor | undefined {
  return [...list.items()].findLast((one) => one.at('name').string === path)?.at('value')
}

/** A parameter is text, and means what `--set` makes of it. */
function meaningOf(at: Cursor, parameter: true | undefined): unknown {
  const { value } = at
  return parameter && typeof value === 'string' && /^(?:true|false|null)$/.test(value) ? JSON.parse(value) : value
}

function holdsPlaceholder(at: Cursor): boolean {
  return at.string !== undefined && isPlaceholder(at.string)
}
