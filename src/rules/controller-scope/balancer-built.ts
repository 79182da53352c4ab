import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { albParamsKind, classesWithParams, isOfAlb, targetTypeOf } from '../../kubernetes/ingress/alb'
import { backendsOf } from '../../kubernetes/ingress/backend'
import { servicesIn } from '../../kubernetes/ingress/services'
import { outlivesPrune } from '../../kubernetes/object/prune'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

export default defineRule({
  id: 'controller-scope/balancer-built',
  summary: 'The AWS Load Balancer Controller finds what it needs to build the load balancer of an Ingress.',
  since: '1.30.0',
  scope: 'change',
  kinds: [ingressKind, 'Service', albParamsKind],
  reads: ['IngressClass.networking.k8s.io', ...releaseKinds],
  messages: {
    // Source: https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/pkg/ingress/class_loader.go,
    // `loadIngressClassParams`
    parameters: ({ params, ingressClass }: Record<'params' | 'ingressClass', string>) =>
      `This change removes ${params}, which ${ingressClass} still names, so the AWS Load Balancer Controller refuses each Ingress of this class, and no longer updates their load balancers. Keep it, or first remove spec.parameters of the class.`,
    // Source: pkg/ingress/model_build_target_group.go of the same: TargetGroup port is empty
    instance: ({ ingress, service }: Record<'ingress' | 'service', string>) =>
      `After this change ${ingress} has nodes as targets (target-type: instance), and ${service}, to which it sends requests, is of type ClusterIP and opens no port on them. The AWS Load Balancer Controller then fails to build the load balancer, and no longer updates it. Write target-type: ip, or make the Service a NodePort.`,
  },
  putBack: { instance: 'changed' },
  *partners(manifest) {
    const { kind, name } = manifest.ref
    if (kind === 'IngressClassParams') yield* [name, 'ingressClassParams']
    else if (kind === 'Service') yield name
    else if (kind === 'Ingress' && manifest.root.at('spec').isMap && mentionsAlb(manifest))
      yield* [...backendsOf(manifest).map(({ service }) => service), 'ingress.k8s.aws/alb', 'IngressClassParams']
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') {
      const { before } = change
      if (groupKindOf(before.ref) !== albParamsKind || outlivesPrune(before) || head.get(before.ref).length > 0) return
      const [at] = classesWithParams(before.ref.name, head)
      if (!at || releaseMentioning('ingressClassParams', head)) return
      report([before.root, at], 'parameters', { params: nameOf(before.ref), ingressClass: nameOf(at.manifest.ref) })
      return
    }
    const { after } = change
    for (const { at, ingress, service } of unregistered(after, head)) {
      const earlier = base.get(ingress.ref).flatMap((one) => unregistered(one, base))
      if (earlier.some((one) => one.service.ref.name === service.ref.name)) continue
      const args = { ingress: nameOf(ingress.ref), service: nameOf(service.ref) }
      const type = service.root.at('spec', 'type')
      report(after === service ? [type, at] : [at, type], 'instance', args, { keys: [args.ingress, args.service] })
    }
  },
})

function mentionsAlb({ object }: Manifest): boolean {
  return object.content.includes('alb.ingress.kubernetes.io/')
}

/** A Service that opens no port on the nodes which an Ingress has as its targets, and the place that makes them these. */
interface Unregistered {
  readonly at: Cursor
  readonly ingress: Manifest
  readonly service: Manifest
}

/** Those of an Ingress, or of a Service. */
function unregistered(manifest: Manifest, snapshot: Snapshot): Unregistered[] {
  const { kind, name } = manifest.ref
  const backends =
    kind === 'Service'
      ? servicesIn(snapshot).backendsTo(name)
      : groupKindOf(manifest.ref) === ingressKind
        ? backendsOf(manifest)
        : []
  const found = new Map<string, Unregistered>()
  for (const backend of backends) {
    const ingress = backend.name.manifest
    if (groupKindOf(ingress.ref) !== ingressKind || !isOfAlb(ingress, snapshot)) continue
    const services = servicesOf(backend, snapshot)
    const [service] = services
    if (!service || services.length > 1 || !isServiceOf(backend, service)) continue
    const at = targetTypeOf(ingress, service, snapshot)
    const isInside = (service.root.at('spec', 'type').string ?? 'ClusterIP') === 'ClusterIP'
    if (at?.string !== 'instance' || !isInside || (kind === 'Service' && service !== manifest)) continue
    found.set(nameOf(ingress.ref) + nameOf(service.ref), { at, ingress, service })
  }
  return [...found.values()]
}
