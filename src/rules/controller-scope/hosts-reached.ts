import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersIn, marksOfControllers } from '../../kubernetes/controllers/controller'
import { mayTakeIngress } from '../../kubernetes/controllers/controller-ingresses'
import { dnsKinds } from '../../kubernetes/controllers/external-dns-scope'
import { deadTargetOf } from '../../kubernetes/controllers/external-dns-target'
import { configsNamedIn } from '../../kubernetes/controllers/nginx-config'
import { closedListOf, rangesIn, usersOfMiddleware } from '../../kubernetes/controllers/traefik-allow-list'
import { ingressRouteKinds, middlewareKinds } from '../../kubernetes/controllers/traefik-middleware'
import { routedHosts } from '../../kubernetes/ingress/ingress'
import { closedBy, closedBySetting } from '../../kubernetes/ingress/source-ranges'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const kind = 'Ingress.networking.k8s.io'

export default defineRule({
  id: 'controller-scope/hosts-reached',
  summary:
    'No annotation of an Ingress, no Middleware of Traefik and no setting of ingress-nginx comes to take hosts from all clients.',
  since: '1.27.0',
  scope: 'change',
  kinds: [kind, 'ConfigMap', ...middlewareKinds, ...dnsKinds.filter((one) => one !== kind)],
  reads: ['IngressClass.networking.k8s.io', ...ingressRouteKinds, ...controllerKinds, ...releaseKinds],
  messages: {
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/#canary, and controller-v1.15.1,
    // internal/ingress/controller/controller.go (mergeAlternativeBackends)
    canary: ({ ingress, hosts }: Record<'ingress' | 'hosts', string>) =>
      `${ingress} becomes a canary with this change: it only gets a share of the requests that another Ingress takes, and none here takes ${hosts}, so nothing serves them. Remove the annotation, or first add the Ingress that takes the rest.`,
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/#whitelist-source-range
    closed: ({ ingress, ranges }: Record<'ingress' | 'ranges', string>) =>
      `With this change ${ingress} lets in only ${ranges}, which no client has, so its controller refuses all requests. List the addresses of the clients.`,
    denied: ({ ingress, ranges }: Record<'ingress' | 'ranges', string>) =>
      `With this change ${ingress} refuses ${ranges}, which all clients are in, so its controller refuses all requests. List only the addresses to be kept out.`,
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/
    closedAll: ({ map, controller, ranges }: Record<'map' | 'controller' | 'ranges', string>) =>
      `With this change ${map} makes ${controller} admit only ${ranges}, from which no client comes, so it refuses all requests to Ingresses without a list of their own. List the addresses of the clients.`,
    deniedAll: ({ map, controller, ranges }: Record<'map' | 'controller' | 'ranges', string>) =>
      `With this change ${map} makes ${controller} refuse ${ranges}, which contains every client. List only the addresses to be kept out.`,
    unbound: ({ map, controller, addresses }: Record<'map' | 'controller' | 'addresses', string>) =>
      `With this change ${map} makes ${controller} listen on ${addresses} alone, where only its own Pod reaches it, so all connections are refused. Remove bind-address.`,
    // Source: kubernetes/controllers/traefik-allow-list
    closedRoutes: ({ middleware, routes, ranges }: Record<'middleware' | 'routes' | 'ranges', string>) =>
      `With this change ${middleware} lets in only ${ranges}, from which no client comes, so Traefik refuses all requests to the routes of ${routes} that name it. List the addresses of the clients.`,
    // Source: kubernetes/controllers/external-dns-target
    unreached: ({ object, targets }: Record<'object' | 'targets', string>) =>
      `With this change ExternalDNS is to publish ${targets} as the address of the hosts of ${object}, where clients find themselves or nothing, not the controller. Unless all clients are on the node itself, write the address of the controller, or remove the annotation.`,
  },
  later: { closedRoutes: '1.32.0', unreached: '1.32.0', closedAll: '1.30.0', deniedAll: '1.30.0', unbound: '1.30.0' },
  putBack: {
    canary: 'changed',
    closed: 'changed',
    closedAll: 'changed',
    closedRoutes: 'changed',
    denied: 'changed',
    deniedAll: 'changed',
    unbound: 'changed',
    unreached: 'changed',
  },
  *partners(manifest) {
    if (manifest.ref.kind === 'ConfigMap' && closedBySetting(manifest)) yield* marksOfControllers
    if (manifest.ref.kind === 'ConfigMap' && loopbackOf(manifest)) yield* marksOfControllers
    if (isMiddleware(manifest) && closedListOf(manifest)) yield* [manifest.ref.name, ...marksOfControllers]
    if (manifest.ref.kind !== 'Ingress' || !isCanary(manifest)) return
    yield* routedHosts(manifest).keys()
    yield* marksOfControllers
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    if (after.ref.kind === 'ConfigMap') {
      for (const { at, message, ...args } of closingSettings(before, after, head))
        report(at, message, { map: nameOf(after.ref), ...args }, { keys: [message] })
      return
    }
    if (isMiddleware(after)) {
      const list = closedListOf(before) ? undefined : closedListOf(after)
      const users = list ? usersOfMiddleware(after, head) : []
      const routes = abridged(users.map(({ ref }) => nameOf(ref)))
      const args = { middleware: nameOf(after.ref), routes, ranges: list ? rangesIn(list).join(', ') : '' }
      if (list && users.length > 0) report(list, 'closedRoutes', args, { keys: [] })
      return
    }
    const target = deadTargetOf(before) ? undefined : deadTargetOf(after)
    if (target)
      report(target, 'unreached', { object: nameOf(after.ref), targets: target.string ?? '' }, { keys: ['target'] })
    if (groupKindOf(after.ref) !== kind) return
    const ingress = nameOf(after.ref)
    if (isCanary(after) && !isCanary(before) && mayBeOfNginx(after, head)) {
      const left = [...routedHosts(after).keys()].filter(
        (host) => hostsOf(base).get(host)?.has(ingress) && !hostsOf(head).has(host),
      )
      const at = after.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/canary')
      if (left.length > 0) report(at, 'canary', { ingress, hosts: abridged(left) }, { keys: left })
    }
    const was = closedBy(before)
    const closing = closedBy(after)
    if (closing && !was) report(closing.at, closing.how, { ingress, ranges: closing.ranges }, { keys: [closing.how] })
  },
})

