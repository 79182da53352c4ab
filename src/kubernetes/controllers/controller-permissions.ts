import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { classAnnotation } from '../ingress/ingress-class'
import { allows, type Permissions, permissionsOf, permissionText, singles, uncovered } from '../rbac/rbac'
import type { Controller } from './controller'

/** A permission that a controller needs, and the value that causes the need. */
export interface Need {
  readonly kind: 'lock' | 'status' | 'namespace' | 'classes' | 'read'
  readonly at: Cursor
  /** Its subject: a lock, a namespace. */
  readonly of: string
  readonly permissions: readonly Permissions[]
  /** An Ingress that the controller cannot see without it. */
  readonly ingress?: Manifest
}

/** The missing permissions of a controller, in the words of `kubectl auth can-i`. */
export function missing(need: Need, given: readonly Permissions[]): string[] {
  return [...singles(uncovered(given, need.permissions))].map(permissionText).sort()
}

/** The permissions that a controller needs, as far as its manifests show. */
export function controllerNeeds(controller: Controller, given: readonly Permissions[], snapshot: Snapshot): Need[] {
  return [
    ...lockNeeds(controller, given),
    ...statusNeeds(controller, given),
    ...(controller.facts.name === 'ingress-nginx'
      ? [...namespaceNeeds(controller), ...classNeeds(controller, snapshot)]
      : []),
  ]
}

const groupOf = { ConfigMap: '', Lease: 'coordination.k8s.io' }
const resourceOf = { ConfigMap: 'configmaps', Lease: 'leases' }

/**
 * Permissions to read, write and create the lock; a `create` is never limited to a name. If the release is unknown, one
 * permitted mode of election is enough. Source:
 * https://github.com/kubernetes/client-go/blob/master/tools/leaderelection/leaderelection.go (tryAcquireOrRenew)
 */
function lockNeeds({ locks, manifest, namespace: own }: Controller, given: readonly Permissions[]): Need[] {
  const ways = locks.map((lock): Need[] =>
    lock.kinds.map((kind) => {
      // If the controller's manifest has no namespace, its Role has none either.
      const namespace = lock.namespace === own ? manifest.ref.namespace : lock.namespace
      const rule = { apiGroups: [groupOf[kind]], resources: [resourceOf[kind]] }
      return {
        kind: 'lock',
        at: lock.at,
        of: `${kind} ${namespace ? `${namespace}/` : ''}${lock.name}`,
        permissions: [
          ...permissionsOf({ ...rule, resourceNames: [lock.name], verbs: ['get', 'update'] }, namespace),
          ...permissionsOf({ ...rule, verbs: ['create'] }, namespace),
        ],
      }
    }),
  )
  const allowed = ways.some((needs) => needs.every(({ permissions }) => allows(given, permissions)))
  return allowed ? [] : (ways.at(-1) ?? [])
}

/**
 * Permissions to write the status of Ingresses in the watched namespaces; releases before 1.0.0 did so in the older
 * group too.
 */
function statusNeeds({ facts, release, status, watched }: Controller, given: readonly Permissions[]): Need[] {
  if (status.writes === 'nothing' || status.writes === 'unknown' || watched.scope === 'unknown') return []
  const namespaces = watched.scope === 'namespaces' ? watched.names : ['*']
  const modern = facts.name === 'ingress-nginx' && release !== undefined && satisfies(release, '>=1.0.0')
  return namespaces.flatMap((namespace): Need[] => {
    const inGroup = (group: string) =>
      permissionsOf({ apiGroups: [group], resources: ['ingresses/status'], verbs: ['update'] }, namespace)
    const permissions = inGroup('networking.k8s.io')
    if (!modern && allows(given, inGroup('extensions'))) return []
    const of = namespace === '*' ? 'every namespace' : `namespace ${namespace}`
    return [{ kind: 'status', at: watched.at, of, permissions }]
  })
}

/**
 * The permission to read its namespace, without which it exits at startup: cmd/nginx/main.go of controller-v0.25.1 to
 * v1.15.1.
 */
function namespaceNeeds({ watched }: Controller): Need[] {
  if (watched.scope !== 'namespaces') return []
  return watched.names.map((name) => {
    const rule = { apiGroups: [''], resources: ['namespaces'], resourceNames: [name], verbs: ['get'] }
    return { kind: 'namespace', at: watched.at, of: name, permissions: permissionsOf(rule, name) }
  })
}

/**
 * The permissions to list and watch all that it waits for before it serves. A new controller may have them by roles that
 * are not here, so only their loss counts.
 */
export function readNeeds({ facts, release, watched, place }: Controller): Need[] {
  if (watched.scope === 'unknown' || !release) return []
  const rows = facts.informers?.filter(({ releases }) => satisfies(release, releases)) ?? []
  const namespaces = watched.scope === 'namespaces' ? watched.names : ['*']
  const permissions = namespaces.flatMap((namespace) =>
    rows.flatMap(({ resources }) => resources.flatMap((resource) => listAndWatch(resource, namespace))),
  )
  return permissions.length > 0 ? [{ kind: 'read', at: place, of: '', permissions }] : []
}

/** @param resource as kubectl names it: `services`, `ingresses.networking.k8s.io` */
function listAndWatch(resource: string, namespace: string): Permissions[] {
  const [name = '', ...group] = resource.split('.')
  return permissionsOf({ apiGroups: [group.join('.')], resources: [name], verbs: ['list', 'watch'] }, namespace)
}

/**
 * The permission to list IngressClasses, without which it ignores `spec.ingressClassName`; up to 1.0.3 it exits.
 * Source: controller-v1.15.1, cmd/nginx/main.go and internal/ingress/controller/store/store.go (IgnoreIngressClass)
 */
function classNeeds({ release, claims, watched, place }: Controller, snapshot: Snapshot): Need[] {
  const [claim] = claims
  if (!release || !satisfies(release, '>=1.0.0') || !claim?.controller || claim.unclassed) return []
  const classes = snapshot.ofKind('IngressClass.networking.k8s.io')
  // A class without a manifest is assumed to be that of the controller that accepts it by name.
  const isOwn = (name: string) => {
    const written = classes.filter(({ ref }) => ref.name === name)
    const own = written.some(({ root }) => root.at('spec', 'controller').string === claim.controller)
    return own || (written.length === 0 && claim.names.includes(name))
  }
  const ingress = snapshot
    .ofKind('Ingress.networking.k8s.io')
    .filter(
      (one) => watched.scope === 'all' || (watched.scope === 'namespaces' && watched.names.includes(one.ref.namespace)),
    )
    .filter((one) => !classAnnotation(one).exists)
    .find(({ root }) => isOwn(root.at('spec', 'ingressClassName').string ?? ''))
  if (!ingress) return []
  const rule = { apiGroups: ['networking.k8s.io'], resources: ['ingressclasses'], verbs: ['list'] }
  return [{ kind: 'classes', at: place, of: '', permissions: permissionsOf(rule), ingress }]
}
