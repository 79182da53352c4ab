import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { mayBeMade } from '../../kubernetes/charts/makers'
import { runsPods } from '../../kubernetes/charts/unbacked-service'
import { backendKinds, portsOfService } from '../../kubernetes/ingress/backend'
import {
  addressesOf,
  areEndpoints,
  endpointKinds,
  endpointsOf,
  serviceNameAt,
} from '../../kubernetes/ingress/endpoints'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { servicesIn } from '../../kubernetes/ingress/services'
import { mayShareNamespace, shareNamespace } from '../../kubernetes/object/namespace'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { enumerated } from '../../listing'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Lost = Record<'endpoints' | 'service' | 'user' | 'outcome', string>

export default defineRule({
  id: 'controller-scope/endpoints-kept',
  summary: 'A Service without a selector keeps the endpoints that are written for it.',
  since: '1.30.0',
  scope: 'change',
  kinds: [...endpointKinds, 'Service'],
  reads: [...backendKinds, ...releaseKinds],
  direct: true,
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
    lost: ({ endpoints, service, user, outcome }: Lost) =>
      `With this change ${endpoints} ${outcome}. It has the only addresses here of ${service}, which has no selector, so the requests that ${user} sends there fail. Keep it until the Service has other endpoints, or nothing sends requests to it.`,
    // Source: https://github.com/kubernetes/kubernetes/blob/v1.34.1/pkg/proxy/endpointslicecache.go, addEndpoints: by the name of
    // the port
    port: ({
      endpoints,
      service,
      user,
      port,
      known,
    }: Record<'endpoints' | 'service' | 'user' | 'port' | 'known', string>) =>
      `After this change no endpoints of ${service} have its port ${port}: ${endpoints} has ${known}, and a port of a Service without a selector takes the one with its name. So the requests that ${user} sends there fail. Give the two ports one name.`,
  },
  putBack: { lost: 'changed', port: 'changed' },
  *partners(manifest) {
    const name = areEndpoints(manifest) ? serviceNameAt(manifest).string : isBare(manifest) ? manifest.ref.name : ''
    if (name) yield name
  },
  check({ change, base, head, report }) {
    if (change.kind === 'added') return
    const { before } = change
    const name = areEndpoints(before) ? (serviceNameAt(before).string ?? '') : before.ref.name
    if (name === '' || isPlaceholder(name)) return
    const isOf = (one: Manifest) => (areEndpoints(before) ? shareNamespace(one, before) : identicalTo(one, before))
    const [service, ...copies] = servicesIn(head).named(name).filter(isOf)
    const was = base.get(service?.ref ?? before.ref)[0]
    if (!service || copies.length > 0 || !was || ![was, service].every(isBare)) return
    const left = endpointsOf(name, head).filter((one) => mayShareNamespace(one, service))
    if (left.some((one) => addressesOf(one).isOpen)) return
    if (areEndpoints(before) && left.every((one) => !addressesOf(one).ports)) {
      const loss = lossOf(change)
      const user = userOf(service, head)
      if (!loss || !user || mayBeMade(service.ref.namespace, name, head, runsPods)) return
      const args = { endpoints: nameOf(before.ref), service: nameOf(service.ref), user: nameOf(user.manifest.ref) }
      report([loss.at, service.root, user], 'lost', { ...args, outcome: loss.outcome }, { keys: [args.service] })
      return
    }
    const { after } = sidesOf(change)
    const earlier = new Set(
      endpointsOf(name, base)
        .filter((one) => mayShareNamespace(one, was))
        .flatMap(portsOf),
    )
    const now = new Set(left.flatMap(portsOf))
    const those = left.find((one) => addressesOf(one).ports)
    if (!after || !those) return
    for (const port of portsOfService(service) ?? []) {
      const name = port.name ?? ''
      const number = portsOfService(was)?.find((one) => one.number === port.number)
      if (!number || !earlier.has(number.name ?? '') || now.has(name)) continue
      const user = userOf(service, head, port)
      if (!user) continue
      const args = {
        endpoints: nameOf(those.ref),
        service: nameOf(service.ref),
        user: nameOf(user.manifest.ref),
        port: inWords(port.name),
        known: enumerated([...now].map(inWords), 3),
      }
      const ends = [
        those.root.at(those.ref.kind === 'Endpoints' ? 'subsets' : 'ports'),
        service.root.at('spec', 'ports'),
      ]
      report(areEndpoints(after) ? ends : ends.toReversed(), 'port', args, { keys: [args.service, name] })
    }
  },
})

function inWords(name: string | undefined): string {
  return name || 'without a name'
}

function portsOf(endpoints: Manifest): readonly string[] {
  return addressesOf(endpoints).ports ?? []
}

function identicalTo(one: Manifest, { ref }: Manifest): boolean {
  return one.ref.name === ref.name && one.ref.namespace === ref.namespace
}

/** Whether the endpoints of a Service are those that someone writes for it. */
function isBare({ ref, root }: Manifest): boolean {
  const spec = root.at('spec')
  return ref.kind === 'Service' && spec.isMap && !spec.at('selector').isSet && spec.at('type').string !== 'ExternalName'
}

/** The way in which endpoints with addresses are no longer those of their Service. */
function lossOf(change: Exclude<Change, { kind: 'added' }>): { at: Cursor; outcome: string } | undefined {
  const { before } = change
  const { at: was, ports } = addressesOf(before)
  if (!ports) return undefined
  if (change.kind === 'removed') return outlivesPrune(before) ? undefined : { at: before.root, outcome: 'is removed' }
  const at = serviceNameAt(change.after)
  const name = at.string ?? ''
  if (name !== serviceNameAt(before).string) {
    if (isPlaceholder(name)) return undefined
    return { at, outcome: name ? `becomes that of the Service ${name}` : 'is no longer that of a Service' }
  }
  const { at: is } = addressesOf(change.after)
  return { at: is.exists ? is : was, outcome: 'has no address that is ready' }
}

/** The classes of controllers that compare the names of ports. */
const readNames: readonly string[] = ['cilium', 'traefik']

/**
 * A route that sends requests to a Service.
 *
 * @param port where it is given, one to which the names of ports matter. ingress-nginx takes the target port, if that is a number.
 * Source: ingress-nginx controller-v1.15.1, internal/ingress/controller/endpointslices.go
 */
function userOf(
  service: Manifest,
  head: Snapshot,
  port?: { name: string | undefined; number: unknown; target: unknown },
) {
  const backends = servicesIn(head).backendsTo(service.ref.name)
  return backends.find((one) => {
    if (!isServiceOf(one, service)) return false
    if (!port) return true
    if (one.wanted !== port.name && one.wanted !== port.number) return false
    const user = one.name.manifest
    return user.ref.kind !== 'Ingress' || typeof port.target === 'string' || readNames.includes(classOf(user) ?? '')
  })?.name
}
