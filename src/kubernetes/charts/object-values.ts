import { oneEditFrom } from '../../closest'
import type { Cursor } from '../../manifest/cursor'
import { isQualifiedName } from '../fields/object-metadata'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/** A value that charts write into their objects as it is, in a form that the API server refuses there. */
export interface ObjectValueFault {
  readonly kind: 'list' | 'text' | 'name' | 'type' | 'variable' | 'entry'
  readonly at: Cursor
  /** The name of an annotation, the text in place of annotations, a type, or a host. */
  readonly text: string
  /** The type of a Service, or the host, that is meant. */
  readonly meant: string
}

/** The values of the parts of charts that have annotations or a type of their own. */
const blocks: ReadonlySet<string> = new Set(['ingress', 'service', 'serviceAccount', 'podAnnotations'])
const types = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']
/** Kinds and spellings that people write in place of a type; a chart with types of its own has other ones. */
const taken = ['ingress', 'route', 'gateway', 'load-balancer', 'node-port', 'cluster-ip']

/** The values of a release that the API server refuses in the objects of its chart; values that are hidden are left out. */
export function objectValueFaultsOf(release: RemoteRelease): ObjectValueFault[] {
  return readBlocks(seenValuesOf(release), blocks, (value, path) => {
    const whole = path.join('.')
    if (release.elsewhere.some((one) => one === whole || one.startsWith(`${whole}.`))) return []
    if (path.at(-1) === 'podAnnotations') return faultsOfAnnotations(value)
    return blocksIn(value).flatMap((block) => {
      const ofType = path.at(-1) === 'service' ? faultsOfType(block.get('type')) : []
      const ofHosts = path.at(-1) === 'ingress' ? hostsOf(block).flatMap(faultOfHost) : []
      return [...faultsOfAnnotations(block.get('annotations')), ...ofType, ...ofHosts]
    })
  })
}

/** A block that is not switched off, or those of several objects that have keys of their own: `ingress.main`. */
function blocksIn(value: LayeredValue): LayeredValue[] {
  if (value.get('enabled').scalar === false || value.get('create').scalar === false) return []
  const inner = value.keys.map((key) => value.get(key)).filter((one) => one.isMap)
  return [value, ...inner.filter((one) => one.get('enabled').scalar !== false)]
}

/** The name of an annotation and its value without a blank between them, which YAML reads as one text. */
const joined = /^[a-z][\w.-]*\/[\w.-]+:\S*$/i

function faultsOfAnnotations(annotations: LayeredValue): ObjectValueFault[] {
  const { at, items, keys, scalar } = annotations
  // An empty list is no value to a chart.
  if (at && items) return items.length > 0 ? [{ kind: 'list', at, text: '', meant: '' }] : []
  if (at && typeof scalar === 'string' && joined.test(scalar)) return [{ kind: 'text', at, text: scalar, meant: '' }]
  return keys.flatMap((key): ObjectValueFault[] => {
    const { at: its, isMap, items } = annotations.get(key)
    // Charts may have blocks of their own below `annotations`; a name with a slash is that of an annotation.
    if (its && (isMap || items) && key.includes('/')) return [{ kind: 'entry', at: its, text: key, meant: '' }]
    // Charts may fill in a name.
    if (!its || /[{<$%]/.test(key) || isQualifiedName(key.toLowerCase())) return []
    return [{ kind: 'name', at: its, text: key, meant: '' }]
  })
}

function faultsOfType({ at, scalar }: LayeredValue): ObjectValueFault[] {
  if (!at || typeof scalar !== 'string' || types.includes(scalar)) return []
  const lower = scalar.toLowerCase()
  const near = oneEditFrom(
    lower,
    types.map((type) => type.toLowerCase()),
  )
  const meant = types.find((type) => type.toLowerCase() === (near ?? lower))
  if (meant) return [{ kind: 'type', at, text: scalar, meant }]
  return taken.includes(lower) ? [{ kind: 'type', at, text: scalar, meant: 'ClusterIP, or another type' }] : []
}

function hostsOf(ingress: LayeredValue): LayeredValue[] {
  const entries = ingress.get('hosts').items ?? []
  return [...['host', 'hostname'].map((key) => ingress.get(key)), ...entries, ...entries.map((one) => one.get('host'))]
}

/** A variable of Flux without its dollar sign: `web.{DOMAIN}`. No host has a brace. */
const bare = /(?<![${])\{([A-Z][A-Z0-9_]*)\}(?!\})/g

function faultOfHost({ at, scalar }: LayeredValue): ObjectValueFault[] {
  if (!at || typeof scalar !== 'string' || scalar.search(bare) === -1) return []
  return [{ kind: 'variable', at, text: scalar, meant: scalar.replace(bare, '$${$1}') }]
}
