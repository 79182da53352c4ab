import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'

export const apiServiceKind = 'APIService.apiregistration.k8s.io'

const autoscalerKind = 'HorizontalPodAutoscaler.autoscaling'

/**
 * The types of metrics that an autoscaler reads from each API:
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
const metricTypes: Readonly<Record<string, readonly string[]>> = {
  'metrics.k8s.io': ['Resource', 'ContainerResource'],
  'custom.metrics.k8s.io': ['Pods', 'Object'],
  'external.metrics.k8s.io': ['External'],
}

/** Finds objects that use or serve an APIService's API group. */
export function* needsOfApi({ root }: Manifest): Generator<string> {
  const group = root.at('spec', 'group').string ?? ''
  if (group) yield `${group}/`
  if (Object.hasOwn(metricTypes, group)) yield 'HorizontalPodAutoscaler'
  const service = root.at('spec', 'service', 'name').string
  if (service) yield service
}

/**
 * The API that a cluster loses with an APIService, and the objects that need it. None if its Service is removed in the
 * same change and no object needs it: the server was removed as a whole. None either if it names no Service: then the
 * API server itself serves the API, and recreates the APIService.
 */
export function lostApi({ root }: Manifest, base: Snapshot, head: Snapshot) {
  const spec = root.at('spec')
  const [group = '', version = ''] = [spec.at('group').string, spec.at('version').string]
  const [name, namespace = ''] = [spec.at('service', 'name').string, spec.at('service', 'namespace').string]
  if (!name) return undefined
  const types = entryOf(metricTypes, group)
  const users = types
    ? head.ofKind(autoscalerKind).filter((autoscaler) => metricsOf(autoscaler).some((type) => types.includes(type)))
    : head.manifests.filter(({ ref }) => ref.group === group)
  const service = { group: '', kind: 'Service', namespace, name }
  const wentToo = base.get(service).length > 0 && head.get(service).length === 0
  return wentToo && users.length === 0 ? undefined : { api: `${group}/${version}`, users }
}

/** Without a list of metrics, an autoscaler uses the CPU. */
function metricsOf({ root }: Manifest): string[] {
  const metrics = [...root.at('spec', 'metrics').items()]
  return metrics.length > 0 ? metrics.flatMap((metric) => metric.at('type').string ?? []) : ['Resource']
}

/** An API that an APIService gives to a Service, in place of the API server. */
export interface GivenApi {
  /** `networking.k8s.io/v1`; `v1` of the core. */
  readonly api: string
  readonly group: string
  readonly version: string
  readonly service: string
  readonly at: Cursor
}

/** The API that an object gives to a Service; undefined for one that is no APIService, or leaves it to the API server. */
export function apiGivenAway({ ref, root }: Manifest): GivenApi | undefined {
  if (groupKindOf(ref) !== apiServiceKind) return undefined
  const spec = root.at('spec')
  const [group, version] = [spec.at('group').string ?? '', spec.at('version').string ?? '']
  const at = spec.at('service')
  if (!at.isMap || version === '') return undefined
  const service = `${at.at('namespace').string ?? ''}/${at.at('name').string ?? ''}`
  return { api: group === '' ? version : `${group}/${version}`, group, version, service, at }
}
