import type { Lack } from '../../sources/lack'
import type { Failure } from './rendering'

/** The missing part for which a source does not build, if it may build without. */
export function lackOf({ cause, about, path, lack }: Failure): Lack | undefined {
  if (lack || about === undefined) return lack
  switch (cause) {
    case 'place-refused':
    case 'plugins-not-followed':
      return { what: 'place', about, path }
    case 'chart-not-vendored':
      return { what: 'chart', about }
    case 'dependency-not-vendored':
    case 'dependency-not-pinned':
    case 'dependency-not-fetched':
      return { what: 'dependency', about, path }
    case 'post-renderers':
      return { what: 'post-renderers', about }
    default:
      return undefined
  }
}
