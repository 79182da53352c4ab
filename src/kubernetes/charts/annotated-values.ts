import type { Cursor } from '../../manifest/cursor'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/** Keys of an Ingress's values that are indented below its annotations. */
export interface AnnotatedValues {
  /** The first of them. */
  readonly at: Cursor
  /** The block: `server.ingress`, `ingress.main` */
  readonly path: string
  readonly keys: readonly string[]
  /** Whether one is a list or a map, which the API server takes for no annotation. */
  readonly isRefused: boolean
}

/** What charts read beside `annotations` and no annotation is called: those have a prefix with a dot. */
const ofIngresses: ReadonlySet<string> = new Set([
  'className',
  'extraHosts',
  'extraPaths',
  'extraTls',
  'host',
  'hostname',
  'hosts',
  'ingressClassName',
  'path',
  'pathType',
  'paths',
  'tls',
])

/**
 * The keys below the annotations of Ingresses in the values of a release that belong beside them. A list or a map is wrong in any
 * case; a text may be in its place in values that are not here, or the Ingress may be off.
 */
export function annotatedValuesOf(release: RemoteRelease): AnnotatedValues[] {
  const { layers, elsewhere } = release
  const values = seenValuesOf(release)
  const isWhole = elsewhere.length === 0 && !layers.some((layer) => 'hidden' in layer)
  return readBlocks(values, new Set(['annotations']), (annotations, route) => {
    const path = route.slice(0, -1)
    const block = path.reduce((outer, key) => outer.get(key), values)
    const isOfIngress = path.slice(-2).some((key) => key.toLowerCase().includes('ingress'))
    if (!isOfIngress || !annotations.isMap || block.get('enabled').scalar === false) return []
    const isOn = block.get('enabled').scalar === true
    const keys = annotations.keys.filter(
      (key) => ofIngresses.has(key) && isGiven(annotations.get(key)) && !block.get(key).isSet,
    )
    const refused = keys.filter((key) => annotations.get(key).scalar === undefined)
    const at = annotations.get(keys[0] ?? '').at
    if (!at || (refused.length === 0 && !(isOn && isWhole))) return []
    return [{ at, path: path.join('.'), keys, isRefused: refused.length > 0 }]
  })
}

/** An empty list or map sets nothing that is missed. */
function isGiven({ isSet, isMap, keys, items }: LayeredValue): boolean {
  return isSet && !(isMap && keys.length === 0) && items?.length !== 0
}
