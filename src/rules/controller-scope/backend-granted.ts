import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { type Backend, backendsOf, routeKinds } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import {
  grants,
  grantsIn,
  misfitOf,
  type ReferenceTarget,
  referenceGrantKind,
} from '../../kubernetes/ingress/reference-grant'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** Further kinds whose objects may create grants. */
const makerKinds: readonly GroupKind[] = [
  ...releaseKinds,
  'ClusterPolicy.kyverno.io',
  'Policy.kyverno.io',
  'GeneratingPolicy.policies.kyverno.io',
]

export default defineRule({
  id: 'controller-scope/backend-granted',
  summary: 'A ReferenceGrant lets a route send requests to the Services of another namespace that it names.',
  since: '1.29.0',
  scope: 'change',
  kinds: [...routeKinds, referenceGrantKind],
  reads: ['Service', ...makerKinds],
  direct: true,
  messages: {
    // Source: Gateway API 1.6.1, apis/v1/httproute_types.go, BackendRefs: 500, and ResolvedRefs is false with RefNotPermitted
    lost: ({ grant, how, namespace, users }: Record<'grant' | 'how' | 'namespace' | 'users', string>) =>
      `This change ${how} ${grant}, and no other ReferenceGrant of the namespace ${namespace} lets ${users} send requests to its Services, so they fail. Keep the grant as it was until no route needs it.`,
    unfitting: ({ user, service, from, grants }: Record<'user' | 'service' | 'from' | 'grants', string>) =>
      `${user} sends requests to ${service} of another namespace, and none of the ReferenceGrants there lets it (${grants}), so they fail. Add a ReferenceGrant there, from ${from} to kind Service.`,
    missing: ({ user, service, from }: Record<'user' | 'service' | 'from', string>) =>
      `${user} sends requests to ${service} of another namespace, and this repository has no ReferenceGrant for that, so they fail unless one comes from elsewhere. Add a ReferenceGrant there, from ${from} to kind Service.`,
  },
  putBack: { lost: 'changed', unfitting: 'changed', missing: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === referenceGrantKind) yield* [manifest.ref.namespace, 'ReferenceGrant']
    else for (const { service, namespace } of crossing(manifest)) yield* [service, namespace, 'eferenceGrant']
  },
  partnerKinds: ({ ref: { kind } }) =>
    kind === 'ReferenceGrant' ? [...routeKinds, referenceGrantKind] : [...routeKinds, ...reads],
  check({ change, base, head, report, skip }) {
    if (change.kind !== 'added' && groupKindOf(change.before.ref) === referenceGrantKind) {
      const { before } = change
      const after = change.kind === 'changed' ? change.after : undefined
      const lost = (crossingsIn(head).into.get(before.ref.namespace) ?? []).filter(
        (one) =>
          grants(before, one.name.manifest, targetOf(one)) && !isGranted(one, head) && !isUngrantedBefore(one, base),
      )
      const [first] = lost
      if (!first) return
      const at = after && misfitOf(after, first.name.manifest, targetOf(first))
      const users = [...new Set(lost.map(({ name }) => nameOf(name.manifest.ref)))]
      const { namespace } = before.ref
      const args = { grant: nameOf(before.ref), how: after ? 'narrows' : 'removes', namespace, users: abridged(users) }
      report([at ?? before.root, ...onePerObject(lost)], 'lost', args)
      return
    }
    if (change.kind === 'removed' || !routeKinds.includes(groupKindOf(change.after.ref))) return
    const { after } = change
    const named = change.kind === 'changed' ? crossing(change.before).map(keyOf) : []
    const seen = new Set(named)
    for (const backend of crossing(after)) {
      const key = keyOf(backend)
      if (seen.has(key) || isGranted(backend, head) || isUngrantedBefore(backend, base)) continue
      seen.add(key)
      const [service] = servicesOf(backend, head).filter((one) => isServiceOf(backend, one))
      const there = grantsIn(backend.namespace, head)
      const { maker } = crossingsIn(head)
      if (maker) {
        skip(backend.name, `${nameOf(maker.ref)} mentions ReferenceGrants, and may create one for ${key}`)
        continue
      }
      const { kind, namespace } = after.ref
      const args = { user: nameOf(after.ref), service: `the Service ${key}`, from: `kind ${kind} of ${namespace}` }
      const [first] = there
      const misfit = first && misfitOf(first, after, targetOf(backend))
      if (misfit) {
        const names = abridged(there.map(({ ref }) => ref.name))
        report([backend.name, misfit], 'unfitting', { ...args, grants: names }, { keys: [key] })
      } else if (service) {
        report([backend.name, service.root.at('metadata')], 'missing', args, { keys: [key] })
      }
    }
  },
})

const reads: readonly GroupKind[] = ['Service', referenceGrantKind, ...makerKinds]

/**
 * The backends of a route that are in another namespace, as far as both are written. A route of a mesh has a Service as its
 * parent, and a mesh may ask for no grant.
 */
function crossing(route: Manifest): Backend[] {
  const { namespace } = route.ref
  const parents = [...route.root.at('spec', 'parentRefs').items()]
  const isOfMesh = parents.every((one) => one.at('kind').string === 'Service')
  if (isOfMesh || namespace === '' || isPlaceholder(namespace) || route.assumption) return []
  return backendsOf(route).filter((one) => one.namespace !== namespace && !isPlaceholder(one.namespace))
}

/** What the routes of a snapshot use of other namespaces, and what may create grants there. */
interface Crossings {
  readonly into: ReadonlyMap<string, readonly Backend[]>
  /** The kinds and namespaces of routes that use Services of a namespace without a grant. */
  readonly ungranted: ReadonlySet<string>
  readonly maker: Manifest | undefined
}

const known = new WeakMap<Snapshot, Crossings>()

function crossingsIn(snapshot: Snapshot): Crossings {
  const crossings = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, crossings)
  return crossings
}

function indexed(snapshot: Snapshot): Crossings {
  const into = new Map<string, Backend[]>()
  const ungranted = new Set<string>()
  for (const backend of routeKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(crossing)) {
    append(into, backend.namespace, backend)
    if (!isGranted(backend, snapshot)) ungranted.add(crossingOf(backend))
  }
  const makers = makerKinds.flatMap((kind) => snapshot.ofKind(kind))
  return { into, ungranted, maker: makers.find(({ object }) => object.content.includes('eferenceGrant')) }
}

function crossingOf({ name: { manifest }, namespace }: Backend): string {
  return JSON.stringify([groupKindOf(manifest.ref), manifest.ref.namespace, namespace])
}

/** Whether a grant lets a backend be used; one without a namespace may be of any. */
function isGranted(backend: Backend, snapshot: Snapshot): boolean {
  const target = targetOf(backend)
  return [backend.namespace, '']
    .flatMap((namespace) => grantsIn(namespace, snapshot))
    .some((grant) => grants(grant, backend.name.manifest, target))
}

/**
 * Whether a route of the same kind and namespace used Services of the other namespace before the change, without a grant: then
 * the grant is elsewhere, or the controller asks for none.
 */
function isUngrantedBefore(backend: Backend, base: Snapshot): boolean {
  return crossingsIn(base).ungranted.has(crossingOf(backend))
}

function targetOf({ namespace, service }: Backend): ReferenceTarget {
  return { kind: 'Service', namespace, name: service }
}

function keyOf({ namespace, service }: Backend): string {
  return `${namespace}/${service}`
}

/** The first backend of each route. */
function onePerObject(backends: readonly Backend[]): Cursor[] {
  return [...new Map([...backends].reverse().map(({ name }) => [name.manifest, name] as const)).values()].reverse()
}
