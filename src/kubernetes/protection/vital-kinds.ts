import type { GroupKind, ObjectRef } from '../../manifest/manifest'
import { controllerKinds } from '../controllers/controller'
import { routingGroups } from '../ingress/routing-groups'
import { definitionKind } from '../object/custom-resource'
import { deployerKinds } from '../object/deployer'
import { bindingKinds, roleKinds } from '../rbac/rbac'
import { webhookKinds } from './webhook'

/** Kinds whose objects are all needed to serve requests, with the plural that an API has for each. */
export const vitalKinds: ReadonlyMap<GroupKind, string> = new Map(
  [
    'Ingress.networking.k8s.io',
    'IngressClass.networking.k8s.io',
    'GatewayClass.gateway.networking.k8s.io',
    'Gateway.gateway.networking.k8s.io',
    'HTTPRoute.gateway.networking.k8s.io',
    'IngressRoute.traefik.io',
    'Middleware.traefik.io',
    'Certificate.cert-manager.io',
    'Issuer.cert-manager.io',
    'ClusterIssuer.cert-manager.io',
    'Namespace',
    'Secret',
    'Service',
    'ServiceAccount',
    definitionKind,
    ...webhookKinds,
    ...roleKinds,
    ...bindingKinds,
    ...deployerKinds,
  ].map((kind) => [kind, pluralOf(kind)]),
)

/** The kinds of workloads: only those that run a controller are vital. A Pod and its ReplicaSet are made again. */
export const runnerKinds: ReadonlyMap<GroupKind, string> = new Map(
  controllerKinds.filter((kind) => kind !== 'Pod' && kind !== 'ReplicaSet.apps').map((kind) => [kind, pluralOf(kind)]),
)

/** Short names of kubectl for some of these kinds, and the word for several: `kubectl api-resources`. */
const shortNames = ['all', 'crd', 'crds', 'deploy', 'ds', 'gc', 'gtw', 'ing', 'ns', 'sa', 'sts', 'svc']

/** The names by which kubectl takes these kinds and those of workloads. */
export const vitalNames: ReadonlySet<string> = new Set([
  ...shortNames,
  ...[...vitalKinds, ...runnerKinds].flatMap(([kind, plural]) => [(kind.split('.')[0] ?? '').toLowerCase(), plural]),
])

/** Whether every object of this kind is needed to serve requests. */
export function isVital({ kind, group }: ObjectRef): boolean {
  return routingGroups.has(group) || vitalKinds.has(group ? `${kind}.${group}` : kind)
}

function pluralOf(kind: GroupKind): string {
  const name = (kind.split('.')[0] ?? '').toLowerCase()
  return name.endsWith('s') ? `${name}es` : name.replace(/y$/, 'ie').concat('s')
}
