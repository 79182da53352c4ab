import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersIn, marksOfControllers } from '../../kubernetes/controllers/controller'
import { mayTakeIngress } from '../../kubernetes/controllers/controller-ingresses'
import { routedHosts } from '../../kubernetes/ingress/ingress'
import { closedBy } from '../../kubernetes/ingress/source-ranges'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { abridged } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const kind = 'Ingress.networking.k8s.io'

export default defineRule({
  id: 'controller-scope/hosts-reached',
  summary: 'No annotation that an Ingress is given takes its hosts from all clients.',
  since: '1.27.0',
  scope: 'change',
  kinds: [kind],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds],
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
  },
  putBack: { canary: 'changed', closed: 'changed', denied: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind !== 'Ingress' || !isCanary(manifest)) return
    yield* routedHosts(manifest).keys()
    yield* marksOfControllers
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
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
