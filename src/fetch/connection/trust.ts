import { type Place, placeOf, withoutKey } from './place'

/** The `network` of the base's config. */
export interface NetworkConfig {
  readonly charts: readonly string[]
  readonly git: readonly string[]
}

/** The places that may be asked: those in the objects or the config of the base revision. */
export class TrustedPlaces {
  private readonly keys: ReadonlySet<string>
  private readonly private: readonly Place[]

  /** @param base the URLs of the repositories that objects of the base name */
  constructor(
    base: Iterable<string>,
    private readonly config: NetworkConfig = { charts: [], git: [] },
  ) {
    const named = [...config.charts, ...config.git].flatMap((url) => placeOf(url) ?? [])
    this.private = named
    const all = [...named, ...[...base].flatMap((url) => placeOf(url) ?? [])]
    this.keys = new Set(all.flatMap((place) => [place.key, withoutKey(place)?.key ?? place.key]))
  }

  /** The same places and more. */
  and(base: Iterable<string>): TrustedPlaces {
    return new TrustedPlaces([...this.keys, ...base], this.config)
  }

  /** A repository of a public host is one place by `https` and by `ssh`. */
  trusts(place: Place): boolean {
    return this.keys.has(place.key) || this.keys.has(withoutKey(place)?.key ?? place.key)
  }

  /** A registry's folder and a name in it are one place with the chart's whole name. */
  trustsChart(folder: Place, chart: string): boolean {
    if (this.trusts(folder)) return true
    const whole = chart === '' ? folder.key : `${folder.key}/${chart}`
    return this.keys.has(whole) || this.keys.has(whole.slice(0, whole.lastIndexOf('/')))
  }

  /**
   * A file's own URL is its place, or one above it. A folder that the config names is the place of all files below it.
   */
  trustsFile(file: Place, above: Place): boolean {
    const isOfPlace = file.key === above.key || isBelow(file.url, above)
    if (isOfPlace && this.trusts(above)) return true
    return this.private.some((place) => !/\.\w+$/.test(place.url.pathname) && isBelow(file.url, place))
  }

  /** Whether the config names the place. */
  isNamed(place: Place): boolean {
    return this.private.some(({ key }) => key === place.key)
  }

  /** Whether the config names the place of this URL, which may then have a private address. */
  mayBePrivate(url: URL): boolean {
    return this.private.some((place) => isBelow(url, place))
  }
}

/** A registry serves a place below one path of its own. */
function isBelow(url: URL, { scheme, url: named }: Place): boolean {
  if (url.host !== named.host || scheme === 'ssh') return false
  const isSame = scheme === 'oci' || url.protocol === named.protocol
  const folder = `${scheme === 'oci' ? '/v2' : ''}${named.pathname.endsWith('/') ? named.pathname : `${named.pathname}/`}`
  return isSame && `${url.pathname}/`.startsWith(folder)
}
