import classDefaultSingle from './controller-scope/class-default-single'
import classKept from './controller-scope/class-kept'
import electionIsolated from './controller-scope/election-isolated'
import lockUnmanaged from './controller-scope/lock-unmanaged'
import namespaceIsolated from './controller-scope/namespace-isolated'
import publishTarget from './controller-scope/publish-target'
import statusSource from './controller-scope/status-source'
import certificateCoversHost from './ingress-tls/certificate-covers-host'
import certificateIssued from './ingress-tls/certificate-issued'
import certificateValid from './ingress-tls/certificate-valid'
import controllerCrash from './ingress-tls/controller-crash'
import entryUsed from './ingress-tls/entry-used'
import gatewayCertificate from './ingress-tls/gateway-certificate'
import hostCovered from './ingress-tls/host-covered'
import hostUnique from './ingress-tls/host-unique'
import hostValid from './ingress-tls/host-valid'
import routeAttached from './ingress-tls/route-attached'
import secretAgrees from './ingress-tls/secret-agrees'
import secretKept from './ingress-tls/secret-kept'
import secretType from './ingress-tls/secret-type'
import tlsKept from './ingress-tls/tls-kept'
import objectKept from './protected-rbac/object-kept'
import type { Rule } from './rule'

/** Every rule, sorted by id. Docs, schemas and tests are made from this list. */
export const rules: readonly Rule[] = [
  classDefaultSingle,
  classKept,
  electionIsolated,
  lockUnmanaged,
  namespaceIsolated,
  publishTarget,
  statusSource,
  certificateCoversHost,
  certificateIssued,
  certificateValid,
  controllerCrash,
  entryUsed,
  gatewayCertificate,
  hostCovered,
  hostUnique,
  hostValid,
  routeAttached,
  secretAgrees,
  secretKept,
  secretType,
  tlsKept,
  objectKept,
]
