import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { comingReleases } from '../../kubernetes/charts/coming-release'
import { envoyConfigKey, envoyLosses } from '../../kubernetes/controllers/envoy-gateway'
import { parentsOf } from '../../kubernetes/ingress/gateway-route'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { isNeverUpdated } from '../../kubernetes/object/never-updated'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { listenerLosses, offersItsPorts } from '../../kubernetes/tls/listener-loss'
import { narrowedFor } from '../../kubernetes/tls/listener-narrowing'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { comparisonKey } from '../../manifest/load'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const group = 'gateway.networking.k8s.io'
const gatewayKind: GroupKind = `Gateway.${group}`
const classKind: GroupKind = `GatewayClass.${group}`
const namespaceKind: GroupKind = 'Namespace'
const routeKinds = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map((kind) => `${kind}.${group}`)

type Loss = { object: string; users: string }

export default defineRule({
  id: 'controller-scope/gateway-kept',
  summary: 'A Gateway that routes name is kept and lets them in, and so is a GatewayClass that Gateways name.',
  since: '1.2.0',
  scope: 'change',
  assumed: { since: '1.7.0' },
  kinds: [gatewayKind, classKind, namespaceKind, 'ConfigMap'],
  reads: [...routeKinds, 'Ingress.networking.k8s.io', ...releaseKinds],
  messages: {
    gateway: ({ object, users }: Loss) =>
      `This change removes ${object}, which ${users} under parentRefs, so nothing serves their hosts afterwards. Keep it until these routes name another Gateway.`,
    class: ({ object, users }: Loss) =>
      `This change removes ${object}, which ${users} as gatewayClassName, so no controller programs them any more. Keep it until no Gateway names it.`,
    brought: ({ object, users, release }: Loss & { release: string }) =>
      `This change removes ${object}, which ${users} as gatewayClassName. It is assumed that ${release}, which this change adds or edits, creates it again, as the objects of its chart are not seen; if it does not, no controller programs them any more. Make sure that it does, or keep the class until no Gateway names it.`,
    // Sources: the controllers in kubernetes/tls/listener-loss
    moved: ({ gateway, routes, was, is }: Record<'gateway' | 'routes' | 'was' | 'is', string>) =>
      `This change moves ${gateway} from port ${was} to ${is} for ${routes}. Clients ask for their hosts on port ${was}, where nothing of the Gateway listens for them any more. Keep a listener on port ${was}.`,
    narrowed: ({ gateway, routes, asks }: { gateway: string; routes: string; asks: string }) =>
      `This change closes ${gateway} to ${routes}: ${asks}. Nothing serves their hosts afterwards; let these routes in until they name another listener or Gateway.`,
    unlistened: ({ gateway, routes, ...them }: { gateway: string; routes: string; object: string; keepers: string }) =>
      `This change removes the listener of ${gateway} for ${routes}, so nothing serves ${them.object} afterwards. Keep the listener until ${them.keepers} another one.`,
    unlabelled: ({ gateway, routes, namespace, label }: Record<'gateway' | 'routes' | 'namespace' | 'label', string>) =>
      `This change takes the label ${label} from ${namespace}, and a listener of ${gateway} lets in the routes of namespaces that have it, so it no longer serves ${routes}. Keep the label until these routes name another Gateway.`,
    // Sources: kubernetes/controllers/envoy-gateway
    reconfigured: ({ config, was, is, users }: Record<'config' | 'was' | 'is' | 'users', string>) =>
      `After this change ${config} has Envoy Gateway take GatewayClasses of the controller ${is}, and no longer those of ${was}, so nothing sets up ${users} or follows changes of their routes. Keep the name until these Gateways have a class of the new one.`,
    unwatched: ({ config, is, users }: Record<'config' | 'is' | 'users', string>) =>
      `After this change ${config} has Envoy Gateway watch the namespaces ${is} alone, and not those of ${users}, which it served before and no longer follows. Add their namespaces to the list first.`,
  },
  later: {
    brought: '1.26.0',
    moved: '1.29.0',
    narrowed: '1.4.0',
    reconfigured: '1.31.0',
    unwatched: '1.31.0',
    unlabelled: '1.14.0',
    unlistened: '1.5.0',
  },
  putBack: {
    class: 'changed',
    moved: 'changed',
    narrowed: 'changed',
    reconfigured: 'changed',
    unlabelled: 'changed',
    unlistened: 'changed',
    unwatched: 'changed',
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Namespace' ? [gatewayKind] : undefined),
  *partners(manifest, _params, _isGone, isTouched) {
    if (manifest.ref.kind === 'Namespace') {
      if (isTouched) yield 'allowedRoutes'
      return
    }
    if (manifest.ref.kind === 'ConfigMap') {
      if (isTouched && manifest.root.at('data', envoyConfigKey).exists)
        yield* ['controllerName', 'gatewayClassName', 'parentRefs', 'gateway-helm', envoyConfigKey]
      return
    }
    yield manifest.ref.name
    if (manifest.ref.kind === 'Gateway') {
      const listeners = [...manifest.root.at('spec', 'listeners').items()]
      if (listeners.some((one) => one.at('allowedRoutes', 'namespaces', 'selector').exists)) yield 'Namespace'
      // Its class says which controller offers its ports.
      yield 'controllerName'
      return
    }
    for (const { name } of parentsOf(manifest) ?? []) if (name.string) yield name.string
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'changed' && change.after.ref.kind === 'Namespace') {
      if (isNeverUpdated(change.after)) return
      for (const { gateway, label, place, at, routes } of closings(change, base, head)) {
        const names = { gateway: nameOf(gateway.ref), namespace: nameOf(change.after.ref), routes: listed(routes) }
        report([place, at], 'unlabelled', { ...names, label }, { keys: [names.gateway] })
      }
      return
    }
    if (change.kind === 'changed' && change.after.ref.kind === 'ConfigMap') {
      const routes = routeKinds.flatMap((kind) => head.ofKind(kind))
      for (const { how, at, was, is, users, release } of envoyLosses(change, head, routes)) {
        const [first] = users
        if (release) skip(at, `${nameOf(release.ref)} may bring another Envoy Gateway`)
        if (release || !first) continue
        const args = { config: nameOf(change.after.ref), was, is, users: listed(users) }
        report([at, first.root], how, args, { keys: [was] })
      }
      return
    }
    if (change.kind === 'changed' && change.after.ref.kind === 'Gateway') {
      for (const { at, why, routes } of narrowings(change, base, head)) {
        const [first] = routes
        if (!first) continue
        const args = { gateway: nameOf(change.after.ref), routes: listed(routes) }
        const ends = [at, first.root.at('spec', 'parentRefs')]
        const [object, keepers] = routes.length > 1 ? ['them', 'these routes name'] : ['it', 'the route names']
        if (why === 'gone')
          report(ends, 'unlistened', { ...args, object, keepers }, { keys: routes.map(({ ref }) => nameOf(ref)) })
        else report(ends, 'narrowed', { ...args, asks: asking[why] }, { keys: [why] })
      }
      for (const { lost, at, was, routes } of listenerLosses(change, base, head)) {
        if (lost !== 'port' || !offersItsPorts(change.after, head)) continue
        const args = { gateway: nameOf(change.after.ref), routes: listed(routes) }
        const ports = { was: String(was.value), is: String(at.value) }
        report([at, was], 'moved', { ...args, ...ports }, { keys: [ports.was] })
      }
      return
    }
    if (change.kind !== 'removed' || change.before.ref.kind === 'ConfigMap') return
    if (head.get(change.before.ref).length > 0) return
    const removed = change.before
    const { name, kind } = removed.ref
    if (isPlaceholder(name) || outlivesPrune(removed)) return
    const users = kind === 'Gateway' ? routesOf(removed, head) : gatewaysOf(name, head)
    const [first] = users
    if (!first) return
    const release = kind === 'Gateway' ? undefined : releaseThatComes(base, head)
    const args = { object: nameOf(removed.ref), users: inWords(users.map((at) => at.manifest)) }
    if (release) {
      const by = nameOf(release.ref)
      skip(removed.root, `${by}, which this change adds or edits, may create the class`)
      report([removed.root, first], 'brought', { ...args, release: by }, { keys: [name] })
      return
    }
    report([removed.root, first], kind === 'Gateway' ? 'gateway' : 'class', args, { keys: [name] })
  },
})