function isMiddleware({ ref }: Manifest): boolean {
  return middlewareKinds.includes(groupKindOf(ref))
}

/** The settings of a ConfigMap by which the controllers that read it come to serve no client. */
function* closingSettings(before: Manifest, after: Manifest, head: Snapshot) {
  const closing = closedBySetting(before) ? undefined : closedBySetting(after)
  const bound = loopbackOf(before) ? undefined : loopbackOf(after)
  if (!closing && !bound) return
  for (const { flag, map, controller } of configsNamedIn(head)) {
    if (flag !== 'configmap' || map.name !== after.ref.name || map.namespace !== after.ref.namespace) continue
    const name = nameOf(controller.manifest.ref)
    const { ranges = '' } = closing ?? {}
    const message = closing?.how === 'closed' ? 'closedAll' : 'deniedAll'
    if (closing) yield { at: closing.at, message, controller: name, ranges, addresses: '' } as const
    // Another container of the Pod may be the way in.
    const isAlone = [...podOf(controller.manifest).at('spec', 'containers').items()].length === 1
    const addresses = bound?.string ?? ''
    if (bound && isAlone) yield { at: bound, message: 'unbound', controller: name, ranges: '', addresses } as const
  }
}

/** The setting by which ingress-nginx listens on addresses of its own Pod alone. */
function loopbackOf({ root }: Manifest): Cursor | undefined {
  const at = root.at('data', 'bind-address')
  const addresses = (at.string ?? '').split(',').map((address) => address.trim())
  return addresses.every((address) => address.startsWith('127.') || address === '::1') ? at : undefined
}

/** Whether no controller here takes an Ingress, or one of those that know canaries by its annotation does. */
function mayBeOfNginx(ingress: Manifest, head: Snapshot): boolean {
  const takers = controllersIn(head).filter((one) => mayTakeIngress(one, ingress, head))
  return takers.length === 0 || takers.some(({ facts }) => facts.name === 'ingress-nginx')
}

/** The names of the Ingresses that take each host as a whole: canaries do not. */
function hostsOf(snapshot: Snapshot): ReadonlyMap<string, ReadonlySet<string>> {
  const known = indexes.get(snapshot)
  if (known) return known
  const hosts = new Map<string, Set<string>>()
  for (const ingress of snapshot.ofKind(kind).filter((one) => !isCanary(one))) {
    for (const host of routedHosts(ingress).keys())
      hosts.set(host, (hosts.get(host) ?? new Set()).add(nameOf(ingress.ref)))
  }
  indexes.set(snapshot, hosts)
  return hosts
}

const indexes = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlySet<string>>>()
