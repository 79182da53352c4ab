import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder, routedHosts, tlsEntries } from '../ingress/ingress'
import { classOf } from '../ingress/ingress-class'
import { shareNamespace } from '../object/namespace'
import { tlsHosts } from './routed-hosts'

/** Google's kind of certificates that it has issued itself. */
export const managedCertificateKind: GroupKind = 'ManagedCertificate.networking.gke.io'

/** A cloud whose load balancer serves an Ingress, and the place that gives it TLS. */
export interface BalancerTls {
  readonly cloud: 'AWS' | 'Google'
  /** None where nothing gives it TLS. */
  readonly at: Cursor | undefined
}

/** The TLS at the load balancer of an Ingress; undefined where no cloud ends it there, or it is not known. */
export function balancerTls(ingress: Manifest, snapshot: Snapshot): BalancerTls | undefined {
  const name = classOf(ingress)
  const annotations = ingress.root.at('metadata', 'annotations')
  const isOf = (prefix: string) => [...annotations.entries()].some(([key]) => key.startsWith(prefix))
  if (name?.includes('alb') || (name === undefined && isOf('alb.ingress.kubernetes.io/')))
    return ofAws(ingress, snapshot)
  return name === undefined || name === 'gce' ? ofGoogle(ingress) : undefined
}

/**
 * The ports that the annotation lists; without it, the one for https where a certificate is named, else the one for http.
 * Source: https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/pkg/ingress/model_build_listener.go,
 * `computeIngressListenPorts`
 */
function ofAws(ingress: Manifest, snapshot: Snapshot): BalancerTls | undefined {
  const annotations = ingress.root.at('metadata', 'annotations')
  const [listed, certificate] = ['listen-ports', 'certificate-arn'].map((key) =>
    annotations.at(`alb.ingress.kubernetes.io/${key}`),
  )
  if (!listed || !certificate) return undefined
  if (listed.exists) {
    const text = listed.string ?? ''
    if (text === '' || isPlaceholder(text)) return undefined
    const isServed = text.includes('"HTTPS"') && !(isWithoutCertificate(ingress) && hasPlainClass(ingress, snapshot))
    return { cloud: 'AWS', at: isServed ? listed : undefined }
  }
  if (certificate.exists) return { cloud: 'AWS', at: certificate }
  return hasPlainClass(ingress, snapshot) ? { cloud: 'AWS', at: undefined } : undefined
}

/** Whether the class of an Ingress is known to have no parameters: these may name a certificate, too. */
function hasPlainClass(ingress: Manifest, snapshot: Snapshot): boolean {
  const classes = snapshot.ofKind('IngressClass.networking.k8s.io').filter(({ ref }) => ref.name === classOf(ingress))
  return classes.length > 0 && classes.every(({ root }) => !root.at('spec', 'parameters').exists)
}

/**
 * Whether an Ingress neither names a certificate, nor has a host by which one is found, nor shares its load balancer with others
 * that may. Source: pkg/ingress/model_build_listener.go of the same, `computeIngressExplicitTLSCertARNs` and
 * `computeIngressInferredTLSCertARNs`
 */
function isWithoutCertificate(ingress: Manifest): boolean {
  const annotations = ingress.root.at('metadata', 'annotations')
  const hasOthers = ['certificate-arn', 'group.name'].some(
    (key) => annotations.at(`alb.ingress.kubernetes.io/${key}`).exists,
  )
  return !hasOthers && routedHosts(ingress).size === 0 && tlsHosts(ingress).size === 0
}

/** The annotations by which an Ingress of Google names certificates. Source: https://cloud.google.com/kubernetes-engine/docs/how-to/ingress-multi-ssl */
const google = [
  'networking.gke.io/managed-certificates',
  'ingress.gcp.kubernetes.io/pre-shared-cert',
  'networking.gke.io/certmap',
]

