import type { GroupKind, Manifest } from '../../manifest/manifest'
import { type Backend, backendAt, type ServicePort } from './backend'
import { isPlaceholder } from './ingress'

/** The kind of OpenShift that its router serves, as an Ingress. */
export const openshiftRouteKind: GroupKind = 'Route.route.openshift.io'

/**
 * The Services that a Route of OpenShift sends requests to; all have the one port that it names, if any. Source: openshift/api,
 * route/v1/types.go, RouteSpec and RoutePort
 */
export function backendsOfOpenshiftRoute({ ref, root }: Manifest): Backend[] {
  const spec = root.at('spec')
  const port = spec.at('port', 'targetPort')
  return [spec.at('to'), ...spec.at('alternateBackends').items()]
    .filter((one) => (one.at('kind').string ?? 'Service') === 'Service' && one.at('weight').value !== 0)
    .flatMap((one) => backendAt(one.at('name'), port, ref.namespace))
    .filter(({ service }) => service !== '' && !isPlaceholder(service))
}

/**
 * Whether the router finds the port that a Route names: by the name of the Service's port, or by the number of the Pods' port.
 * Undefined where a name of the Pods' port decides. Source: openshift/router at 4b401a86dccc, pkg/router/template/template_helper.go,
 * endpointsForAlias
 */
export function offersToRoute({ name, number, target }: ServicePort, wanted: number | string): boolean | undefined {
  if (name !== undefined && name === String(wanted)) return true
  const ofPods = target ?? number
  if (typeof wanted === 'number' && typeof ofPods === 'string' && !/^\d+$/.test(ofPods)) return undefined
  return String(ofPods) === String(wanted) && /^\d+$/.test(String(wanted))
}