const asking: Record<Exclude<Narrowing['why'], 'gone'>, string> = {
  port: 'no listener has the port that they name',
  protocol: 'no listener has a protocol for them',
  hostname: 'no listener has their hostname',
  kinds: 'its listeners do not allow their kind',
  namespaces: 'its listeners do not allow their namespace',
}

interface Narrowing extends NonNullable<ReturnType<typeof narrowedFor>> {
  readonly routes: Manifest[]
}

/** The Gateways that this change leaves as they are, and that a Namespace no longer has the labels for. */
function closings({ before, after }: Edited, base: Snapshot, head: Snapshot) {
  const labels = [before, after].map(({ root }) => root.at('metadata', 'labels'))
  const [had, has] = labels
  const changed = [...(had?.entries() ?? [])].filter(([key, { string }]) => has?.at(key).string !== string)
  if ([before, after].some(({ ref }) => head.get(ref).length !== 1) || changed.length === 0) return []
  return ofKinds([gatewayKind], head).flatMap((gateway) => {
    const [was, ...copies] = base.get(gateway.ref)
    if (!was || copies.length > 0 || comparisonKey(was.object) !== comparisonKey(gateway.object)) return []
    const lost = narrowings({ before: was, after: gateway }, base, head).flatMap(({ routes }) => routes)
    const routes = lost.filter(({ ref }) => ref.namespace === after.ref.name)
    const selectors = [...gateway.root.at('spec', 'listeners').items()].map((one) =>
      one.at('allowedRoutes', 'namespaces', 'selector'),
    )
    const label = changed.find(([key]) => selectors.some((one) => isAskedFor(key, one)))
    const at = label && selectors.find((one) => isAskedFor(label[0], one))
    if (routes.length === 0 || !label || !at || !has) return []
    const [key, { string }] = label
    return [{ gateway, at, routes, place: has.at(key).exists ? has.at(key) : has, label: `${key}: ${string}` }]
  })
}

