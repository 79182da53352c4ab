import type { Snapshot } from '../../cluster/snapshot'
import {
  controllerKinds,
  controllersIn,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { isOnItsNodes } from '../../kubernetes/controllers/controller-service'
import { albParamsKind, classesWithParams } from '../../kubernetes/ingress/alb'
import { isLoopback, schemeOf } from '../../kubernetes/object/balancer-scheme'
import { selectionMarks, selects } from '../../kubernetes/object/service'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'
const gatewayKind = 'Gateway.gateway.networking.k8s.io'

export default defineRule({
  id: 'controller-scope/load-balancer-kept',
  summary: 'The load balancer of an ingress controller stays reachable for the clients that it has.',
  since: '1.29.0',
  scope: 'change',
  kinds: ['Service', ingressKind, gatewayKind, albParamsKind],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds],
  messages: {
    // Sources: the annotations in kubernetes/object/balancer-scheme
    internal: ({ object, what }: Record<'object' | 'what', string>) =>
      `This change makes the load balancer of ${object}${what} an internal one. The cloud replaces it and its address changes, so clients outside of the network no longer reach the hosts behind it. Keep it, and add an internal one beside it.`,
    external: ({ object, what }: Record<'object' | 'what', string>) =>
      `This change makes the internal load balancer of ${object}${what} one for the internet. The cloud replaces it and its address changes, so clients that use the old one no longer reach the hosts behind it, and everybody reaches the new one. Keep it until all clients use another address.`,
    loopback: ({ object, what, ranges }: Record<'object' | 'what' | 'ranges', string>) =>
      `After this change the load balancer of ${object}${what} lets in only ${ranges}, from which no client comes, so none reaches the hosts behind it. List the addresses of the clients in loadBalancerSourceRanges, or remove it.`,
  },
  putBack: { internal: 'changed', external: 'changed', loopback: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'Service') yield* [...selectionMarks(manifest), ...marksOfControllers]
    if (groupKindOf(manifest.ref) === albParamsKind) yield manifest.ref.name
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    const what = purposeOf(before, base, head)
    if (what === undefined) return
    const args = { object: nameOf(after.ref), what }
    const closed = loopbackIn(after)
    if (closed && !loopbackIn(before)) report([closed.at], 'loopback', { ...args, ranges: closed.ranges })
    const is = schemeOf(after)
    const was = schemeOf(before, is?.cloud)
    const now = is ?? schemeOf(after, was?.cloud)
    if (!was || !now || was.cloud !== now.cloud || was.isInternal === now.isInternal) return
    report([now.at, was.at], now.isInternal ? 'internal' : 'external', args, { keys: [was.cloud] })
  },
})

/** The purpose of a load balancer, where its object does not name it; undefined for one that no Ingress needs. */
function purposeOf(object: Manifest, base: Snapshot, head: Snapshot): string | undefined {
  const kind = groupKindOf(object.ref)
  if (kind === 'Service') {
    const controller = controllerBehind(object, base)
    return controller && `, which leads to ${controller},`
  }
  if (kind !== albParamsKind) return ''
  const [at] = classesWithParams(object.ref.name, head)
  return at && `, by which ${nameOf(at.manifest.ref)} makes those of its Ingresses,`
}

/** The ingress controller to which a Service of type LoadBalancer leads. */
function controllerBehind(service: Manifest, snapshot: Snapshot): string | undefined {
  if (service.root.at('spec', 'type').string !== 'LoadBalancer') return undefined
  const found = controllersIn(snapshot).find(
    ({ manifest, installed }) => !installed && !isOnItsNodes(manifest) && selects(service, manifest),
  )
  return found && nameOfController(found)
}

/** The ranges of a Service, where all of them are of the loopback. */
function loopbackIn({ root }: Manifest): { at: Cursor; ranges: string } | undefined {
  const at = root.at('spec', 'loadBalancerSourceRanges')
  const ranges = [...at.items()].map(({ string }) => string ?? '')
  return ranges.length > 0 && ranges.every(isLoopback) ? { at, ranges: ranges.join(', ') } : undefined
}
