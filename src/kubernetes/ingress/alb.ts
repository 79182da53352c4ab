import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { classOf } from './ingress-class'

/** The parameters that an IngressClass gives the AWS Load Balancer Controller. */
export const albParamsKind: GroupKind = 'IngressClassParams.elbv2.k8s.aws'

const classKind: GroupKind = 'IngressClass.networking.k8s.io'

/** The places where classes of a snapshot name such parameters. */
export function classesWithParams(name: string, snapshot: Snapshot): Cursor[] {
  return snapshot.ofKind(classKind).flatMap(({ root }) => {
    const parameters = root.at('spec', 'parameters')
    const isIt = parameters.at('kind').string === 'IngressClassParams' && parameters.at('name').string === name
    return isIt ? [parameters.at('name')] : []
  })
}

/** Whether the class of an Ingress is one of the AWS Load Balancer Controller. */
export function isOfAlb(ingress: Manifest, snapshot: Snapshot): boolean {
  const name = classOf(ingress)
  if (name === undefined) return false
  const classes = snapshot.ofKind(classKind).filter(({ ref }) => ref.name === name)
  if (classes.length === 0) return name === 'alb'
  return classes.every(({ root }) => root.at('spec', 'controller').string === 'ingress.k8s.aws/alb')
}

/**
 * The place that decides the kind of targets of a Service behind an Ingress: the parameters of the class, the annotation of the
 * Service, that of the Ingress. Source:
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/pkg/ingress/model_build_target_group.go,
 * `buildTargetGroupTargetType`
 */
export function targetTypeOf(ingress: Manifest, service: Manifest, snapshot: Snapshot): Cursor | undefined {
  const key = 'alb.ingress.kubernetes.io/target-type'
  const classes = snapshot.ofKind(classKind).filter(({ ref }) => ref.name === classOf(ingress))
  const named = new Set(classes.flatMap(({ root }) => root.at('spec', 'parameters', 'name').string ?? []))
  const params = snapshot.ofKind(albParamsKind).filter(({ ref }) => named.has(ref.name))
  // Parameters that are not here may decide it.
  if (params.length < named.size) return undefined
  const places = [
    ...params.map(({ root }) => root.at('spec', 'targetType')),
    ...[service, ingress].map(({ root }) => root.at('metadata', 'annotations', key)),
  ]
  return places.find((at) => at.exists)
}
