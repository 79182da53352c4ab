/** A repository with CustomResourceDefinitions. */
export interface Upstream {
  readonly repository: string
  /** The first release whose fields count as known; of each later minor one, the newest patch. */
  readonly since: string
  /** The files, as one of them may be in each release. */
  readonly files: RegExp
  readonly kinds: readonly string[]
  /** Versions that are no longer served, with other fields. */
  readonly leftOut?: readonly string[]
}

export const upstreams: readonly Upstream[] = [
  {
    repository: 'cert-manager/cert-manager',
    since: '1.5.0',
    files: /^deploy\/crds\/(?:cert-manager\.io_|crd-)(?:certificates|issuers|clusterissuers)\.yaml$/,
    kinds: ['Certificate', 'ClusterIssuer', 'Issuer'],
    leftOut: ['v1alpha2', 'v1alpha3', 'v1beta1'],
  },
  {
    repository: 'kubernetes-sigs/gateway-api',
    since: '0.6.0',
    files: /^config\/crd\/experimental\/gateway\.networking\.(?:x-)?k8s\.io_/,
    kinds: [
      'BackendTLSPolicy',
      'GRPCRoute',
      'Gateway',
      'GatewayClass',
      'HTTPRoute',
      'ListenerSet',
      'ReferenceGrant',
      'TCPRoute',
      'TLSRoute',
      'UDPRoute',
      'XListenerSet',
    ],
  },
  {
    repository: 'traefik/traefik',
    since: '2.5.0',
    files: /^docs\/content\/reference\/dynamic-configuration\/kubernetes-crd-definition-v1\.yml$/,
    kinds: [
      'IngressRoute',
      'IngressRouteTCP',
      'IngressRouteUDP',
      'Middleware',
      'MiddlewareTCP',
      'ServersTransport',
      'ServersTransportTCP',
      'TLSOption',
      'TLSStore',
      'TraefikService',
    ],
  },
  {
    repository: 'fluxcd/kustomize-controller',
    since: '0.20.0',
    files: /^config\/crd\/bases\//,
    kinds: ['Kustomization'],
  },
  { repository: 'fluxcd/helm-controller', since: '0.20.0', files: /^config\/crd\/bases\//, kinds: ['HelmRelease'] },
  {
    repository: 'fluxcd/source-controller',
    since: '0.22.0',
    files: /^config\/crd\/bases\//,
    kinds: ['GitRepository', 'HelmRepository', 'OCIRepository'],
  },
  {
    repository: 'argoproj/argo-cd',
    since: '2.2.0',
    files: /^manifests\/crds\/app.*-crd\.yaml$/,
    kinds: ['Application', 'AppProject', 'ApplicationSet'],
  },
  {
    repository: 'istio/api',
    since: '1.10.0',
    files: /^kubernetes\/customresourcedefinitions\.gen\.yaml$/,
    kinds: ['DestinationRule', 'Gateway', 'VirtualService'],
  },
  {
    repository: 'envoyproxy/gateway',
    since: '1.0.0',
    files: /\/crds\/generated\/gateway\.envoyproxy\.io_/,
    kinds: [
      'Backend',
      'BackendTrafficPolicy',
      'ClientTrafficPolicy',
      'EnvoyExtensionPolicy',
      'EnvoyPatchPolicy',
      'EnvoyProxy',
      'HTTPRouteFilter',
      'SecurityPolicy',
    ],
  },
  {
    repository: 'kubernetes-sigs/external-dns',
    since: '0.10.0',
    files: /\/(?:crd-manifest|dnsendpoint[^/]*)\.yaml$/,
    kinds: ['DNSEndpoint'],
  },
  {
    repository: 'projectcontour/contour',
    since: '1.10.0',
    files: /^examples\/contour\/01-crds\.yaml$/,
    kinds: ['HTTPProxy', 'TLSCertificateDelegation'],
  },
  {
    repository: 'metallb/metallb',
    since: '0.13.0',
    files: /^config\/crd\/bases\//,
    kinds: ['BFDProfile', 'BGPAdvertisement', 'BGPPeer', 'Community', 'IPAddressPool', 'L2Advertisement'],
  },
  {
    repository: 'cilium/cilium',
    since: '1.12.0',
    files: /^pkg\/k8s\/apis\/cilium\.io\/client\/crds\/v2/,
    kinds: [
      'CiliumBGPAdvertisement',
      'CiliumBGPClusterConfig',
      'CiliumBGPPeerConfig',
      'CiliumBGPPeeringPolicy',
      'CiliumClusterwideNetworkPolicy',
      'CiliumL2AnnouncementPolicy',
      'CiliumLoadBalancerIPPool',
      'CiliumNetworkPolicy',
    ],
  },
  {
    repository: 'external-secrets/external-secrets',
    since: '0.5.0',
    files: /^config\/crds\/bases\/external-secrets\.io_/,
    kinds: ['ClusterExternalSecret', 'ClusterSecretStore', 'ExternalSecret', 'PushSecret', 'SecretStore'],
  },
  {
    repository: 'prometheus-operator/prometheus-operator',
    since: '0.50.0',
    files: /^example\/prometheus-operator-crd\/monitoring\.coreos\.com_(?:pod|service)monitors\.yaml$/,
    kinds: ['PodMonitor', 'ServiceMonitor'],
  },
]
