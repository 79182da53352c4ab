import type { Cursor } from '../../manifest/cursor'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/**
 * A key of an Ingress's values that charts made with `helm create` read in another place. `nested`: `tls` in an entry of the hosts;
 * `beside`: the name of the Secret beside the list of TLS entries; `unnamed`: an entry of the hosts with a `name` in place of a `host`.
 */
export interface MisplacedValue {
  readonly kind: 'nested' | 'beside' | 'unnamed'
  readonly at: Cursor
  /** `server.ingress` */
  readonly path: string
  readonly text: string
}

/**
 * The misplaced keys in the values of a release, if all of them are known: others may have the key in its place. Source: helm/helm
 * at 0d1f9dad3e48, pkg/chart/v2/util/create.go, defaultIngress: the template of `helm create` reads `host` and `paths` of each entry
 * of the hosts, and `hosts` and `secretName` of each TLS entry.
 */
export function misplacedValuesOf(release: RemoteRelease): MisplacedValue[] {
  const { layers, elsewhere } = release
  if (elsewhere.length > 0 || layers.some((layer) => 'hidden' in layer)) return []
  return readBlocks(seenValuesOf(release), new Set(['ingress']), (value, path) => {
    const hosts = value.get('hosts').items ?? []
    const isOn = value.get('enabled').scalar === true
    const isScaffolded = hosts.length > 0 && hosts.every(hasPaths)
    return isOn && isScaffolded
      ? [...inHosts(value, hosts), ...besideTls(value)].map((one) => ({ ...one, path: path.join('.') }))
      : []
  })
}

type Found = Omit<MisplacedValue, 'path'>

/** `paths: [{ path, pathType }]`, as charts made with `helm create` have it. */
function hasPaths(host: LayeredValue): boolean {
  const paths = host.isMap ? (host.get('paths').items ?? []) : []
  return paths.length > 0 && paths.every(({ keys }) => keys.every((key) => ['path', 'pathType'].includes(key)))
}

function inHosts(value: LayeredValue, hosts: readonly LayeredValue[]): Found[] {
  const hasTls = (value.get('tls').items ?? []).length > 0
  return hosts.flatMap((entry): Found[] => {
    const [name, tls] = [entry.get('name'), entry.get('tls')]
    if (!hasTls && tls.at && tls.items?.some((one) => one.get('hosts').isSet || one.get('secretName').isSet))
      return [{ kind: 'nested', at: tls.at, text: String(entry.get('host').scalar ?? 'a host') }]
    const isNamed = typeof name.scalar === 'string' && name.scalar.includes('.')
    return isNamed && name.at && !entry.get('host').isSet
      ? [{ kind: 'unnamed', at: name.at, text: String(name.scalar) }]
      : []
  })
}

function besideTls(value: LayeredValue): Found[] {
  const { at, scalar } = value.get('secretName')
  const entries = value.get('tls').items ?? []
  const isOpen = entries.length > 0 && entries.every((one) => one.get('hosts').isSet && !one.get('secretName').isSet)
  return at && typeof scalar === 'string' && isOpen ? [{ kind: 'beside', at, text: scalar }] : []
}
