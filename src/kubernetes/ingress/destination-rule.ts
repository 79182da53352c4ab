import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { shareNamespace } from '../object/namespace'
import { isPlaceholder } from './ingress'
import { destinationsOf, istioGroup } from './virtual-service'

/** The kind of Istio that divides the Pods of a host into subsets. */
export const destinationRuleKind: GroupKind = `DestinationRule.${istioGroup}`

/** A host of the mesh, as an object of Istio names it. */
export interface MeshHost {
  readonly manifest: Manifest
  /** The name of a Service, or the whole name of another host. */
  readonly name: string
  /** The namespace of the Service; undefined for another host. */
  readonly namespace: string | undefined
}

/** A subset that a VirtualService sends requests to. */
export interface NamedSubset {
  readonly at: Cursor
  readonly subset: string
  readonly host: MeshHost
}

/** The subsets that a VirtualService sends requests to; a destination of the weight 0 gets none. */
export function subsetsNamedBy(virtualService: Manifest): NamedSubset[] {
  return destinationsOf(virtualService).flatMap(({ at: destination, weight }) => {
    const at = destination.at('subset')
    const host = meshHostOf(destination.at('host'))
    return at.string && host && weight !== 0 && !isPlaceholder(at.string) ? [{ at, subset: at.string, host }] : []
  })
}

/** The host that a DestinationRule is for; undefined where a tool fills it in. */
export function hostOfRule({ root }: Manifest): MeshHost | undefined {
  return meshHostOf(root.at('spec', 'host'))
}

/** The names of a DestinationRule's subsets. */
export function subsetsIn({ root }: Manifest): string[] {
  return [...root.at('spec', 'subsets').items()].map((one) => one.at('name').string ?? '')
}

/**
 * A name without a dot is a Service of the object's own namespace. Source: istio/istio at 00184045fac0,
 * pilot/pkg/model/config.go, ResolveShortnameToFQDN
 */
function meshHostOf({ string, manifest }: Cursor): MeshHost | undefined {
  if (!string || isPlaceholder(string)) return undefined
  const host = string.toLowerCase()
  const [name = '', namespace = manifest.ref.namespace, svc] = host.split('.')
  const isService = name !== '*' && (svc === 'svc' || !host.includes('.'))
  return isService ? { manifest, name, namespace } : { manifest, name: host, namespace: undefined }
}

/** Whether two names are one host, for certain; false also where a tool chooses the namespace of one of them. */
export function isSameHost(one: MeshHost, other: MeshHost): boolean {
  if (one.name !== other.name || one.namespace !== other.namespace) return false
  return one.namespace !== '' || shareNamespace(one.manifest, other.manifest)
}

/** Whether two names may be one host. */
export function mayBeSameHost(one: MeshHost, other: MeshHost): boolean {
  return (
    one.name === other.name && (one.namespace === other.namespace || one.namespace === '' || other.namespace === '')
  )
}
