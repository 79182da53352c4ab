import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

interface Annotation {
  readonly cloud: string
  readonly key: string
  /** The value of an internal load balancer, and of one for the internet. */
  readonly internal: string
  readonly external: string | undefined
  /** Whether a load balancer without it is one for the internet. */
  readonly isExternalWithout: boolean
}

/**
 * The annotations that decide whether clients outside of the network reach a load balancer. That of AWS may be internal without one,
 * by the controller that makes it. Sources:
 * https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/,
 * https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/#scheme,
 * https://cloud-provider-azure.sigs.k8s.io/topics/loadbalancer/, https://cloud.google.com/kubernetes-engine/docs/concepts/service-load-balancer-parameters
 */
const annotations: readonly Annotation[] = [
  ...['service.beta.kubernetes.io/aws-load-balancer-scheme', 'alb.ingress.kubernetes.io/scheme'].map((key) => ({
    cloud: 'AWS',
    key,
    internal: 'internal',
    external: 'internet-facing',
    isExternalWithout: false,
  })),
  {
    cloud: 'AWS',
    key: 'service.beta.kubernetes.io/aws-load-balancer-internal',
    internal: 'true',
    external: 'false',
    isExternalWithout: false,
  },
  {
    cloud: 'Azure',
    key: 'service.beta.kubernetes.io/azure-load-balancer-internal',
    internal: 'true',
    external: 'false',
    isExternalWithout: true,
  },
  ...['networking.gke.io/load-balancer-type', 'cloud.google.com/load-balancer-type'].map((key) => ({
    cloud: 'Google',
    key,
    internal: 'internal',
    external: 'external',
    isExternalWithout: true,
  })),
]

/**
 * Whether a class of Gateways of GKE has internal load balancers. Source:
 * https://cloud.google.com/kubernetes-engine/docs/concepts/gateway-api#gatewayclass
 */
const gatewayClasses: Readonly<Record<string, boolean>> = {
  'gke-l7-gxlb': false,
  'gke-l7-global-external-managed': false,
  'gke-l7-regional-external-managed': false,
  'gke-l7-rilb': true,
  'gke-l7-cross-regional-internal-managed': true,
}

/** Whether a load balancer is internal, as its annotations say. */
export interface Scheme {
  readonly cloud: string
  readonly isInternal: boolean
  readonly at: Cursor
}

/**
 * The scheme of the load balancer of a Service, an Ingress, a Gateway, or the Ingresses of a class; undefined where it is not known.
 *
 * @param cloud where the load balancer is known to be: without an annotation, it is one for the internet in some
 */
export function schemeOf({ ref, root }: Manifest, cloud?: string): Scheme | undefined {
  if (ref.kind === 'IngressClassParams') return schemeOfParams(root.at('spec', 'scheme'))
  if (ref.kind === 'Gateway') return schemeOfClass(root.at('spec', 'gatewayClassName'))
  const given = root.at('metadata', 'annotations')
  const found = annotations.filter(({ key }) => given.at(key).exists)
  const [first] = found
  if (!first) {
    const isExternal = annotations.some((one) => one.cloud === cloud && one.isExternalWithout)
    return cloud !== undefined && isExternal ? { cloud, isInternal: false, at: given } : undefined
  }
  const at = given.at(first.key)
  const value = at.string?.toLowerCase()
  const isInternal = value === first.internal
  return isInternal || value === first.external ? { cloud: first.cloud, isInternal, at } : undefined
}

/**
 * The parameters of a class decide over the annotations of its Ingresses. Source:
 * https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/ingress_class/#specscheme
 */
function schemeOfParams(at: Cursor): Scheme | undefined {
  const isInternal = at.string === 'internal'
  return isInternal || at.string === 'internet-facing' ? { cloud: 'AWS', isInternal, at } : undefined
}

/** Those for several clusters end with `-mc`. */
function schemeOfClass(at: Cursor): Scheme | undefined {
  const isInternal = entryOf(gatewayClasses, (at.string ?? '').replace(/-mc$/, ''))
  return isInternal === undefined ? undefined : { cloud: 'Google', isInternal, at }
}

/** Whether a range has addresses of the loopback alone. */
export function isLoopback(range: string): boolean {
  const [address = '', bits = ''] = range.trim().split('/')
  const isOfFour = address.startsWith('127.') && Number(bits) >= 8
  return isOfFour || (address === '::1' && bits === '128')
}
