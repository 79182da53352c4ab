import { shapeIn } from '../../src/kubernetes/fields/shape-notation'
import type { ReadKinds } from './table'

const target = '{kind name! weight#}'
const header = '[{action{set{value} type(Delete|Set)} name}]'
const tls =
  'caCertificate certificate destinationCACertificate externalCertificate{name} insecureEdgeTerminationPolicy key termination(edge|passthrough|reencrypt)'
const spec = `alternateBackends[${target}] host httpHeaders{actions{request${header} response${header}}} path port{targetPort~} subdomain tls{${tls}} to!${target} wildcardPolicy`

/** A kind that an API server of OpenShift serves, without a CustomResourceDefinition. */
export const openshiftRoute: ReadKinds = {
  /** route/v1/types.go, RouteSpec */
  source: 'https://github.com/openshift/api',
  releases: ['master of 2026-08-22'],
  kinds: [
    {
      kind: 'Route',
      apiVersions: new Set(['route.openshift.io/v1']),
      shape: shapeIn(`spec{${spec}}`, new Map()),
    },
  ],
}
