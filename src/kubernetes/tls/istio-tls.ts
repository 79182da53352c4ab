import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { istioGatewayKind } from '../ingress/virtual-service'
import { servingKinds } from '../workload/serving-pods'
import { inLowerCase } from './route-claim'
import type { TlsClaim } from './tls-claim'

/**
 * The Secrets from which a Gateway of Istio has its hosts served, in the namespace of the Pods that it selects; none where
 * these Pods are not here. Source: https://istio.io/latest/docs/reference/config/networking/gateway/#ServerTLSSettings,
 * credentialName
 */
export function istioClaims(gateway: Manifest, snapshot: Snapshot): TlsClaim[] {
  if (groupKindOf(gateway.ref) !== istioGatewayKind) return []
  const servers = [...gateway.root.at('spec', 'servers').items()]
  const named = servers.filter((server) => server.at('tls', 'credentialName').string)
  const namespace = named.length > 0 ? proxyNamespaceOf(gateway, snapshot) : undefined
  if (namespace === undefined) return []
  return named.flatMap((server) => {
    const at = server.at('tls', 'credentialName')
    const hosts = [...server.at('hosts').items()].flatMap(({ string }) => (string ? hostOf(string) : []))
    return hosts.map((host) => ({ host, secret: at.string ?? '', namespace, at }))
  })
}

/** The Secrets that a Gateway of Istio names. */
export function istioSecretsOf({ ref, root }: Manifest): string[] {
  if (groupKindOf(ref) !== istioGatewayKind) return []
  return [...root.at('spec', 'servers').items()].flatMap((server) => server.at('tls', 'credentialName').string || [])
}

/** The keys of the labels by which Gateways of Istio select Pods. */
export function istioSelectorKeys(gateway: Manifest): string[] {
  if (groupKindOf(gateway.ref) !== istioGatewayKind) return []
  return [...gateway.root.at('spec', 'selector').entries()].map(([key]) => key)
}

/** `www.example.com` of `shop/www.example.com`; empty for all hosts. */
function hostOf(text: string): string {
  const host = text.slice(text.indexOf('/') + 1)
  return host === '*' ? '' : inLowerCase(host)
}

/** The namespace of all workloads whose Pods a Gateway selects; undefined unless it is one that is known. */
function proxyNamespaceOf({ root }: Manifest, snapshot: Snapshot): string | undefined {
  const selector = [...root.at('spec', 'selector').entries()]
  if (selector.length === 0) return undefined
  const key = JSON.stringify(selector.map(([label, { string }]) => [label, string]))
  const byKey = known.get(snapshot) ?? new Map<string, string | undefined>()
  known.set(snapshot, byKey)
  if (!byKey.has(key)) {
    const selected = servingKinds
      .flatMap((kind) => snapshot.ofKind(kind))
      .filter((one) =>
        selector.every(([label, { string }]) => podOf(one).at('metadata', 'labels', label).string === string),
      )
    const [namespace, ...others] = new Set(selected.map(({ ref }) => ref.namespace))
    byKey.set(key, others.length === 0 && namespace ? namespace : undefined)
  }
  return byKey.get(key)
}

/** Many Gateways select the same Pods; a snapshot never changes. */
const known = new WeakMap<Snapshot, Map<string, string | undefined>>()
