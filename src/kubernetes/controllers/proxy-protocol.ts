import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { servicesTo } from './controller-service'
import { configsNamedIn } from './nginx-config'

const key = 'use-proxy-protocol'

/**
 * The annotations of a Service by which its load balancer sends the PROXY protocol, of AWS, DigitalOcean, Hetzner, Linode, OpenStack,
 * OVHcloud, Scaleway and Vultr. Sources: https://cloud-provider-aws.sigs.k8s.io/service_controller/,
 * https://docs.digitalocean.com/products/kubernetes/how-to/configure-load-balancers/,
 * https://github.com/hetznercloud/hcloud-cloud-controller-manager/blob/main/docs/reference/load_balancer_annotations.md,
 * https://github.com/kubernetes/cloud-provider-openstack/blob/master/docs/openstack-cloud-controller-manager/expose-applications-using-loadbalancer-type-service.md,
 * https://github.com/scaleway/scaleway-cloud-controller-manager/blob/master/docs/loadbalancer-annotations.md
 */
const annotations = [
  'load-balancer.hetzner.cloud/uses-proxyprotocol',
  'loadbalancer.openstack.org/proxy-protocol',
  'loadbalancer.ovhcloud.com/proxy-protocol',
  'service.beta.kubernetes.io/aws-load-balancer-proxy-protocol',
  'service.beta.kubernetes.io/do-loadbalancer-enable-proxy-protocol',
  'service.beta.kubernetes.io/linode-loadbalancer-default-proxy-protocol',
  'service.beta.kubernetes.io/ovh-loadbalancer-proxy-protocol',
  'service.beta.kubernetes.io/scw-loadbalancer-proxy-protocol-v1',
  'service.beta.kubernetes.io/scw-loadbalancer-proxy-protocol-v2',
  'service.beta.kubernetes.io/vultr-loadbalancer-proxy-protocol',
]

/** https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/#target-group-attributes */
const attributes = 'service.beta.kubernetes.io/aws-load-balancer-target-group-attributes'

const off = ['', 'false', 'none', 'off']

/** The annotation by which the load balancer of a Service sends the PROXY protocol. */
function sentBy({ root }: Manifest): Cursor | undefined {
  const written = root.at('metadata', 'annotations')
  const listed = written.at(attributes)
  if (/\bproxy_protocol_v2\.enabled=true\b/.test(listed.string ?? '')) return listed
  return annotations.map((name) => written.at(name)).find((at) => at.exists && !off.includes(at.string ?? ''))
}

/** A controller and the load balancer in front of it, where only one of the two uses the PROXY protocol. */
export interface Disagreement {
  /** `unsent`: the controller expects it; `unread`: the load balancer sends it. */
  readonly kind: 'unsent' | 'unread'
  readonly map: Manifest
  readonly service: Manifest
  /** Where the setting of the controller is or would be, and that of the load balancer. */
  readonly ends: { readonly map: Cursor; readonly service: Cursor }
}

/** The disagreements in a snapshot: none where a value is unknown. */
export function disagreementsIn(snapshot: Snapshot): readonly Disagreement[] {
  const found = known.get(snapshot) ?? findDisagreements(snapshot)
  known.set(snapshot, found)
  return found
}

const known = new WeakMap<Snapshot, readonly Disagreement[]>()

function findDisagreements(snapshot: Snapshot): Disagreement[] {
  return configsNamedIn(snapshot).flatMap(({ controller, flag, map: name }) => {
    const copies = snapshot.get({ group: '', kind: 'ConfigMap', ...name })
    const [map] = copies
    if (flag !== 'configmap' || !map || copies.length > 1) return []
    const setting = map.root.at('data', key)
    const expects = { true: true, false: false, '': false }[setting.string ?? '']
    const services = servicesTo(controller.manifest, snapshot).filter(
      ({ root }) => root.at('spec', 'type').string === 'LoadBalancer',
    )
    return services.flatMap((service): Disagreement[] => {
      const sends = sentBy(service)
      if (expects === undefined || expects === (sends !== undefined)) return []
      const kind = expects ? 'unsent' : 'unread'
      const written = service.root.at('metadata', 'annotations')
      return [{ kind, map, service, ends: { map: setting, service: sends ?? written } }]
    })
  })
}
