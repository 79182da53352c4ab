import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

/** A value of a release, where it is written; else where it would be. */
export interface ReleaseValue {
  readonly at: Cursor
  /** Undefined where none is given. */
  readonly value: unknown
  /** Whether the value is known: another source of values may set it, or a tool fills it in. */
  readonly isKnown: boolean
}

/** A place of values of a release: a map, a list of parameters by their paths, or an unknown place. */
export type ValuesLayer = { readonly root: Cursor; readonly parameters?: true } | { readonly hidden: true }

/** The values of a release, the first layer over the later ones. */
export class ReleaseValues {
  constructor(
    /** The place for a value that is not set anywhere. */
    readonly place: Cursor,
    private readonly layers: readonly ValuesLayer[],
    /** The paths of single values that something else gives. */
    private readonly elsewhere: readonly string[] = [],
  ) {}

  /** @param path as `--set` takes it: `controller.scope.enabled` */
  get(path: string): ReleaseValue {
    let isKnown = this.isKnownHere(path)
    for (const layer of this.layers) {
      if ('hidden' in layer) {
        isKnown = false
        continue
      }
      const { root, parameters } = layer
      const at = parameters ? parameterOf(root, path) : root.at(...path.split('.'))
      if (at?.exists) return { at, value: meaningOf(at, parameters), isKnown: isKnown && !holdsPlaceholder(at) }
    }
    return { at: this.placeFor(path), value: undefined, isKnown }
  }

  /** The maps that are merged at a path, the first over the later ones. */
  mapsAt(path: string): Cursor[] {
    const maps = this.layers.flatMap((layer) =>
      'hidden' in layer || layer.parameters ? [] : [layer.root.at(...path.split('.'))],
    )
    return maps.filter(({ isMap }) => isMap)
  }

  private isKnownHere(path: string): boolean {
    return !this.elsewhere.some((one) => `${path}.`.startsWith(`${one}.`) || one.startsWith(`${path}.`))
  }

  /**
   * The place for a missing value: in a file that this change touches, because it may have been removed there; next to
   * the nearest key.
   */
  private placeFor(path: string): Cursor {
    const keys = path.split('.')
    const depthIn = (root: Cursor) => keys.findIndex((_, index) => !root.at(...keys.slice(0, index + 1)).exists)
    const rank = (root: Cursor) => (root.manifest.values?.touched ? keys.length : 0) + depthIn(root)
    const roots = this.layers.flatMap((layer) => ('hidden' in layer || layer.parameters ? [] : [layer.root]))
    const [nearest] = roots.toSorted((a, b) => rank(b) - rank(a))
    // A place that is there, such as the entry of a release, is not the value.
    return nearest?.at(...keys) ?? (this.place.exists ? this.place.at(...keys) : this.place)
  }
}

/** Maps of values as layers, the first over the others. */
export function layersOf(roots: readonly (Cursor | undefined)[]): ValuesLayer[] {
  return roots.flatMap((root) => (root ? [{ root }] : []))
}

/** A layer that is not to be seen, where there may be one. */
export function hiddenIf(condition: boolean): ValuesLayer[] {
  return condition ? [{ hidden: true }] : []
}

/** The content of values files, the last over the others; a file outside this repository may hold anything. */
export function filesOf(list: Cursor): ValuesLayer[] {
  return [...list.items()].toReversed().flatMap(fileOf)
}

/** The content of the files that an object refers to by one entry, the last over the others. */
export function fileOf(name: Cursor): ValuesLayer[] {
  return name.string === undefined ? hiddenIf(true) : filesNamed(name.string, name.manifest)
}

/** The content of the files that an object refers to by a name, the last over the others. */
export function filesNamed(name: string, manifest: Manifest): ValuesLayer[] {
  const files = manifest.valuesIn(name)
  return files ? layersOf(files.toReversed()) : hiddenIf(true)
}

function parameterOf(list: Cursor, path: string): Cursor | undefined {
  return [...list.items()].findLast((one) => one.at('name').string === path)?.at('value')
}

/** A parameter is text, and has the meaning that `--set` gives it. */
function meaningOf(at: Cursor, parameter: true | undefined): unknown {
  const { value } = at
  return parameter && typeof value === 'string' && /^(?:true|false|null)$/.test(value) ? JSON.parse(value) : value
}

function holdsPlaceholder(at: Cursor): boolean {
  return at.string !== undefined && isPlaceholder(at.string)
}