function isAskedFor(key: string, selector: Cursor): boolean {
  const expressions = [...selector.at('matchExpressions').items()]
  return selector.at('matchLabels', key).exists || expressions.some((one) => one.at('key').string === key)
}

type Edited = Pick<Extract<Change, { kind: 'changed' }>, 'before' | 'after'>

/** The losses of routes that stay, through a change of a Gateway, by the cause. */
function narrowings(change: Edited, base: Snapshot, head: Snapshot): Narrowing[] {
  const [before, after] = [
    { gateway: change.before, snapshot: base },
    { gateway: change.after, snapshot: head },
  ]
  const found = new Map<string, Narrowing>()
  for (const route of ofKinds(routeKinds, head)) {
    const others = (parentsOf(route) ?? []).some(
      (one) => one.name.string !== after.gateway.ref.name || one.namespace !== after.gateway.ref.namespace,
    )
    const narrowed = others || base.get(route.ref).length === 0 ? undefined : narrowedFor(route, before, after)
    if (!narrowed) continue
    const known = found.get(narrowed.why)
    if (known) known.routes.push(route)
    else found.set(narrowed.why, { ...narrowed, routes: [route] })
  }
  return [...found.values()]
}

/** A release that comes and is about Gateways: charts of controllers create their class. */
function releaseThatComes(base: Snapshot, head: Snapshot): Manifest | undefined {
  return comingReleases(base, head).find(({ manifest }) => /gateway/i.test(manifest.object.content))?.manifest
}

/** The references of routes to a Gateway that is gone, if no other one exists. */
function routesOf(gateway: Manifest, head: Snapshot): Cursor[] {
  const { name, namespace } = gateway.ref
  return ofKinds(routeKinds, head).flatMap((route) => {
    const parents = parentsOf(route) ?? []
    const own = parents.find((one) => one.name.string === name && one.namespace === namespace)
    if (!own || (namespace === '' && !shareNamespace(route, gateway))) return []
    const isServed = parents.some((one) => {
      const ref = { group, kind: 'Gateway', namespace: one.namespace, name: one.name.string ?? '' }
      return head.get(ref).length > 0
    })
    return isServed ? [] : [own.name]
  })
}

function gatewaysOf(name: string, head: Snapshot): Cursor[] {
  const gateways = ofKinds([gatewayKind], head).map(({ root }) => root.at('spec', 'gatewayClassName'))
  return gateways.filter(({ string }) => string === name)
}

/** By name, those that are assumed last, so that none of them comes before one that was read; of several copies of one, the first. */
function ofKinds(kinds: readonly GroupKind[], head: Snapshot): Manifest[] {
  const found = kinds.flatMap((kind) => head.ofKind(kind)).filter((one) => head.get(one.ref)[0] === one)
  const rank = ({ assumption }: Manifest) => (assumption ? 1 : 0)
  return found.sort((a, b) => rank(a) - rank(b) || (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
}

/** `HTTPRoute shop/web names`, `HTTPRoute shop/a, HTTPRoute shop/b and 7 more name` */
function inWords(users: readonly Manifest[]): string {
  return `${listed(users)} ${users.length > 1 ? 'name' : 'names'}`
}

function listed(users: readonly Manifest[]): string {
  return abridged(
    users.map(({ ref }) => nameOf(ref)),
    3,
  )
}