function ofGoogle(ingress: Manifest): BalancerTls {
  const annotations = ingress.root.at('metadata', 'annotations')
  const at = google.map((key) => annotations.at(key)).find(({ string }) => string?.trim())
  return { cloud: 'Google', at: at ?? tlsEntries(ingress).find(({ secretName }) => secretName.string)?.at }
}

/** The hosts of an Ingress that a change takes the TLS of its load balancer from. */
export interface BalancerLoss {
  readonly cloud: BalancerTls['cloud']
  readonly was: Cursor
  /** The Ingress may route all hosts. */
  readonly hosts: readonly string[]
}

/** The loss of TLS at the load balancer of an Ingress which stays with the same cloud. */
export function balancerLoss(
  before: Manifest,
  after: Manifest,
  base: Snapshot,
  head: Snapshot,
): BalancerLoss | undefined {
  const [was, is] = [balancerTls(before, base), balancerTls(after, head)]
  if (!was?.at || !is || is.at || was.cloud !== is.cloud || was.at.path[1] !== 'annotations') return undefined
  const routed = [...routedHosts(after).keys()]
  const hosts = routed.filter((host) => !hostsWithTls(head).has(host))
  return hosts.length > 0 || routed.length === 0 ? { cloud: was.cloud, was: was.at, hosts } : undefined
}

const known = new WeakMap<Snapshot, ReadonlySet<string>>()

/** The hosts that some Ingress serves with TLS. */
function hostsWithTls(snapshot: Snapshot): ReadonlySet<string> {
  const hosts =
    known.get(snapshot) ??
    new Set(
      snapshot.ofKind('Ingress.networking.k8s.io').flatMap((ingress) => {
        const balancer = balancerTls(ingress, snapshot)
        if (balancer?.at) return [...routedHosts(ingress).keys()]
        return balancer?.cloud === 'AWS' ? [] : [...tlsHosts(ingress).keys()]
      }),
    )
  known.set(snapshot, hosts)
  return hosts
}

/** The ManagedCertificates that an Ingress names. */
export function managedNames({ root }: Manifest): string[] {
  const { string = '' } = root.at('metadata', 'annotations', 'networking.gke.io/managed-certificates')
  return string
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** An Ingress that names a ManagedCertificate which is gone, and the domains that no other certificate of it is for. */
export interface UncertifiedIngress {
  readonly ingress: Manifest
  readonly at: Cursor
  readonly domains: readonly string[]
}

/** The Ingresses that lose TLS with a ManagedCertificate. */
export function uncertifiedBy(removed: Manifest, head: Snapshot): UncertifiedIngress[] {
  return (namingIn(head).get(removed.ref.name) ?? []).flatMap((ingress): UncertifiedIngress[] => {
    const names = managedNames(ingress)
    const annotations = ingress.root.at('metadata', 'annotations')
    if (!shareNamespace(removed, ingress)) return []
    // Whatever these are for is not known here.
    const isOpen = google.slice(1).some((key) => annotations.at(key).string) || tlsEntries(ingress).length > 0
    const others = names
      .filter((name) => name !== removed.ref.name)
      .map((name) => head.get({ ...removed.ref, name })[0])
    if (isOpen || others.includes(undefined)) return []
    const left = new Set(others.flatMap((one) => (one ? domainsOf(one) : [])))
    const domains = domainsOf(removed).filter((domain) => routedHosts(ingress).has(domain) && !left.has(domain))
    return domains.length > 0 ? [{ ingress, at: annotations.at(google[0] ?? ''), domains }] : []
  })
}

const naming = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The Ingresses by the ManagedCertificates that they name. */
function namingIn(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const before = naming.get(snapshot)
  if (before) return before
  const found = new Map<string, Manifest[]>()
  for (const ingress of snapshot.ofKind('Ingress.networking.k8s.io'))
    for (const name of new Set(managedNames(ingress))) append(found, name, ingress)
  naming.set(snapshot, found)
  return found
}

function domainsOf({ root }: Manifest): string[] {
  return [...root.at('spec', 'domains').items()].flatMap(({ string }) => string?.toLowerCase() ?? [])
}
