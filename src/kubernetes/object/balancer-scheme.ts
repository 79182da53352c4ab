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

/** Whether a load balancer is internal, as its annotations say. */
export interface Scheme {
  readonly cloud: string
  readonly isInternal: boolean
  readonly at: Cursor
}

/**
 * The scheme of the load balancer of a Service or an Ingress; undefined where it is not known.
 *
 * @param cloud where the load balancer is known to be: without an annotation, it is one for the internet in some
 */
export function schemeOf({ root }: Manifest, cloud?: string): Scheme | undefined {
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

/** Whether a range has addresses of the loopback alone. */
export function isLoopback(range: string): boolean {
  const [address = '', bits = ''] = range.trim().split('/')
  const isOfFour = address.startsWith('127.') && Number(bits) >= 8
  return isOfFour || (address === '::1' && bits === '128')
}
